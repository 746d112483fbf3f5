// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ring_core.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace rnicsim::nts {

using applications::Event;

namespace {

/// Who takes messages whose queue is bound sends, too: it tells of room.
bool any_sends(const Partition& of, unsigned side) {
    return std::ranges::any_of(of.members, [side](const Member& one) { return one.sends(side) || one.limit != 0; });
}
bool any_takes(const Partition& of, unsigned side) {
    return std::ranges::any_of(of.members, [side](const Member& one) { return one.takes(side) || one.limit != 0; });
}

}  // namespace

RingCore::RingCore(const NtsSettings& settings, std::shared_ptr<const Partition> partition, unsigned side)
    : program_(std::make_shared<const RingProgram>(settings.shape(), settings.rules())),
      partition_(std::move(partition)),
      side_(side),
      writes_(any_sends(*partition_, side)),
      reads_(any_takes(*partition_, side)),
      writer_(settings, *program_, *partition_),
      reader_(settings, *program_, *partition_, side) {}

void RingCore::tell_freed(std::uint32_t member, std::uint64_t taken, Actions& actions) {
    const std::uint32_t at = partition_->told_at(side_, member);
    boost::endian::store_little_u64(actions.memory({kUser, at}, kWord).data(), taken << 16U | member);
    writer_.send(partition_->size(), at, kWord, actions);
}

void RingCore::hear_freed(const RingReader::Whole& message, Actions& actions) {
    const std::uint64_t word = word_at(actions.memory({kUser, message.at}, kWord), 0);
    writer_.freed(static_cast<std::uint32_t>(word & 0xFFFFU), word >> 16U, actions);
}

void RingCore::start(Actions& actions) {
    if (writes_) writer_.start(actions);
    if (reads_) reader_.start(actions);
}

void RingCore::on(const Event& event, Actions& actions) {
    switch (event.what) {
        case Event::What::bytes: readable_ = true; break;
        case Event::What::read: came_by_stream(event.bytes, actions); break;
        case Event::What::sent:
            if (std::exchange(sends_, Sends::nobody) == Sends::writer) {
                writer_.sent(actions);
            } else {
                reader_.sent(actions);
            }
            break;
        case Event::What::closed: closed_ = true; break;
        default: called(static_cast<Tag>(event.tag), actions);
    }
}

/// A message and its frame are not torn apart.
void RingCore::send_next(Actions& actions) {
    if (closed_ || sends_ != Sends::nobody) return;
    std::optional<StreamPiece> piece;
    if (!writer_.is_inside()) piece = reader_.piece();
    sends_ = piece ? Sends::reader : Sends::writer;
    if (!piece) piece = writer_.piece();
    if (piece) return actions.stream_send(piece->at, piece->bytes);
    sends_ = Sends::nobody;
}

void RingCore::called(Tag tag, Actions& actions) {
    switch (tag) {
        case Tag::stored: return writer_.stored(actions);
        case Tag::pushed: return reader_.pushed(actions);
        case Tag::slot_changed: return reader_.slot_changed(actions);
        case Tag::reader_changed: return writer_.reader_changed(actions);
        case Tag::asked: return writer_.asked(actions);
        case Tag::answered: return reader_.answered(actions);
        case Tag::link_changed: return reader_.look(actions);
        case Tag::rung: return reader_.rung(actions);
        case Tag::taken: return reader_.taken(actions);
        case Tag::given:
        case Tag::came:
        case Tag::freed:
        case Tag::served: return;  // the connection's
    }
}

/// A frame, then its message, once the one before has been accepted.
void RingCore::read_stream(Actions& actions) {
    if (closed_ || !readable_ || reads_stream_ || !reader_.accepts()) return;
    readable_ = false;
    reads_stream_ = true;
    if (have_ < StreamFrame::kBytes)
        return actions.stream_receive({kOwn, OwnAt::kCame + have_}, StreamFrame::kBytes - have_);
    const std::uint32_t got = have_ - StreamFrame::kBytes;
    const Place at = reader_.stream_place(frame_);
    actions.stream_receive({at.area, at.offset + got}, frame_.bytes - got);
}

void RingCore::came_by_stream(std::uint32_t bytes, Actions& actions) {
    reads_stream_ = false;
    have_ += bytes;
    if (have_ == StreamFrame::kBytes) {
        frame_ = StreamFrame::read(actions.memory({kOwn, OwnAt::kCame}, StreamFrame::kBytes));
        if (!reader_.fits(frame_)) {
            actions.violates("a frame of the stream says " + std::to_string(frame_.bytes) + " bytes of connection " +
                             std::to_string(Schedule::member_in(frame_.tag)) + ", more than its message has left");
            frame_ = {};
        }
    }
    if (have_ < StreamFrame::kBytes || have_ != StreamFrame::kBytes + frame_.bytes) return;
    have_ = 0;
    if (frame_.bytes != 0) return reader_.streamed(frame_, actions);
    writer_.told(frame_.word, actions);
}

void RingCore::state(std::vector<std::uint64_t>& words) const {
    writer_.state(words);
    reader_.state(words);
    words.insert(words.end(),
                 {static_cast<std::uint64_t>(sends_), std::uint64_t{have_} << 3U | (closed_ ? 4U : 0U) |
                                                          (readable_ ? 2U : 0U) | (reads_stream_ ? 1U : 0U)});
}

}  // namespace rnicsim::nts
