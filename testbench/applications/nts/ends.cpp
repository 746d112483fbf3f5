// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ends.h"

#include <optional>
#include <utility>

namespace rnicsim::nts {

using applications::Event;
using applications::Outcome;

RingEnd::RingEnd(const TrafficConfig& item, bool writes, bool reads)
    : settings_(&applications::nts_of(item)),
      program_(std::make_shared<const RingProgram>(settings_->shape(), settings_->rules())),
      most_(item.size),
      depth_(item.verbs.depth),
      writes_(writes),
      reads_(reads),
      writer_(*settings_, *program_),
      reader_(*settings_, *program_, writes ? depth_ * most_ : 0, most_, depth_) {}

void RingEnd::start(Actions& actions) {
    if (writes_) writer_.start(actions);
    if (reads_) reader_.start(actions);
}

void RingEnd::on(const Event& event, Actions& actions) {
    switch (event.what) {
        case Event::What::asked: asked(event, actions); break;
        case Event::What::bytes: readable_ = true; break;
        case Event::What::read: came_by_stream(event.bytes, actions); break;
        case Event::What::sent:
            if (std::exchange(sends_, Sends::nobody) == Sends::writer) {
                writer_.sent(actions);
            } else {
                reader_.sent(actions);
            }
            break;
        default: called(static_cast<Tag>(event.tag), actions);
    }
    give(actions);
    read_stream(actions);
    send_next(actions);
}

/// A message and its frame are not torn apart.
void RingEnd::send_next(Actions& actions) {
    if (sends_ != Sends::nobody) return;
    std::optional<StreamPiece> piece;
    if (!writer_.is_inside()) piece = reader_.piece();
    sends_ = piece ? Sends::reader : Sends::writer;
    if (!piece) piece = writer_.piece();
    if (piece) return actions.stream_send(piece->at, piece->bytes);
    sends_ = Sends::nobody;
}

void RingEnd::called(Tag tag, Actions& actions) {
    switch (tag) {
        case Tag::stored: return writer_.stored(actions);
        case Tag::pushed: return reader_.pushed(actions);
        case Tag::slot_changed: return reader_.slot_changed(actions);
        case Tag::reader_changed: return writer_.reader_changed(actions);
        case Tag::asked: return writer_.asked(actions);
        case Tag::answered: return reader_.answered(actions);
        case Tag::link_changed: return reader_.look(actions);
        case Tag::rung: return reader_.rung(actions);
        case Tag::taken:
            reader_.taken(actions);
            give(actions);
            return reader_.look(actions);
    }
}

/// What has come to its user; then it looks further.
void RingEnd::give(Actions& actions) {
    while (const std::optional<RingWriter::Whole> message = reader_.whole()) {
        came(*message, actions);
        reader_.look(actions);
    }
}

/// A frame, then its message, once the one before has been accepted.
void RingEnd::read_stream(Actions& actions) {
    if (!readable_ || reads_stream_ || !reader_.accepts()) return;
    readable_ = false;
    reads_stream_ = true;
    if (have_ < StreamFrame::kBytes)
        return actions.stream_receive({kOwn, OwnAt::kCame + have_}, StreamFrame::kBytes - have_);
    const std::uint32_t got = have_ - StreamFrame::kBytes;
    const Place at = reader_.stream_place();
    actions.stream_receive({at.area, at.offset + got}, frame_.bytes - got);
}

void RingEnd::came_by_stream(std::uint32_t bytes, Actions& actions) {
    reads_stream_ = false;
    have_ += bytes;
    if (have_ == StreamFrame::kBytes)
        frame_ = StreamFrame::read(actions.memory({kOwn, OwnAt::kCame}, StreamFrame::kBytes));
    if (have_ < StreamFrame::kBytes || have_ != StreamFrame::kBytes + frame_.bytes) return;
    have_ = 0;
    if (frame_.bytes != 0) return reader_.streamed(frame_, actions);
    writer_.told(frame_.word, actions);
}

void RingEnd::state(std::vector<std::uint64_t>& words) const {
    writer_.state(words);
    reader_.state(words);
    words.insert(words.end(), {static_cast<std::uint64_t>(sends_),
                               std::uint64_t{have_} << 2U | (readable_ ? 2U : 0U) | (reads_stream_ ? 1U : 0U)});
}

Sender::Sender(const TrafficConfig& item) : RingEnd(item, true, applications::nts_of(item).answer) {}

void Sender::asked(const Event& event, Actions& actions) {
    const std::uint32_t at = place_of(event.tag);
    actions.produce({kUser, at}, event.bytes, event.tag);
    writer().send({event.tag, at, event.bytes}, actions);
}

/// The answer.
void Sender::came(const RingWriter::Whole& message, Actions& actions) {
    actions.check({kUser, message.at}, message.bytes, message.operation);
    actions.ended(message.operation, Outcome::complete);
}

Receiver::Receiver(const TrafficConfig& item) : RingEnd(item, applications::nts_of(item).answer, true) {}

void Receiver::came(const RingWriter::Whole& message, Actions& actions) {
    actions.check({kUser, message.at}, message.bytes, message.operation);
    actions.mark(message.operation, static_cast<unsigned>(Part::there));
    if (!settings().answer) return actions.ended(message.operation, Outcome::complete);
    writer().send({message.operation, message.at, message.bytes}, actions);
}

}  // namespace rnicsim::nts
