// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ends.h"

#include <optional>

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

void RingEnd::on(const Event& event, Actions& actions) {
    if (event.what == Event::What::asked) return asked(event, actions);
    switch (static_cast<Tag>(event.tag)) {
        case Tag::stored: return writer_.stored(actions);
        case Tag::pushed: return reader_.pushed(actions);
        case Tag::slot_changed: return reader_.slot_changed(actions);
        case Tag::reader_changed: return writer_.reader_changed(actions);
        case Tag::asked: return writer_.asked(actions);
        case Tag::answered: return reader_.answered(actions);
        case Tag::link_changed: return reader_.look(actions);
        case Tag::rung: return reader_.rung(actions);
        case Tag::taken: break;
    }
    if (const std::optional<RingWriter::Whole> message = reader_.taken(actions)) came(*message, actions);
    reader_.look(actions);
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
