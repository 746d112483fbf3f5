// Resolved parameters of a station: a MAC with neither RNIC nor host behind it, which sends and takes ordinary frames.
#pragma once

#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim {

struct StationConfig {
    std::int64_t mtu = 1500;  ///< largest MAC client data, bytes
    Time pause_reaction;      ///< from the last bit of a pause frame until no frame of the class begins
};

}  // namespace rnicsim
