// SPDX-License-Identifier: Apache-2.0
// A queue in memory that two programs of a host share: one puts messages, the other one takes them. It has a word for
// each message of a connection that can be under way; one that is not 0 is full. A value, at one of its ends.
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
        std::uint32_t at = 0, bytes = 0;  ///< of a message, at least one
    };
    /// `at`: its first word; `depth`: words.
    Queue(applications::Place at, std::uint32_t depth) : at_(at), depth_(depth) {}

    /// Precondition: it has room.
    void put(const Entry& entry, applications::Actions& actions) {
        boost::endian::store_little_u64(next(actions), std::uint64_t{entry.bytes} << 32U | entry.at);
        ++count_;
    }
    std::optional<Entry> take(applications::Actions& actions) {
        std::uint8_t* const place = next(actions);
        const std::uint64_t word = boost::endian::load_little_u64(place);
        if (word == 0) return std::nullopt;
        boost::endian::store_little_u64(place, 0);
        ++count_;
        return Entry{static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32U)};
    }
    /// That it has put, or taken.
    [[nodiscard]] std::uint32_t count() const { return count_; }

  private:
    [[nodiscard]] std::uint8_t* next(applications::Actions& actions) const {
        return actions.memory({at_.area, at_.offset + count_ % depth_ * kWord}, kWord).data();
    }

    applications::Place at_;
    std::uint32_t depth_, count_ = 0;
};

}  // namespace rnicsim::nts
