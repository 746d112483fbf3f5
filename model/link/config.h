// Resolved parameters of the point-to-point full-duplex link.
#pragma once

#include "tlm/units.h"

namespace rnicsim {

struct LinkConfig {
    Cycle delay;      ///< propagation, each direction
    double loss = 0;  ///< LFP, 0..1, drawn for each frame that the scope covers
};

}  // namespace rnicsim
