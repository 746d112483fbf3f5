// SPDX-License-Identifier: Apache-2.0
// A slot of the sender's FIFO: where a message goes. Areas of both ends.
#pragma once

#include "testbench/applications/end.h"

#include <boost/endian/conversion.hpp>

#include <cstdint>
#include <span>

namespace rnicsim::applications::fifo {

// Areas, of both ends: a message of the stream, the FIFO, or what is written to it, and the users' buffers.
inline constexpr std::uint32_t kStream = 0, kFifo = 1, kBuffers = 2;

inline constexpr std::uint32_t kSlotBytes = 32;
/// By TCP, when the connection begins: where the FIFO is. (NCCL's is longer, and has an answer.)
inline constexpr std::uint32_t kHello = 16;

struct Slot {
    Remote place;
    std::uint32_t bytes = 0;   ///< of the receiver's buffer
    std::uint64_t number = 0;  ///< of the message, from 1 on
};

// Offsets as those of NCCL: address, size, key, number of receives, tag, index.
inline void write(const Slot& slot, std::span<std::uint8_t> out) {
    boost::endian::store_little_u64(&out[0], slot.place.address);
    boost::endian::store_little_u32(&out[8], slot.bytes);
    boost::endian::store_little_u32(&out[12], slot.place.key);
    boost::endian::store_little_u32(&out[16], 1);
    boost::endian::store_little_u32(&out[20], 0);
    boost::endian::store_little_u64(&out[24], slot.number);
}
inline Slot read(std::span<const std::uint8_t> in) {
    return {{boost::endian::load_little_u64(&in[0]), boost::endian::load_little_u32(&in[12])},
            boost::endian::load_little_u32(&in[8]),
            boost::endian::load_little_u64(&in[24])};
}

}  // namespace rnicsim::applications::fifo
