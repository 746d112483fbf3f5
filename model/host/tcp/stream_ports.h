// SPDX-License-Identifier: Apache-2.0
// Ports of streams: that of a stream says its number at its host.
#pragma once

#include <cstdint>

namespace rnicsim {

inline constexpr std::uint32_t kFirstStreamPort = 10000;
inline constexpr std::uint32_t kMostStreams = 50000;  ///< of a host
inline constexpr std::uint32_t kNoStream = ~0U;

constexpr std::uint16_t port_of_stream(std::uint32_t stream) {
    return static_cast<std::uint16_t>(kFirstStreamPort + stream);
}
constexpr std::uint32_t stream_of_port(std::uint16_t port) {
    return port < kFirstStreamPort ? kNoStream : port - kFirstStreamPort;
}

}  // namespace rnicsim
