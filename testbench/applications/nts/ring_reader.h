// SPDX-License-Identifier: Apache-2.0
// A thread that runs a ring's receiving program: it copies what the program takes, and joins the slots of a user's
// message. A value.
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
    /// `settings` and `program` outlive it. `user_at`: where messages come in kUser, one of `most` bytes for each of
    /// `depth` numbers.
    RingReader(const NtsSettings& settings, const RingProgram& program, std::uint32_t user_at, std::uint32_t most,
               std::uint32_t depth)
        : settings_(&settings),
          shape_(&program.shape),
          receiver_(program),
          user_at_(user_at),
          most_(most),
          depth_(depth) {}

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
    /// The message that has come, which is in kUser: each once. look() afterwards.
    std::optional<RingWriter::Whole> whole() { return std::exchange(whole_, std::nullopt); }
    /// A message comes by the stream: where its bytes go.
    [[nodiscard]] Place stream_place() const { return {kUser, place().offset + got_}; }
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
    void add(std::uint32_t bytes, std::uint16_t tag);
    [[nodiscard]] Place place() const { return {kUser, user_at_ + operation_ % depth_ * most_}; }
    [[nodiscard]] Memory own(Actions& actions) const { return actions.memory({kRing, 0}, shape_->bytes()); }

    const NtsSettings* settings_;
    const RingShape* shape_;
    RingReceiver receiver_;
    std::uint32_t user_at_, most_, depth_;
    std::optional<std::uint32_t> watched_;  // what says that something has come
    std::vector<Store> stores_;
    std::uint32_t operation_ = 0;            // that is coming
    std::uint32_t got_ = 0;                  // bytes of it
    bool busy_ = false;                      // with a slot, or the core has stores
    bool loads_ = false;                     // ... or a load
    bool rung_ = false;                      // its doorbell
    bool tells_ = false, has_word_ = false;  // a word goes by the stream, and has not begun to
    std::optional<StreamFrame> streamed_;
    std::optional<RingWriter::Whole> whole_;
};

}  // namespace rnicsim::nts
