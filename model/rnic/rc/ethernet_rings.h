// SPDX-License-Identifier: Apache-2.0
// What a driver and the Ethernet port of its card exchange through host memory: descriptors of what to send, buffers
// for frames that come, and what has come. Little-endian; the layout is ours.
#pragma once

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace rnicsim::rc {

struct EthernetRings {
    // Numbers of entries are powers of two.
    std::uint64_t descriptors = 0;
    std::uint32_t tx_entries = 0;
    std::uint64_t record = 0;  ///< the card writes there how many descriptors it has carried out, 4 B
    std::uint64_t buffers = 0;
    std::uint32_t rx_entries = 0;
    std::uint32_t buffer_bytes = 0;  ///< of each
    std::uint64_t arrivals = 0;      ///< one entry for each buffer
};

inline constexpr std::uint32_t kDescriptorBytes = 128;
inline constexpr std::uint32_t kArrivalBytes = 16;

/// A piece of payload, cut into frames with this header, each with its place in the stream.
struct TxDescriptor {
    struct Piece {
        std::uint64_t address = 0;
        std::uint32_t bytes = 0;
    };
    static constexpr std::size_t kMostHeader = 80;
    std::array<Piece, 2> pieces;  ///< of a ring of bytes that may end between them
    std::uint16_t segment = 0;    ///< payload of every frame but the last
    std::uint16_t header_bytes = 0;
    std::array<std::uint8_t, kMostHeader> header{};
    [[nodiscard]] std::uint32_t payload() const { return pieces[0].bytes + pieces[1].bytes; }
};

/// Precondition of both: kDescriptorBytes.
inline void write_descriptor(std::span<std::uint8_t> out, const TxDescriptor& d) {
    using namespace boost::endian;
    store_little_u64(&out[0], d.pieces[0].address);
    store_little_u32(&out[8], d.pieces[0].bytes);
    store_little_u32(&out[12], d.pieces[1].bytes);
    store_little_u64(&out[16], d.pieces[1].address);
    store_little_u16(&out[24], d.segment);
    store_little_u16(&out[26], d.header_bytes);
    std::ranges::copy(d.header, out.subspan(32).begin());
}
inline TxDescriptor read_descriptor(std::span<const std::uint8_t> bytes) {
    using namespace boost::endian;
    TxDescriptor d;
    d.pieces[0] = {load_little_u64(&bytes[0]), load_little_u32(&bytes[8])};
    d.pieces[1] = {load_little_u64(&bytes[16]), load_little_u32(&bytes[12])};
    d.segment = load_little_u16(&bytes[24]);
    d.header_bytes = std::min(load_little_u16(&bytes[26]), std::uint16_t{TxDescriptor::kMostHeader});
    std::ranges::copy(bytes.subspan(32, TxDescriptor::kMostHeader), d.header.begin());
    return d;
}

}  // namespace rnicsim::rc
