// SPDX-License-Identifier: Apache-2.0
// Who takes what comes through a ring: it looks at the length of the next slot, copies what is there, zeroes the length
// and, now and then, says how far it is. A value.
#pragma once

#include "testbench/applications/nts/ring_writer.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace rnicsim::nts {

class RingReader {
  public:
    /// A message that has come: it is in kUser.
    struct Message {
        std::uint32_t operation = 0;
        std::uint32_t at = 0, bytes = 0;
    };
    /// `settings` outlive it. `user_at`: where messages come in kUser, one of `most` bytes for each of `depth` numbers.
    RingReader(const NtsSettings& settings, std::uint32_t user_at, std::uint32_t most, std::uint32_t depth)
        : settings_(&settings), shape_(settings.shape()), user_at_(user_at), most_(most), depth_(depth) {}

    void start(Actions& actions) const { watch(actions); }
    /// The slot that it looks at has changed.
    void look(Actions& actions);
    /// It has been copied. The message, if that was its last one.
    std::optional<Message> taken(Actions& actions);
    void pushed(Actions& actions) {
        busy_ = false;
        look(actions);
    }
    void state(std::vector<std::uint64_t>& words) const;

  private:
    [[nodiscard]] std::uint32_t slot() const {
        return shape_.slot_at({}, static_cast<std::uint32_t>(read_ % shape_.slots));
    }
    void watch(Actions& actions) const { actions.watch({kRing, slot() + 4}, number(Tag::slot_changed)); }
    [[nodiscard]] Place place() const { return {kUser, user_at_ + operation_ % depth_ * most_}; }

    const NtsSettings* settings_;
    RingShape shape_;
    std::uint32_t user_at_, most_, depth_;
    std::uint64_t read_ = 0;       // slots, since the beginning
    std::uint64_t told_ = 0;       // of which the sender has been told
    std::uint32_t operation_ = 0;  // that is coming
    std::uint32_t got_ = 0;        // bytes of it
    bool busy_ = false;            // with a slot
};

}  // namespace rnicsim::nts
