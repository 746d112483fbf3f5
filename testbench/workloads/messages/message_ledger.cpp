// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/messages/message_ledger.h"

#include "testbench/kits/rc/verbs_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace rnicsim {
namespace {

std::int64_t& part(Sample::Parts& parts, MessagePart which) { return parts.at(static_cast<std::size_t>(which)); }

}  // namespace

MessageLedger::MessageLedger(const RunConfig& config, const VerbsLayout& layout, VerbsObserver& next)
    : layout_(layout), next_(next), connections_(layout.connections.size()) {
    for (std::size_t i = 0; i < config.names.size(); ++i) cards_.emplace_back(*this);
    for (std::size_t i = 0; i < connections_.size(); ++i) {
        const TrafficConfig& item = config.traffic[layout.connections[i].item];
        Connection& c = connections_[i];
        c.in_turn = in_turn(item);
        c.messages = item.transfers;
        // Those under way, and in turn the one before, which its receiver may see later than its sender is done.
        for (Queue& queue : c.queues) queue.messages.resize(item.verbs.under_way() + 1);
    }
}

std::vector<rc::RcObserver*> MessageLedger::cards() {
    std::vector<rc::RcObserver*> all;
    for (Card& card : cards_) all.push_back(&card);
    return all;
}

void MessageLedger::connected(std::size_t connection, unsigned side, rc::Qpn qp) {
    std::vector<Place>& places = cards_[layout_.connections[connection].ends.at(side).host].by_qp;
    if (qp.n >= places.size()) places.resize(qp.n + 1);
    places[qp.n] = {connection, side};
    next_.connected(connection, side, qp);
}

void MessageLedger::posted(const PostedMessage& message, Time begins) {
    Message& of = connections_[message.connection].queues.at(message.side).at(message.number);
    of = Message{};
    of.called = begins;
    next_.posted(message, begins);
}

MessageLedger::Queue& MessageLedger::Card::queue(rc::Qpn qp) const {
    const Place& place = by_qp[qp.n];
    return all_.connections_[place.connection].queues.at(place.side);
}

void MessageLedger::Card::reached(rc::Qpn qp, rc::Stage stage, std::uint32_t end, Time at) {
    Queue& of = queue(qp);
    std::uint32_t& done = of.reached.at(static_cast<std::size_t>(stage));
    for (; done != end; ++done) {
        Message& message = of.at(done);
        switch (stage) {
            case rc::Stage::posted: message.posted = at; break;
            case rc::Stage::fetched: message.fetched = at; break;
            case rc::Stage::begun: message.begun = at; break;
            case rc::Stage::ended: of.answer(message, at); break;
        }
    }
}

void MessageLedger::Queue::answer(Message& message, Time at) {
    // In turn the first counts: its receiver has seen it, or its sender hears so. A card says at once what will be.
    if (message.answered != Time{} && message.answered <= at) return;
    message.answered = at;
    message.retransmission = message.rnr = 0;
    for (const Trouble& trouble : troubles) {
        const Time from = std::max(trouble.from, message.begun), to = std::min(trouble.to, at);
        if (from >= to) continue;
        (trouble.rnr ? message.rnr : message.retransmission) += (to - from).ps;
    }
    // Later messages have begun later.
    std::erase_if(troubles, [&](const Trouble& trouble) { return trouble.to <= message.begun; });
}

void MessageLedger::Card::progressed(rc::Qpn qp, bool again, Time at) {
    Queue& of = queue(qp);
    of.progressed = at;
    if (!of.in_trouble() || again) return;
    of.troubles.back().to = at;
}

/// Whatever it was that did not come, nothing has since the last progress.
void MessageLedger::Card::goes_back(rc::Qpn qp, Time not_before, Time at) {
    Queue& of = queue(qp);
    if (not_before > at) {  // an RNR NAK is an answer: before it nothing was lost
        if (of.in_trouble()) of.troubles.back().to = at;
        of.troubles.push_back({at, not_before, true});
        of.troubles.push_back({not_before, kEndOfTime, false});
    } else if (!of.in_trouble()) {
        const Time behind = of.troubles.empty() ? Time{} : of.troubles.back().to;
        of.troubles.push_back({std::max(of.progressed, behind), kEndOfTime, false});
    }
}

/// In turn: the message is over when its receiver sees it.
void MessageLedger::receiver_saw(std::size_t connection, unsigned sender, Time now) {
    Connection& c = connections_[connection];
    if (!c.in_turn) return;
    Queue& queue = c.queues.at(sender);
    queue.answer(queue.at(queue.seen++), now);
}

void MessageLedger::completed(std::size_t connection, unsigned side, const rc::Completion& completion, Time now) {
    if (completion.receive && completion.status == rc::Status::success) receiver_saw(connection, 1 - side, now);
    next_.completed(connection, side, completion, now);
}

void MessageLedger::seen(std::size_t connection, unsigned side, std::uint32_t number, Time now) {
    receiver_saw(connection, 1 - side, now);
    next_.seen(connection, side, number, now);
}

void MessageLedger::ended(std::size_t connection, std::uint32_t messages, Time now) {
    Connection& c = connections_[connection];
    for (; c.ended < messages; ++c.ended) {
        Sample& sample = c.samples[c.ended];
        Sample::Parts& parts = sample.parts;
        const auto add = [&](const Message& m, Time end) {
            part(parts, MessagePart::post) += (m.posted - m.called).ps;
            part(parts, MessagePart::fetch) += (m.fetched - m.posted).ps;
            part(parts, MessagePart::queue) += (m.begun - m.fetched).ps;
            part(parts, MessagePart::retransmission) += m.retransmission;
            part(parts, MessagePart::rnr) += m.rnr;
            part(parts, MessagePart::wire) += (m.answered - m.begun).ps - m.retransmission - m.rnr;
            part(parts, MessagePart::completion) += (end - m.answered).ps;
        };
        const Message& asked = c.queues[0].at(c.ended);
        if (!c.in_turn) {
            add(asked, now);
            check(sample);
            continue;
        }
        const Message& answer = c.queues[1].at(c.ended);
        add(asked, answer.called);
        add(answer, now);
        // Half of it, as the sample is; the wire takes what is rounded.
        const std::int64_t half = std::reduce(parts.begin(), parts.end()) / 2;
        for (std::int64_t& ps : parts) ps /= 2;
        part(parts, MessagePart::wire) += half - std::reduce(parts.begin(), parts.end());
        check(sample);
    }
    next_.ended(connection, messages, now);
}

void MessageLedger::record_in(std::span<Sample> samples) {
    for (Connection& c : connections_) {
        c.samples = samples.first(c.messages);
        samples = samples.subspan(c.messages);
    }
}

void MessageLedger::check(const Sample& of) {
    const bool negative = std::ranges::any_of(of.parts, [](std::int64_t ps) { return ps < 0; });
    if (!negative && std::reduce(of.parts.begin(), of.parts.end()) == of.took().ps) return;
    if (!violation_.empty()) return;
    violation_ = fmt::format("the parts of a message's time do not add up: q{}.{} of host {}, {} ps: {}", of.qp, of.id,
                             of.initiator, of.took().ps, fmt::join(of.parts, ", "));
}

}  // namespace rnicsim
