// SPDX-License-Identifier: Apache-2.0
// What the ends of a tensor connection tell each other, and where an end's memory has what.
#pragma once

#include "testbench/applications/end.h"

#include <boost/endian/conversion.hpp>

#include <cstdint>
#include <span>

namespace rnicsim::applications::tensor {

// Areas, of both ends.
inline constexpr std::uint32_t kStreamOut = 0, kStreamIn = 1;    ///< a message of the set-up each
inline constexpr std::uint32_t kMessageOut = 2, kMessageIn = 3;  ///< one message each
inline constexpr std::uint32_t kSlots = 4;                       ///< where WRITEs of tensors start, or end
inline constexpr std::uint32_t kTensors = 5;                     ///< tensors where they do not

/// Immediates; all others name the operation whose tensor has come.
inline constexpr std::uint32_t kMessageImmediate = 0xFFFF'FFFF, kAckImmediate = 0xFFFF'FFFE;

/// By gRPC, once each way: where messages go.
inline constexpr std::uint32_t kAddress = 56;
inline void write_address(const Remote& at, std::span<std::uint8_t> out) {
    boost::endian::store_little_u64(&out[0], at.address);
    boost::endian::store_little_u32(&out[8], at.key);
}
inline Remote read_address(std::span<const std::uint8_t> in) {
    return {boost::endian::load_little_u64(&in[0]), boost::endian::load_little_u32(&in[8])};
}

/// A name of 512 B, and 72 B of the fields behind it.
inline constexpr std::uint32_t kMessage = 584;
enum class Type : std::uint8_t { request, meta_data, re_request };
struct MetaData {
    std::uint32_t version = 0;  ///< 0: nothing is known
    std::uint32_t bytes = 0;
    friend constexpr bool operator==(const MetaData&, const MetaData&) = default;
};
struct Message {
    Type type{};
    std::uint32_t operation = 0, tensor = 0;
    std::uint32_t slot = 0;   ///< of who asks
    MetaData known;           ///< by who asks; of META_DATA: those that the tensor has
    std::uint32_t bytes = 0;  ///< of the tensor: here who asks tells who has it
    Remote at;                ///< where it is wanted
};
inline void write(const Message& of, std::span<std::uint8_t> out) {
    out[0] = static_cast<std::uint8_t>(of.type);
    boost::endian::store_little_u32(&out[516], of.operation);
    boost::endian::store_little_u32(&out[520], of.tensor);
    boost::endian::store_little_u32(&out[524], of.slot);
    boost::endian::store_little_u32(&out[528], of.known.version);
    boost::endian::store_little_u32(&out[532], of.known.bytes);
    boost::endian::store_little_u32(&out[536], of.bytes);
    boost::endian::store_little_u64(&out[540], of.at.address);
    boost::endian::store_little_u32(&out[548], of.at.key);
}
inline Message read(std::span<const std::uint8_t> in) {
    using boost::endian::load_little_u32;
    return {static_cast<Type>(in[0]),
            load_little_u32(&in[516]),
            load_little_u32(&in[520]),
            load_little_u32(&in[524]),
            {load_little_u32(&in[528]), load_little_u32(&in[532])},
            load_little_u32(&in[536]),
            {boost::endian::load_little_u64(&in[540]), load_little_u32(&in[548])}};
}

}  // namespace rnicsim::applications::tensor
