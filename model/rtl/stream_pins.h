// SPDX-License-Identifier: Apache-2.0
// A module with AXI-Stream ports between the ports that scripts/wrap_block gives each of them, whoever wrote it.
#pragma once

#include "tlm/ethernet/frame.h"
#include "tlm/time/cycle.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rnicsim {

inline constexpr std::size_t kMostStreamBytes = 64;  ///< 512 bits

/// What a stream carries in a cycle (AMBA AXI-Stream, IHI 0051).
struct Beat {
    std::array<std::uint8_t, kMostStreamBytes> data{};
    std::uint64_t keep = 0;  ///< tkeep: which bytes count
    bool valid = false;
    bool last = false;
    bool bad = false;  ///< tuser with the last beat: the frame is no good
};

/// A byte of GMII (IEEE 802.3 clause 35).
struct GmiiByte {
    std::uint8_t data = 0;
    bool enable = false;
    bool error = false;
};

/// What a manifest promises of a stream.
struct StreamPromise {
    std::size_t bytes = 1;   ///< of a beat
    std::int64_t least = 0;  ///< latency, cycles of the block's clock
    std::int64_t most = 0;
    bool stalls = false;  ///< tvalid or tready may pause within a frame
};

/// What a manifest says (rtl/examples/README.md).
struct StreamManifest {
    std::string name;  ///< in `simulation:`
    Time period;       ///< of its clock
    StreamPromise in, out;
    // Of a MAC: it has this port; it need not refuse what is shorter, or longer, than a frame.
    bool rx_er = false;
    bool accepts_runt = false, accepts_oversize = false;
};

class StreamPins {
  public:
    virtual ~StreamPins() = default;

    virtual void own_address(const MacAddress& own) = 0;
    virtual void drive(const Beat& in, bool out_ready) = 0;
    virtual void drive(GmiiByte received) = 0;
    /// Lets what is driven through combinational logic: the three below are those of this cycle then.
    virtual void settle() = 0;
    [[nodiscard]] virtual bool in_ready() const = 0;
    [[nodiscard]] virtual Beat out() const = 0;
    [[nodiscard]] virtual GmiiByte sent() const = 0;
    /// To the next cycle.
    virtual void tick() = 0;
    virtual void reset(bool on) = 0;
    /// The cycle that the next tick ends: for waveforms.
    virtual void at(Cycle now) = 0;
};

}  // namespace rnicsim
