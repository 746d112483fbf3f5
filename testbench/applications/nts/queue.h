// SPDX-License-Identifier: Apache-2.0
// A queue in memory that two programs of a host share: one puts messages, the other one takes them. A word says how
// many have been taken, then comes one for each message of a connection that can be under way; one that is not 0 is
// full. A value, at one of its ends.
#pragma once

#include "testbench/applications/end.h"
#include "testbench/applications/nts/ring.h"

#include <boost/endian/conversion.hpp>

#include <cstdint>
#include <optional>

namespace rnicsim::nts {

class Queue {
  public:
    struct Entry {
        std::uint32_t at = 0, bytes = 0;  ///< of a message, at least one, less than 2^31
        bool is_lost = false;             ///< there was no room for it
    };
    /// For so many messages.
    [[nodiscard]] static constexpr std::uint64_t bytes(std::uint32_t depth) {
        return (std::uint64_t{depth} + 1) * kWord;
    }
    /// `at`: its first byte.
    Queue(applications::Place at, std::uint32_t depth) : at_(at), depth_(depth) {}

    /// Precondition: fewer than `depth` are in it.
    void put(const Entry& entry, applications::Actions& actions) {
        boost::endian::store_little_u64(
            next(actions), std::uint64_t{entry.is_lost} << 63U | std::uint64_t{entry.bytes} << 32U | entry.at);
        ++count_;
        if (!entry.is_lost) ++put_;
    }
    /// For who puts: messages that are in it.
    [[nodiscard]] std::uint64_t waiting(applications::Actions& actions) const {
        return put_ - boost::endian::load_little_u64(actions.memory(at_, kWord).data());
    }
    std::optional<Entry> take(applications::Actions& actions) {
        std::uint8_t* const place = next(actions);
        const std::uint64_t word = boost::endian::load_little_u64(place);
        if (word == 0) return std::nullopt;
        boost::endian::store_little_u64(place, 0);
        ++count_;
        const Entry entry{static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32U & 0x7FFF'FFFFU),
                          word >> 63U != 0};
        if (!entry.is_lost) boost::endian::store_little_u64(actions.memory(at_, kWord).data(), ++taken_);
        return entry;
    }
    /// For who takes: messages, so far.
    [[nodiscard]] std::uint64_t taken() const { return taken_; }
    /// That it has put, or taken, lost ones as well.
    [[nodiscard]] std::uint32_t count() const { return count_; }

  private:
    [[nodiscard]] std::uint8_t* next(applications::Actions& actions) const {
        return actions.memory({at_.area, at_.offset + (1 + count_ % depth_) * kWord}, kWord).data();
    }

    applications::Place at_;
    std::uint32_t depth_, count_ = 0;
    std::uint64_t put_ = 0, taken_ = 0;
};

}  // namespace rnicsim::nts
