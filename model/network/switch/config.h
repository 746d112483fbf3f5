// Resolved parameters of a switch.
#pragma once

#include "tlm/time/time.h"

#include <cstdint>
#include <string>

namespace rnicsim {

/// Which frames find room (systems of this kind: Choudhury and Hahne, "Dynamic queue length thresholds", 1998).
enum class Admission : std::uint8_t {
    dynamic,      ///< a queue takes at most alpha times the bytes of the pool that are free
    fixed_limit,  ///< ... at most `queue_limit` bytes
};

struct SwitchConfig {
    std::string name;
    Time latency{2 * kMicrosecond.ps};  ///< last bit in -> ready for its egress port
    std::int64_t buffer = 131'072;      ///< bytes, shared by all ports
    std::int64_t cell = 1;              ///< bytes: a frame takes whole cells
    std::int64_t mtu = 1500;            ///< largest MAC client data, bytes; larger frames are dropped
    std::int64_t reserve = 0;           ///< bytes of each port that no other port can take
    Admission admission = Admission::dynamic;
    double alpha = 1;                   ///< dynamic
    std::int64_t queue_limit = 65'536;  ///< fixed_limit: bytes of a port's queue
};

}  // namespace rnicsim
