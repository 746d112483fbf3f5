// Resolved parameters of the point-to-point full-duplex link.
#pragma once

#include "model/faults/config.h"
#include "tlm/time/mac_timing.h"
#include "tlm/time/time.h"

namespace rnicsim {

struct LinkConfig : LinkFaultConfig {
    MacTiming timing;  ///< of both directions
    Time delay;        ///< propagation, each direction
};

}  // namespace rnicsim
