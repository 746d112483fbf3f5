// Resolved parameters of the point-to-point full-duplex link.
#pragma once

#include "model/faults/config.h"
#include "tlm/units.h"

namespace rnicsim {

struct LinkConfig : LinkFaultConfig {
    Cycle delay;  ///< propagation, each direction
};

}  // namespace rnicsim
