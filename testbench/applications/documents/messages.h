// SPDX-License-Identifier: Apache-2.0
// What hosts of a store of documents tell each other, and where an end's memory has what. All messages have one length.
#pragma once

#include "testbench/applications/documents/settings.h"
#include "testbench/applications/end.h"

#include <boost/endian/conversion.hpp>

#include <cstdint>
#include <span>

namespace rnicsim::applications::documents {

// Areas, of both ends.
inline constexpr std::uint32_t kHelloOut = 0, kHelloIn = 1;  ///< a message of the stream each
inline constexpr std::uint32_t kOut = 2, kIn = 3;            ///< slots of messages
inline constexpr std::uint32_t kData = 4;  ///< buffers; where each is registered for itself, an area each

/// Immediates: of a message, with its slot in the bits below; that one has been read; else the slot whose data have
/// come.
inline constexpr std::uint32_t kMessageImmediate = 0x8000'0000, kAckImmediate = 0xFFFF'FFFF;

enum class Type : std::uint8_t { write, query, optime, pull, heartbeat, answer };
struct Message {
    Type type{};
    std::uint32_t slot = 0;
    std::uint32_t operation = 0;
    std::uint32_t bytes = 0;   ///< of the document in it, or of the data that it asks for
    std::uint32_t optime = 0;  ///< of the last entry of the log
    Remote at;                 ///< where data are wanted
};

/// Where the document begins: behind its type and its length.
inline constexpr std::uint32_t kName = 3;

inline void write(const Message& of, std::span<std::uint8_t> out) {
    out[0] = static_cast<std::uint8_t>(of.type);
    boost::endian::store_little_u32(&out[515], of.slot);
    boost::endian::store_little_u32(&out[523], of.operation);
    boost::endian::store_little_u64(&out[531], of.at.address);
    boost::endian::store_little_u32(&out[539], of.at.key);
    boost::endian::store_little_u32(&out[543], of.bytes);
    boost::endian::store_little_u32(&out[551], of.optime);
}
inline Message read(std::span<const std::uint8_t> in) {
    using boost::endian::load_little_u32;
    return {static_cast<Type>(in[0]),  load_little_u32(&in[515]),
            load_little_u32(&in[523]), load_little_u32(&in[543]),
            load_little_u32(&in[551]), {boost::endian::load_little_u64(&in[531]), load_little_u32(&in[539])}};
}

/// By TCP, once each way: whether the host has RDMA, and where messages go.
struct Hello {
    bool has_rdma = false;
    Remote slots;
};
inline void write(const Hello& of, std::span<std::uint8_t> out) {
    out[0] = of.has_rdma ? 1 : 0;
    boost::endian::store_little_u64(&out[8], of.slots.address);
    boost::endian::store_little_u32(&out[16], of.slots.key);
}
inline Hello read_hello(std::span<const std::uint8_t> in) {
    return {in[0] != 0, {boost::endian::load_little_u64(&in[8]), boost::endian::load_little_u32(&in[16])}};
}

}  // namespace rnicsim::applications::documents
