// SPDX-License-Identifier: Apache-2.0
// What the nodes of a chain tell each other, and where an end's memory has what. All control messages have one length.
#pragma once

#include "testbench/applications/blocks/settings.h"
#include "testbench/applications/end.h"

#include <boost/endian/conversion.hpp>

#include <cstdint>
#include <span>

namespace rnicsim::applications::blocks {

// Areas, of both ends.
inline constexpr std::uint32_t kStreamOut = 0, kStreamIn = 1;    ///< the handshake by TCP
inline constexpr std::uint32_t kRegionsOut = 2, kRegionsIn = 3;  ///< where messages and blocks go
inline constexpr std::uint32_t kOut = 4, kIn = 5;                ///< slots of control messages
inline constexpr std::uint32_t kBlocks = 6;                      ///< buffers of a window

// Slots of control messages; behind them one for the verdict on each block of a window.
inline constexpr std::uint32_t kControl = 0, kTime = 1, kVerdicts = 2;

/// Immediates: of a message, with its slot in the bits below; that a block has been verified; else of a block.
inline constexpr std::uint32_t kMessageImmediate = 0x8000'0000, kAckImmediate = 0xFFFF'FFFF, kBlockImmediate = 0;

enum class Type : std::uint8_t { handshake, notice, sync, catch_up, time, verdict };
struct Message {
    Type type{};
    std::uint32_t head = 0, irreversible = 0;  ///< blocks that its sender has; of them those that cannot be reversed
    std::uint32_t operation = 0;               ///< of a verdict
};
inline void write(const Message& of, std::span<std::uint8_t> out) {
    out[0] = static_cast<std::uint8_t>(of.type);
    boost::endian::store_little_u32(&out[515], of.operation);
    boost::endian::store_little_u32(&out[543], of.irreversible);
    boost::endian::store_little_u32(&out[551], of.head);
}
inline Message read(std::span<const std::uint8_t> in) {
    using boost::endian::load_little_u32;
    return {static_cast<Type>(in[0]), load_little_u32(&in[551]), load_little_u32(&in[543]), load_little_u32(&in[515])};
}

/// By SEND, once each way.
struct Regions {
    Remote messages, blocks;
};
inline void write(const Regions& of, std::span<std::uint8_t> out) {
    boost::endian::store_little_u64(&out[0], of.messages.address);
    boost::endian::store_little_u32(&out[8], of.messages.key);
    boost::endian::store_little_u64(&out[16], of.blocks.address);
    boost::endian::store_little_u32(&out[24], of.blocks.key);
}
inline Regions read_regions(std::span<const std::uint8_t> in) {
    using boost::endian::load_little_u32;
    using boost::endian::load_little_u64;
    return {{load_little_u64(&in[0]), load_little_u32(&in[8])}, {load_little_u64(&in[16]), load_little_u32(&in[24])}};
}

}  // namespace rnicsim::applications::blocks
