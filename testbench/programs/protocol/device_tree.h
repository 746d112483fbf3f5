// SPDX-License-Identifier: Apache-2.0
// Where the folder tree is in which programs see the card: the simulator makes one for each host, programs' paths are
// led there. What changes while they run is not in its files: programs ask for that.
#pragma once

#include "testbench/programs/protocol/messages.h"

#include <cstdint>

namespace rnicsim::programs {

/// SOCKET.hosts/NAME has dev/ and sys/ of host NAME; a program without a name of a host is on the first one.
inline constexpr const char* kTreeSuffix = ".hosts";
inline constexpr const char* kFirstHost = ".first";

/// Paths of the machine in whose place programs see the tree; also those that go on with '/', or with '_' and more.
inline constexpr const char* kDevices = "/dev/infiniband";
inline constexpr const char* kClass = "/sys/class/infiniband";
inline constexpr const char* kCard = "/sys/devices/rnicsim";
inline constexpr const char* kPort = "/sys/devices/rnicsim/infiniband/rnicsim0/ports/1";

inline constexpr const char* kFirmware = "rnicsim";
inline constexpr std::uint32_t kPortCapabilities = 1U << 16U | 1U << 26U;  ///< of the CM; GIDs of IP addresses

struct PortCounter {
    const char* folder;  ///< of the port's
    const char* name;
    std::uint64_t Counters::*value;
    std::uint64_t unit;  ///< one of it is so many
};
/// Those that the card counts, under the names that mlx5 gives them: in counters/ data is in words of 4 bytes.
inline constexpr PortCounter kPortCounters[] = {
    {"counters", "port_xmit_data", &Counters::tx_bytes, 4},
    {"counters", "port_rcv_data", &Counters::rx_bytes, 4},
    {"counters", "port_xmit_packets", &Counters::tx_packets, 1},
    {"counters", "port_rcv_packets", &Counters::rx_packets, 1},
    {"counters", "unicast_xmit_packets", &Counters::tx_packets, 1},
    {"counters", "unicast_rcv_packets", &Counters::rx_packets, 1},
    {"hw_counters", "out_of_sequence", &Counters::out_of_sequence, 1},
    {"hw_counters", "rnr_nak_retry_err", &Counters::rnr_nak_retry_err, 1},
    {"hw_counters", "local_ack_timeout_err", &Counters::local_ack_timeout_err, 1},
    {"hw_counters", "packet_seq_err", &Counters::packet_seq_err, 1},
    {"hw_counters", "implied_nak_seq_err", &Counters::implied_nak_seq_err, 1},
    {"hw_counters", "duplicate_request", &Counters::duplicate_request, 1},
    {"hw_counters", "np_cnp_sent", &Counters::np_cnp_sent, 1},
    {"hw_counters", "np_ecn_marked_roce_packets", &Counters::np_ecn_marked_roce_packets, 1},
    {"hw_counters", "rp_cnp_handled", &Counters::rp_cnp_handled, 1},
};
inline constexpr const char* kPortStates[] = {"state", "phys_state"};

}  // namespace rnicsim::programs
