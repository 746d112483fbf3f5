// SPDX-License-Identifier: Apache-2.0
// What the ends of an SMC-R connection tell each other (RFC 7609 appendix A), and where an end's memory has what.
#pragma once

#include "testbench/applications/end.h"

#include <boost/endian/conversion.hpp>

#include <cstdint>
#include <span>

namespace rnicsim::applications::smc {

// Areas, of both ends.
inline constexpr std::uint32_t kClcOut = 0, kClcIn = 1;      ///< a message of the stream each
inline constexpr std::uint32_t kSlotsOut = 2, kSlotsIn = 3;  ///< of messages by SEND
inline constexpr std::uint32_t kSending = 4, kRmb = 5;       ///< the rings
inline constexpr std::uint32_t kOut = 6, kIn = 7;            ///< the user's

/// Messages by SEND that are not complete, at most, and receive WQEs of each end: 16 in Linux.
inline constexpr std::uint32_t kSlots = 16;

/// The program's own: the bytes of a message lead it, and are not among those of the item.
inline constexpr std::uint32_t kHeader = 4;

/// Of connections, by TCP.
enum class Clc : std::uint8_t { proposal = 1, accept, confirm, decline };
inline constexpr std::uint32_t kClcHeader = 8, kClcMost = 68;
constexpr std::uint32_t bytes_of(Clc type) {
    if (type == Clc::proposal) return 52;
    return type == Clc::decline ? 28 : kClcMost;
}
/// `rmb`: of ACCEPT and CONFIRM.
inline void write(Clc type, const Remote& rmb, std::span<std::uint8_t> out) {
    boost::endian::store_big_u32(&out[0], 0xE2D4C3D9U);  // "SMCR" in EBCDIC
    out[4] = static_cast<std::uint8_t>(type);
    boost::endian::store_big_u16(&out[5], static_cast<std::uint16_t>(bytes_of(type)));
    out[7] = 0x10;  // version 1
    if (bytes_of(type) != kClcMost) return;
    boost::endian::store_big_u32(&out[41], rmb.key);
    boost::endian::store_big_u64(&out[52], rmb.address);
}
inline Clc type_of(std::span<const std::uint8_t> in) { return static_cast<Clc>(in[4]); }
inline std::uint32_t length_of(std::span<const std::uint8_t> in) { return boost::endian::load_big_u16(&in[5]); }
inline Remote rmb_of(std::span<const std::uint8_t> in) {
    return {boost::endian::load_big_u64(&in[52]), boost::endian::load_big_u32(&in[41])};
}

/// Of links (LLC) and of data (CDC), by SEND. Cursors count all bytes of a direction since its beginning.
inline constexpr std::uint32_t kMessage = 44;
struct Cdc {
    bool confirms_link = false;  ///< CONFIRM LINK, which has nothing more
    bool blocked = false;        ///< who sends waits for room
    std::uint64_t produced = 0;  ///< bytes that it has written
    std::uint64_t consumed = 0;  ///< ... that it has read, of the other direction
};
inline void write(const Cdc& of, std::span<std::uint8_t> out) {
    out[0] = of.confirms_link ? 0x01 : 0xFE;
    out[1] = kMessage;
    boost::endian::store_big_u64(&out[8], of.produced);
    boost::endian::store_big_u64(&out[16], of.consumed);
    out[24] = of.blocked ? 0x80 : 0x00;
}
inline Cdc read(std::span<const std::uint8_t> in) {
    return {in[0] == 0x01, in[24] != 0, boost::endian::load_big_u64(&in[8]), boost::endian::load_big_u64(&in[16])};
}

}  // namespace rnicsim::applications::smc
