// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/record_hash.h"

#include <fmt/format.h>

#include <algorithm>

namespace rnicsim::runner {

void RecordHash::add(std::span<const std::byte> bytes) {
    constexpr std::uint64_t kPrime = 0x0000'0100'0000'01b3;
    while (!bytes.empty()) {
        std::uint64_t word = 0;
        const std::size_t taken = std::min(bytes.size(), sizeof word);
        std::memcpy(&word, bytes.data(), taken);
        bytes = bytes.subspan(taken);
        state_ = (state_ ^ word) * kPrime;
        state_ ^= state_ >> 32U;
    }
}

std::string RecordHash::text() const { return fmt::format("{:016x}", state_); }

}  // namespace rnicsim::runner
