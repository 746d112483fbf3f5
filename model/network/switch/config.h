// SPDX-License-Identifier: Apache-2.0
// Resolved parameters of a switch.
#pragma once

#include "tlm/time/time.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rnicsim {

/// Which frames find room (systems of this kind: Choudhury and Hahne, "Dynamic queue length thresholds", 1998).
enum class Admission : std::uint8_t {
    dynamic,      ///< a queue takes at most alpha times the bytes of the pool that are free
    fixed_limit,  ///< ... at most `queue_limit` bytes
};

enum class SwitchMode : std::uint8_t {
    store_and_forward,  ///< a frame is looked at when its last bit has arrived
    cut_through,        ///< ... when its header has, where it can leave at once
};

/// Which queue of a port is next.
enum class Scheduler : std::uint8_t {
    strict,  ///< the highest that has a frame
    drr,     ///< deficit round robin (Shreedhar and Varghese, 1996)
};

/// Marks of congestion (RFC 3168), by the length of a queue (RED; Zhu and others, "DCQCN", 2015, figure 5).
struct EcnConfig {
    enum class At : std::uint8_t { off, enqueue, dequeue };
    At at = At::off;
    std::int64_t kmin = 0;  ///< bytes; up to here no frame is marked; 0 = 4 KB for each Gb/s of the port
    std::int64_t kmax = 0;  ///< from here on each one; 0 = 16 KB
    double pmax = 0.2;      ///< the chance just below kmax
};

/// Priority-based flow control (IEEE 802.1Qbb).
struct PfcConfig {
    std::uint8_t classes = 0;       ///< bit by class: of these no frame is lost for want of room
    std::int64_t xoff = 0;          ///< bytes of a port and class from which on it pauses the sender; 0 = by alpha
    double alpha = 0.125;           ///< ... more than alpha times what is free
    std::int64_t xon_below = 3036;  ///< it goes on so many bytes below
    std::int64_t headroom = 0;      ///< bytes of each port and class for what is on its way; 0 = as much as may be
    bool unchecked = false;         ///< headroom may be too small
    std::uint32_t quanta = 65'535;  ///< of 512 bit times: how long a pause lasts unless it is said again

    [[nodiscard]] bool lossless(unsigned of_class) const { return (classes >> of_class & 1U) != 0; }
};

struct SwitchConfig {
    std::string name;
    Time latency{2 * kMicrosecond.ps};  ///< last bit in (cut through: of the header) -> ready for its egress port
    SwitchMode mode = SwitchMode::store_and_forward;
    std::int64_t buffer = 131'072;  ///< bytes, shared by all ports
    std::int64_t cell = 1;          ///< bytes: a frame takes whole cells
    std::int64_t mtu = 1500;        ///< largest MAC client data, bytes; larger frames are dropped
    std::int64_t reserve = 0;       ///< bytes of each queue that no other one can take
    Admission admission = Admission::dynamic;
    double alpha = 1;                   ///< dynamic
    std::int64_t queue_limit = 65'536;  ///< fixed_limit: bytes of a queue
    unsigned priorities = 1;            ///< queues of each port: class x priorities / 8
    Scheduler scheduler = Scheduler::strict;
    std::vector<std::uint32_t> weights;  ///< drr: by priority, x (mtu + 18 bytes); empty: 1 each
    EcnConfig ecn;
    PfcConfig pfc;
    bool learning = false;        ///< ports of hosts are learnt; unknown ones get a frame by all ports
    Time ageing = kSecond * 300;  ///< ... and forgotten
    Time pause_reaction;  ///< from the last bit of a pause frame until no frame begins; 0 = the longest of the rate

    [[nodiscard]] unsigned priority_of(unsigned of_class) const { return of_class * priorities / 8; }
    /// A port sends in the order of arrival, and nothing stops it: its departures are known beforehand.
    [[nodiscard]] bool first_come_first_served() const {
        return priorities == 1 && ecn.at == EcnConfig::At::off && pfc.classes == 0;
    }
};

}  // namespace rnicsim
