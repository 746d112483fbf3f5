// SPDX-License-Identifier: Apache-2.0
// What can go wrong, as probabilities 0..1: all that RandomFaults draws from.
#pragma once

#include "tlm/time/cycle.h"
#include "tlm/time/mac_timing.h"
#include "tlm/time/time.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rnicsim {

/// The bad state of the Gilbert-Elliott process.
struct BurstConfig {
    double begin = 0;  ///< good to bad, before each frame
    double end = 1;    ///< bad to good, before each frame
    double loss = 1;   ///< of each frame in the bad state
};

/// Outages: nothing gets through in either direction.
struct LinkDownConfig {
    double probability = 0;  ///< that it goes down once in a period
    Time period = kMillisecond * 10;
    Time duration = kMillisecond;  ///< at most the period
};

/// Faults of the link, drawn for each frame.
struct LinkFaultConfig {
    Time byte_time = MacTiming{}.per_byte;     ///< of the link: times are drawn as multiples of it
    double loss = 0;                           ///< LFP; gilbert_elliott: in the good state
    std::string loss_process = "independent";  ///< loss_process_names()
    BurstConfig burst;
    double corruption = 0;              ///< a bit is flipped
    double duplication = 0;             ///< a copy follows, up to `lateness` later, if the wire has room
    double reordering = 0;              ///< up to `lateness` late, others overtake it
    Time lateness = kMicrosecond * 20;  ///< at most, uniform from a byte time on
    double delay_variation = 0;         ///< up to `jitter` late, those behind it wait
    Time jitter = kMicrosecond * 5;     ///< at most, uniform from a byte time on
    double ecn_marking = 0;             ///< of a frame that may be marked
    LinkDownConfig down;
};

/// Faults of one host.
struct HostFaultConfig {
    double registration_failure = 0;  ///< FRP, drawn for each attempt
    Cycle hold_time;                  ///< another task has memory of the pool: mean, exponential
    Cycle rest_time;                  ///< ... and does without: mean, exponential
};

struct FaultConfig {
    std::vector<LinkFaultConfig> links;
    std::vector<HostFaultConfig> hosts;
    std::uint64_t seed = 1;
    std::uint32_t repetition = 0;
};

}  // namespace rnicsim
