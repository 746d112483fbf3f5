// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/persistence/persist_recorder.h"

#include "model/rnic/rc/end/verbs_end.h"
#include "model/rnic/rc/send_queue.h"
#include "testbench/records/report_clock.h"
#include "testbench/workloads/messages/message_recorder.h"

#include <bit>

namespace rnicsim {

PersistRecorder::PersistRecorder(EventSink& sink, const VerbsLayout& layout, PersistObserver& next,
                                 const std::vector<LineObserver*>& lines)
    : sink_(sink), layout_(layout), next_(next), connections_(layout.persists.size()) {
    for (unsigned host = 0; host < lines.size(); ++host) hosts_.emplace_back(*this, host, lines[host]);
}

void PersistRecorder::attach(System& system) {
    for (const VerbsLayout::Connection& plan : layout_.persists) {
        for (const VerbsLayout::End& end : plan.ends) verbs_end(system, end.host).rnic.set_observer(&hosts_[end.host]);
        Host& there = hosts_[plan.ends[1].host];
        if (there.next != nullptr) verbs_end(system, there.host).host.persistence()->set_observer(&there);
    }
}

void PersistRecorder::connected(std::size_t connection, unsigned side, rc::Qpn qp, roce::Psn first,
                                std::uint32_t pmtu) {
    connections_[connection].ends.at(side) = {qp, first, first};
    connections_[connection].pmtu = pmtu;
    next_.connected(connection, side, qp, first, pmtu);
}

PersistStep PersistRecorder::step_of(PersistStep::Step step, std::size_t connection, std::uint32_t item) const {
    const VerbsLayout::Connection& plan = layout_.persists[connection];
    PersistStep is;
    is.step = step;
    is.sender = static_cast<std::uint16_t>(plan.ends[0].host);
    is.receiver = static_cast<std::uint16_t>(plan.ends[1].host);
    is.qp = plan.ends[0].qp;
    is.number = item;
    is.place = plan.ends[1].in.slot(item);
    return is;
}

void PersistRecorder::tell(PersistStep step, std::size_t connection, unsigned side, Time at, bool of_completion) {
    const unsigned host = layout_.persists[connection].ends.at(side).host;
    if (of_completion) step.cqe = hosts_[host].taken;
    sink_.event({.at = at, .since = current_time(), .end = static_cast<std::uint16_t>(host), .what = step}, {});
}

void PersistRecorder::message_posted(const PersistPost& post, Time begins) {
    Connection& c = connections_[post.connection];
    using enum PersistStep::Step;
    PersistStep::Step what = answers;
    if (post.side == 0) what = post.item < c.posted ? follows : posted;
    PersistStep step = step_of(what, post.connection, post.item);
    if (what == posted) ++c.posted;
    End& end = c.ends[post.side];
    step.verb = post.verb;
    step.bytes = post.bytes;
    step.from = end.qp;
    step.to = c.ends[1 - post.side].qp;
    step.first = end.next;
    step.packets = rc::packets_of(post.bytes, c.pmtu);
    step.first_of_qp = end.first;
    end.next = end.next + step.packets;
    tell(step, post.connection, post.side, begins, false);
    next_.message_posted(post, begins);
}

/// Of no item; those behind it have later PSNs.
void PersistRecorder::table_posted(std::size_t connection, std::span<const std::uint8_t> bytes) {
    Connection& c = connections_[connection];
    c.ends[1].next = c.ends[1].next + rc::packets_of(static_cast<std::uint32_t>(bytes.size()), c.pmtu);
    next_.table_posted(connection, bytes);
}

void PersistRecorder::message_taken(std::size_t connection, unsigned side, std::uint32_t item, Time now) {
    tell(step_of(PersistStep::Step::arrived, connection, item), connection, side, now, true);
    next_.message_taken(connection, side, item, now);
}

void PersistRecorder::flushes(std::size_t connection, std::uint32_t item, Time begins) {
    tell(step_of(PersistStep::Step::flushes, connection, item), connection, 1, begins, false);
    next_.flushes(connection, item, begins);
}

void PersistRecorder::told_written(std::size_t connection, std::uint32_t item, Time now) {
    tell(step_of(PersistStep::Step::written, connection, item), connection, 0, now, true);
    next_.told_written(connection, item, now);
}

void PersistRecorder::told_persisted(std::size_t connection, std::uint32_t item, Time now) {
    connections_[connection].persisted = item + 1;
    tell(step_of(PersistStep::Step::persisted, connection, item), connection, 0, now, true);
    next_.told_persisted(connection, item, now);
}

void PersistRecorder::failed(std::size_t connection, Time now) {
    Connection& c = connections_[connection];
    for (; c.persisted < c.posted; ++c.persisted)
        tell(step_of(PersistStep::Step::failed, connection, c.persisted), connection, 0, now, true);
    next_.failed(connection, now);
}

/// The latest that was posted there.
bool PersistRecorder::find_item(unsigned host, LineStep& step) const {
    const std::uint64_t byte = step.address + static_cast<std::uint64_t>(std::countr_zero(step.mask));
    for (std::size_t i = 0; i < connections_.size(); ++i) {
        const VerbsLayout::Connection& plan = layout_.persists[i];
        const VerbsLayout::Buffer& in = plan.ends[1].in;
        if (plan.ends[1].host != host || !in.has(byte)) continue;
        if (step.stored) return true;
        const auto item = in.latest(byte, connections_[i].posted);
        if (!item) return false;
        step.sender = static_cast<std::uint16_t>(plan.ends[0].host);
        step.qp = plan.ends[0].qp;
        step.item = *item;
        return true;
    }
    return false;
}

void PersistRecorder::Host::enters(WriteStage stage, LineStep step, Time at) {
    if (at == kEndOfTime) return;
    step.stage = stage;
    all_.sink_.event({.at = at, .since = current_time(), .end = static_cast<std::uint16_t>(host), .what = step}, {});
}

void PersistRecorder::Host::line_written(const LineWrite& write) {
    LineStep step;
    step.number = write.number;
    step.address = write.line * kLineBytes;
    step.mask = write.mask;
    step.stored = write.stored;
    if (write.scm && all_.find_item(host, step)) {
        if (!write.stored) enters(WriteStage::iio, step, write.posted);
        enters(WriteStage::llc, step, write.llc);
        enters(WriteStage::imc, step, write.adr);
        enters(WriteStage::scm, step, write.scm_done);
        if (write.adr == kEndOfTime) cached_[write.number] = step;
    }
    next->lines_written(std::span(&write, 1));
}

void PersistRecorder::Host::line_written_back(std::uint64_t number, Time adr, Time scm_done) {
    if (const auto found = cached_.find(number); found != cached_.end()) {
        enters(WriteStage::imc, found->second, adr);
        enters(WriteStage::scm, found->second, scm_done);
        cached_.erase(found);
    }
    next->line_written_back(number, adr, scm_done);
}

void PersistRecorder::Host::noted(rc::Qpn qp, rc::RcCount what) { all_.sink_.event(note_of(host, qp, what), {}); }

}  // namespace rnicsim
