// SPDX-License-Identifier: Apache-2.0
// Sorts received frames: DRP to the transport controller, others to the host's receive ring. Drops malformed ones.
#pragma once

#include "model/rnic/drp/blocks.h"
#include "model/rnic/drp/peer_table.h"
#include "tlm/ethernet/frame_socket.h"

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>

namespace rnicsim {

/// Takes the frames that pass the filter. `due` as in ClockedFrameTransport.
class FilteredFrames {
  public:
    virtual ~FilteredFrames() = default;
    virtual void put_drp(FrameRef frame, const DrpHeader& header, Cycle due) = 0;
    virtual void put_ordinary(FrameRef frame, Cycle due) = 0;
};

class FrameFilter : public sc_core::sc_module, public ClockedFrameTransport {
  public:
    /// `peers`: a DRP frame of anybody else is dropped. Neither is owned.
    FrameFilter(sc_core::sc_module_name name, std::unique_ptr<FilterEngine> engine, const PeerTable& peers,
                FilteredFrames& next);

    ClockedFrameIn in{"in"};

    void put(FrameRef frame, Cycle due) override;

    struct Counters {
        std::uint64_t drp = 0, ordinary = 0, other_destination = 0, unknown_source = 0;
        std::array<std::uint64_t, kDrpErrorNames.size()> malformed{};  ///< by DrpError
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

  private:
    std::unique_ptr<FilterEngine> engine_;
    const PeerTable& peers_;
    FilteredFrames& next_;
    Counters counters_;
};

}  // namespace rnicsim
