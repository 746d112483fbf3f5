// Everything that goes wrong by chance in a run is decided here, and nowhere else: by probabilities (RandomFaults) or
// by a tape (TapeFaults). Link and hosts ask; a recorder in between writes the tape.
#pragma once

#include "model/faults/frame_name.h"
#include "tlm/units.h"

#include <cstdint>
#include <optional>

namespace rnicsim {

/// Nothing gets through that is sent in these cycles, `to` not included.
struct LinkDown {
    Cycle from, to;
    friend bool operator==(const LinkDown&, const LinkDown&) = default;
};

/// What the link does to one frame.
struct FrameFate {
    bool lost = false;                     ///< nothing else counts then
    std::optional<LinkDown> down;          ///< lost because of it
    std::optional<std::uint32_t> damaged;  ///< bit that is flipped, modulo the bits of the frame, FCS included
    std::optional<Cycle> copy;             ///< it arrives twice, the copy so much later than right behind it
    Cycle delayed;                         ///< it arrives so much later, and those behind it wait
    Cycle overtaken;                       ///< ... and those behind it do not

    friend bool operator==(const FrameFate&, const FrameFate&) = default;
};

class FaultSource {
  public:
    virtual ~FaultSource() = default;
    /// Can frames meet a fault at all? Where not, nobody need ask about them.
    [[nodiscard]] virtual bool concerns_frames() const = 0;
    /// `sent`: the cycle after its last byte. Asked about each frame once, in each direction in their order.
    virtual FrameFate frame(const FrameName& name, Cycle sent) = 0;
    /// Does this attempt of `end` to register memory for a transfer of its peer fail? Attempts count from 0.
    virtual bool registration_fails(unsigned end, std::uint64_t transfer, std::uint32_t attempt) = 0;
    /// Another task of the host, which now and then holds memory that could be registered: does it when the run begins?
    virtual bool holds_at_start(unsigned end, std::uint32_t task) = 0;
    /// How long its n-th time of holding it, or doing without, lasts; n counts both, from 0. kNever: for good.
    virtual Cycle task_time(unsigned end, std::uint32_t task, std::uint64_t n, bool holds) = 0;
};

}  // namespace rnicsim
