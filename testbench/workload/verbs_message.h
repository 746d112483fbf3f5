// The messages of a verbs item: how long each is, and which bytes it carries. Programs and judge ask the same here.
#pragma once

#include "model/traffic.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace rnicsim {

/// Bytes of a message: atomics have eight whatever the item says.
std::uint32_t message_bytes(const TrafficConfig& item);
/// Bytes of a receive WQE: a datagram's begins with addresses.
std::uint32_t receive_bytes(const TrafficConfig& item);
/// Both ends send, each when it has got the other's message.
bool in_turn(const TrafficConfig& item);

/// No two messages of a run have the same key. `side`: who sends it, 0 the initiator.
constexpr std::uint64_t message_key(std::size_t connection, unsigned side, std::uint32_t message) {
    return (std::uint64_t{connection} << 33U) + (std::uint64_t{side} << 32U) + message + 1;
}
/// Writes the payload of a message; no two keys have the same bytes at one place.
void fill(std::span<std::uint8_t> bytes, std::uint64_t key);
/// Are these its bytes from `offset` on? Precondition: a multiple of eight.
bool is_filled(std::span<const std::uint8_t> bytes, std::uint64_t key, std::uint64_t offset);

}  // namespace rnicsim
