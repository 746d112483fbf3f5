// SPDX-License-Identifier: Apache-2.0
// What goes by the stream of a ring whose link is down: a message, or a word.
#pragma once

#include "testbench/applications/end.h"

#include <boost/endian/conversion.hpp>

#include <cstdint>
#include <span>

namespace rnicsim::nts {

struct StreamFrame {
    static constexpr std::uint32_t kBytes = 16;

    std::uint32_t bytes = 0;  ///< of the message that follows; 0: it is a word
    std::uint16_t tag = 0;    ///< of the message
    std::uint64_t word = 0;

    void write(std::span<std::uint8_t> to) const {
        boost::endian::store_little_u64(to.data(), std::uint64_t{tag} << 32U | bytes);
        boost::endian::store_little_u64(&to[sizeof word], word);
    }
    [[nodiscard]] static StreamFrame read(std::span<const std::uint8_t> from) {
        const std::uint64_t first = boost::endian::load_little_u64(from.data());
        return {static_cast<std::uint32_t>(first), static_cast<std::uint16_t>(first >> 32U),
                boost::endian::load_little_u64(&from[sizeof word])};
    }
};

/// Bytes for a call of the stream: it takes one at a time.
struct StreamPiece {
    applications::Place at;
    std::uint32_t bytes = 0;
};

}  // namespace rnicsim::nts
