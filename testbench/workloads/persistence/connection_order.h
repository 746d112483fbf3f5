// SPDX-License-Identifier: Apache-2.0
// Which messages of a connection are safe although one before them is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace rnicsim {

/// Messages in the order in which they were posted. Those that are settled, safe for good, are counted only, with the
/// one before them that is not: as many are kept as are not settled.
class ConnectionOrder {
  public:
    /// A message that is not safe; posted behind all others.
    void post(std::uint64_t order);
    void becomes_safe(std::uint64_t order);
    void becomes_unsafe(std::uint64_t order);
    /// It is safe, and stays so.
    void settle(std::uint64_t order);

    [[nodiscard]] std::uint64_t inverted() const { return inverted_; }
    [[nodiscard]] std::size_t kept() const { return messages_.size(); }
    [[nodiscard]] bool may_post(std::uint64_t order) const { return order > last_; }

  private:
    struct Message {
        bool safe = false;
        std::uint64_t settled_behind = 0;  ///< up to the next one that is kept
    };
    using Messages = std::map<std::uint64_t, Message>;

    Messages messages_;
    Messages::iterator first_ = messages_.end();  // the first that is not safe
    std::uint64_t inverted_ = 0;                  // safe ones behind it
    std::uint64_t last_ = 0;
};

}  // namespace rnicsim
