// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/messages/message_recorder.h"

#include "tlm/wakeup.h"

namespace rnicsim {

MessageRecorder::MessageRecorder(EventSink& sink, VerbsObserver& next, const VerbsLayout& layout,
                                 const std::vector<rc::RcObserver*>& cards)
    : sink_(sink), next_(next), layout_(layout), ends_(layout.connections.size()) {
    for (unsigned host = 0; host < cards.size(); ++host) cards_.emplace_back(sink, host, *cards[host]);
}

void MessageRecorder::connected(std::size_t connection, unsigned side, rc::Qpn qp) {
    ends_[connection].at(side).qp = qp;
    next_.connected(connection, side, qp);
}

MessageStep MessageRecorder::step_of(MessageStep::Step step, std::size_t connection, unsigned sender,
                                     std::uint32_t number) const {
    const VerbsLayout::Connection& plan = layout_.connections[connection];
    MessageStep is;
    is.step = step;
    is.sender = static_cast<std::uint16_t>(plan.ends.at(sender).host);
    is.receiver = static_cast<std::uint16_t>(plan.ends.at(1 - sender).host);
    is.qp = plan.ends.at(sender).qp;
    is.number = number;
    is.from = ends_[connection].at(sender).qp;
    is.to = ends_[connection].at(1 - sender).qp;
    return is;
}

void MessageRecorder::tell(const MessageStep& step, std::size_t connection, unsigned at, Time when) {
    const unsigned host = layout_.connections[connection].ends.at(at).host;
    sink_.event({.at = when, .since = current_time(), .end = static_cast<std::uint16_t>(host), .what = step}, {});
}

void MessageRecorder::posted(const PostedMessage& message, Time begins) {
    MessageStep step = step_of(MessageStep::Step::posted, message.connection, message.side, message.number);
    step.verb = message.verb;
    step.bytes = message.bytes;
    step.first = message.first;
    if (message.number == 0) ends_[message.connection].at(message.side).first = message.first;
    step.first_of_qp = ends_[message.connection].at(message.side).first;
    step.packets = message.packets;
    step.place = message.place;
    if (rc::takes_receive(message.verb)) ends_[message.connection].at(message.side).takers.push_back(message.number);
    tell(step, message.connection, message.side, begins);
    next_.posted(message, begins);
}

void MessageRecorder::completed(std::size_t connection, unsigned side, const rc::Completion& completion, Time now) {
    const bool failed = completion.status != rc::Status::success;
    if (!completion.receive) {
        // It stands for those before it that were not signaled.
        std::uint32_t& done = ends_[connection].at(side).completed;
        for (; done < completion.index + (failed ? 0 : 1); ++done)
            tell(step_of(MessageStep::Step::completed, connection, side, done), connection, side, now);
        done = completion.index + 1;
        MessageStep step = step_of(MessageStep::Step::failed, connection, side, completion.index);
        step.status = completion.status;
        if (failed) tell(step, connection, side, now);
    } else if (!failed && layout_.connections[connection].reliable) {  // else it may be of another message, or of none
        const std::uint32_t message = ends_[connection].at(1 - side).takers.at(ends_[connection].at(side).received++);
        tell(step_of(MessageStep::Step::arrived, connection, 1 - side, message), connection, side, now);
    }
    next_.completed(connection, side, completion, now);
}

void MessageRecorder::seen(std::size_t connection, unsigned side, std::uint32_t number, Time now) {
    tell(step_of(MessageStep::Step::arrived, connection, 1 - side, number), connection, side, now);
    next_.seen(connection, side, number, now);
}

LoggedEvent note_of(unsigned host, rc::Qpn qp, rc::RcCount what) {
    const Time now = current_time();
    return {.at = now, .since = now, .end = static_cast<std::uint16_t>(host), .what = QpNote{.qp = qp, .what = what}};
}

void MessageRecorder::Card::noted(rc::Qpn qp, rc::RcCount what) {
    sink_.event(note_of(host_, qp, what), {});
    next_.noted(qp, what);
}

}  // namespace rnicsim
