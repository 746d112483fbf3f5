// SPDX-License-Identifier: Apache-2.0
// Who sends through a ring: a slot after the other is filled in the other end's memory while there is room. A value.
#pragma once

#include "testbench/applications/end.h"
#include "testbench/applications/nts/settings.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace rnicsim::nts {

using applications::Actions;
using applications::NtsSettings;
using applications::Place;
using applications::Store;

// Areas of both ends.
inline constexpr std::uint32_t kUser = 0;  ///< the user's messages that go, then those that come
inline constexpr std::uint32_t kRing = 1;  ///< what the other end stores to: slots, and how far it has read

/// What an end's own calls carry.
enum class Tag : std::uint32_t { stored, pushed, taken, slot_changed, reader_changed, reader_seen };
constexpr std::uint32_t number(Tag tag) { return static_cast<std::uint32_t>(tag); }

class RingWriter {
  public:
    struct Message {
        std::uint32_t operation = 0;
        std::uint32_t at = 0, bytes = 0;  ///< in kUser
    };
    /// `settings` outlive it.
    explicit RingWriter(const NtsSettings& settings) : settings_(&settings), shape_(settings.shape()) {}

    void start(Actions& actions) const { watch(actions); }
    void send(const Message& message, Actions& actions) {
        waiting_.push_back(message);
        go_on(actions);
    }
    /// A slot's stores are over.
    void stored(Actions& actions);
    /// The reader has said how far it is.
    void reader_changed(Actions& actions) {
        watch(actions);
        look(actions);
    }
    /// At how far it is.
    void look(Actions& actions);
    void state(std::vector<std::uint64_t>& words) const;

  private:
    void watch(Actions& actions) const { actions.watch({kRing, shape_.reader_at()}, number(Tag::reader_changed)); }
    [[nodiscard]] bool has_room() const;
    void go_on(Actions& actions);

    const NtsSettings* settings_;
    RingShape shape_;
    std::deque<Message> waiting_;
    std::uint32_t sent_ = 0;     // bytes of the first of them
    std::uint64_t written_ = 0;  // slots, since the beginning
    std::uint64_t reader_ = 0;   // of which these have been read, as it knows
    bool stores_ = false;        // a slot is being filled
};

}  // namespace rnicsim::nts
