// SPDX-License-Identifier: Apache-2.0
// The only place that decides about faults: by probabilities (RandomFaults) or by a tape (TapeFaults). Link and hosts
// ask; a FaultRecorder in between writes the tape.
#pragma once

#include "model/faults/frame_name.h"
#include "tlm/time/cycle.h"
#include "tlm/time/time.h"

#include <cstdint>
#include <optional>

namespace rnicsim {

/// Frames whose last byte leaves in [from, to) are lost. Behind the network's links those of bridges are counted.
struct LinkDown {
    Time from, to;
    std::uint16_t link = 0;
    friend bool operator==(const LinkDown&, const LinkDown&) = default;
};

/// What the link does to one frame.
struct FrameFate {
    bool lost = false;                     ///< then no other fault applies
    std::optional<LinkDown> down;          ///< the outage that lost it
    std::optional<std::uint32_t> damaged;  ///< bit that is flipped, modulo the bits of the frame, FCS included
    std::optional<Time> copy;              ///< it arrives twice; the copy so much later than directly behind it
    Time delayed;                          ///< it arrives so much later, and those behind it wait
    Time overtaken;                        ///< ... and those behind it do not
    bool marked = false;                   ///< it gets a mark of congestion (ECN)

    friend bool operator==(const FrameFate&, const FrameFate&) = default;
};

class FaultSource {
  public:
    virtual ~FaultSource() = default;
    /// Can frames have a fault at all, or can a bridge's link go down? If not, the link need not ask.
    [[nodiscard]] virtual bool concerns_frames(unsigned link) const = 0;
    /// `sent`: the end of its last byte. `markable`: it may be marked (ECN), and is not yet. Called once for each
    /// frame, per direction in order.
    virtual FrameFate frame(const FrameName& name, Time sent, bool markable) = 0;
    /// Of a bridge's link: the first time that it is down which begins before `until` and ends after `from`; nullopt:
    /// there is none. It has begun for one who asks with a `from` that lies in it.
    virtual std::optional<LinkDown> outage(unsigned /*link*/, Time /*from*/, Time /*until*/) { return std::nullopt; }
    /// Does this attempt of `end` to register memory for a transfer of another host fail? Attempts count from 0.
    virtual bool registration_fails(unsigned end, unsigned initiator, std::uint64_t transfer,
                                    std::uint32_t attempt) = 0;
    /// Another task of the host holds memory of the pool now and then: does it when the run begins?
    virtual bool holds_at_start(unsigned end, std::uint32_t task) = 0;
    /// How long its n-th period lasts, in which it holds memory or not; n counts both kinds, from 0. kNever: for ever.
    virtual Cycle task_time(unsigned end, std::uint32_t task, std::uint64_t n, bool holds) = 0;
};

}  // namespace rnicsim
