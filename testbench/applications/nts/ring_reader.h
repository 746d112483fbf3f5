// SPDX-License-Identifier: Apache-2.0
// A thread that runs a ring's receiving program: it copies what the program takes, and joins the slots of a
// connection's message. A value.
#pragma once

#include "testbench/applications/nts/ring_receiver.h"
#include "testbench/applications/nts/ring_writer.h"
#include "testbench/applications/nts/stream_frame.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace rnicsim::nts {

class RingReader {
  public:
    /// A message that has come, in kUser.
    struct Whole {
        std::uint32_t member = 0;
        std::uint32_t at = 0, bytes = 0;
    };
    /// `settings` and `program` outlive it. `side`: of its host.
    RingReader(const NtsSettings& settings, const RingProgram& program, const Partition& partition, unsigned side);

    void start(Actions& actions);
    /// At what has come, or has changed.
    void look(Actions& actions);
    /// The slot that it looks at has changed.
    void slot_changed(Actions& actions) {
        watched_.reset();
        look(actions);
    }
    void rung(Actions& actions) {
        rung_ = true;
        look(actions);
    }
    /// The other end has said something.
    void answered(Actions& actions);
    /// It has been copied.
    void taken(Actions& actions);
    /// The message that has come: each once. look() afterwards.
    std::optional<Whole> whole() { return std::exchange(whole_, std::nullopt); }
    /// A slot's part of a message comes by the stream: where it goes.
    [[nodiscard]] Place stream_place(const StreamFrame& frame) const { return lane(frame.tag).next(); }
    /// Is there a message that it can be a part of?
    [[nodiscard]] bool fits(const StreamFrame& frame) const {
        if (frame.bytes == 0) return true;  // a word
        const std::uint32_t member = Schedule::member_in(frame.tag);
        return member < lanes_.size() && lanes_[member].got + frame.bytes <= lanes_[member].most;
    }
    /// ... it is there, and no other one comes before accepts().
    void streamed(const StreamFrame& frame, Actions& actions) {
        streamed_ = frame;
        look(actions);
    }
    [[nodiscard]] bool accepts() const { return !streamed_; }
    /// What the stream is to take next: a word.
    std::optional<StreamPiece> piece() {
        if (!std::exchange(has_word_, false)) return std::nullopt;
        return StreamPiece{{kOwn, OwnAt::kWord}, StreamFrame::kBytes};
    }
    /// The stream has taken it.
    void sent(Actions& actions) {
        tells_ = false;
        look(actions);
    }
    /// Its stores are over, or its load.
    void pushed(Actions& actions);
    void state(std::vector<std::uint64_t>& words) const;

  private:
    void watch(Actions& actions);
    [[nodiscard]] Time unseen(Actions& actions) const;
    /// False: there is nothing more to do now.
    bool does(const Instruction& what, Actions& actions);
    void take(Actions& actions);
    void tell(std::uint64_t word, Actions& actions);
    void add(std::uint32_t bytes, std::uint16_t tag, Actions& actions);
    /// Where messages of a member come: one of `most` bytes for each of `depth` numbers.
    struct Lane {
        std::uint32_t at = 0, most = 0, depth = 0;
        std::uint32_t message = 0;  // that is coming
        std::uint32_t got = 0;      // bytes of it
        [[nodiscard]] std::uint32_t begin() const { return at + message % depth * most; }
        [[nodiscard]] Place next() const { return {kUser, begin() + got}; }
    };
    [[nodiscard]] const Lane& lane(std::uint16_t tag) const { return lanes_.at(Schedule::member_in(tag)); }
    [[nodiscard]] Memory own(Actions& actions) const { return actions.memory({kRing, 0}, shape_->bytes()); }

    const NtsSettings* settings_;
    const RingShape* shape_;
    RingReceiver receiver_;
    std::vector<Lane> lanes_;               // by member
    std::optional<std::uint32_t> watched_;  // what says that something has come
    std::vector<Store> stores_;
    bool busy_ = false;                      // with a slot, or the core has stores
    bool loads_ = false;                     // ... or a load
    bool rung_ = false;                      // its doorbell
    bool tells_ = false, has_word_ = false;  // a word goes by the stream, and has not begun to
    std::optional<StreamFrame> streamed_;
    std::optional<Whole> whole_;
};

}  // namespace rnicsim::nts
