// SPDX-License-Identifier: Apache-2.0
// A thread that runs a ring's sending program: messages of a partition's connections are cut into slots, each of which
// is a message of the ring. A slot's instructions go to the core at once. A value.
#pragma once

#include "testbench/applications/end.h"
#include "testbench/applications/nts/ring_sender.h"
#include "testbench/applications/nts/schedule.h"
#include "testbench/applications/nts/settings.h"
#include "testbench/applications/nts/stream_frame.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace rnicsim::nts {

using applications::Actions;
using applications::NtsSettings;
using applications::Place;
using applications::Store;

// Areas of both ends.
inline constexpr std::uint32_t kUser = 0;    ///< messages of the partition's connections: Member::at
inline constexpr std::uint32_t kRing = 1;    ///< what the other end stores to: RingShape::bytes()
inline constexpr std::uint32_t kOwn = 2;     ///< its own: by OwnAt
inline constexpr std::uint32_t kQueues = 3;  ///< of a shared partition: Member::entries_at

/// Places in kOwn.
struct OwnAt {
    static constexpr std::uint32_t kSenderLoads = 0, kReceiverLoads = 8;   ///< a word each
    static constexpr std::uint32_t kMessage = 16, kWord = 32, kCame = 48;  ///< a StreamFrame each
    static constexpr std::uint32_t kBytes = 64;
};

/// What an end's own calls carry.
enum class Tag : std::uint32_t {
    stored,
    pushed,
    taken,
    slot_changed,
    answered,
    reader_changed,
    asked,
    link_changed,
    rung,
    given,  ///< a connection has put a message into its queue: whose it is stands above kTagBits
    came,   ///< a message is in the connection's queue
    freed,  ///< ... has been taken from there; likewise
    served  ///< the program has done its work on a message
};
inline constexpr unsigned kTagBits = 8;
constexpr std::uint32_t number(Tag tag, std::uint32_t member = 0) {
    return static_cast<std::uint32_t>(tag) | member << kTagBits;
}

class RingWriter {
  public:
    /// `settings` and `program` outlive it.
    RingWriter(const NtsSettings& settings, const RingProgram& program, const Partition& partition)
        : settings_(&settings), shape_(&program.shape), sender_(program), schedule_(settings, partition) {}

    void start(Actions& actions) {
        if (actions.link() == applications::LinkState::down) sender_.begin_stopped();
        watch(actions, shape_->reader_at(), Tag::reader_changed);
        watch(actions, shape_->asked_at(), Tag::asked);
    }
    /// A member's message, in kUser.
    void send(std::uint32_t member, std::uint32_t at, std::uint32_t bytes, Actions& actions) {
        schedule_.add(member, at, bytes);
        go_on(actions);
    }
    /// The program at the other end has taken so many of a member's messages.
    void freed(std::uint32_t member, std::uint64_t taken, Actions& actions) {
        schedule_.freed(member, taken);
        go_on(actions);
    }
    /// Its stores are over, or its load.
    void stored(Actions& actions);
    /// The reader has said how far it is.
    void reader_changed(Actions& actions) { changed(actions, shape_->reader_at(), Tag::reader_changed, sees_.reader); }
    /// It wants the stream.
    void told(std::uint64_t word, Actions& actions) {
        sees_.told = word;
        go_on(actions);
    }
    /// What the stream is to take next: a message's frame, and then the message.
    std::optional<StreamPiece> piece();
    /// It is between these two.
    [[nodiscard]] bool is_inside() const { return pieces_ == 1; }
    /// The stream has taken it.
    void sent(Actions& actions) {
        busy_ = pieces_ != 0;
        go_on(actions);
    }
    /// ... or something else.
    void asked(Actions& actions) { changed(actions, shape_->asked_at(), Tag::asked, sees_.asked); }
    void state(std::vector<std::uint64_t>& words) const;

  private:
    static void watch(Actions& actions, std::uint32_t at, Tag tag) { actions.watch({kRing, at}, number(tag)); }
    void changed(Actions& actions, std::uint32_t at, Tag tag, std::uint64_t& seen);
    void go_on(Actions& actions);
    /// It goes to the core with those before it. False: those have to be over before.
    bool gives(const Instruction& what, Actions& actions);
    /// What takes a while; else it rests.
    void begins(const Instruction& what, Actions& actions);
    void forget_what_was_read();
    const Message* message();

    const NtsSettings* settings_;
    const RingShape* shape_;
    RingSender sender_;
    RingSender::Sees sees_;
    Schedule schedule_;
    std::deque<Message> slots_;  // that may be asked for
    std::uint64_t first_ = 0;    // the number of the first of them
    Message sends_;              // goes by the stream
    std::vector<Store> stores_;
    bool busy_ = false;         // the core has stores
    bool loads_ = false;        // ... or a load
    std::uint32_t pieces_ = 0;  // ... or the stream has so many to take
};

}  // namespace rnicsim::nts
