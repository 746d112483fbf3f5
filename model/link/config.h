// Resolved parameters of the point-to-point full-duplex link.
#pragma once

#include "tlm/units.h"

#include <string>

namespace rnicsim {

/// The bad state of the Gilbert-Elliott process; probabilities 0..1.
struct BurstConfig {
    double begin = 0;  ///< good to bad, before each frame
    double end = 1;    ///< bad to good, before each frame
    double loss = 1;   ///< of each frame in the bad state
};

/// Outages: nothing gets through in either direction.
struct LinkDownConfig {
    double probability = 0;  ///< that it goes down once in a period
    Cycle period;
    Cycle duration;  ///< at most the period
};

/// Probabilities 0..1, drawn for each frame.
struct LinkConfig {
    Cycle delay;                               ///< propagation, each direction
    double loss = 0;                           ///< LFP; gilbert_elliott: in the good state
    std::string loss_process = "independent";  ///< loss_process_names()
    BurstConfig burst;
    double corruption = 0;       ///< a bit is flipped
    double duplication = 0;      ///< a copy follows, up to `lateness` later, if the wire has room
    double reordering = 0;       ///< up to `lateness` late, others overtake it
    Cycle lateness;              ///< at most, uniform from a cycle on
    double delay_variation = 0;  ///< up to `jitter` late, those behind it wait
    Cycle jitter;                ///< at most, uniform from a cycle on
    LinkDownConfig down;
};

}  // namespace rnicsim
