// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/program_recorder.h"

#include "model/rnic/rc/qp_table.h"
#include "model/rnic/rc/send_queue.h"
#include "testbench/kits/rc/verbs_observer.h"
#include "testbench/programs/server/body.h"
#include "testbench/records/report_clock.h"
#include "testbench/workloads/messages/message_recorder.h"

#include <infiniband/verbs.h>

#include <algorithm>
#include <optional>

namespace rnicsim::programs {
namespace {

using What = VerbsCall::What;

/// Nothing: it is no call that a program knows of.
std::optional<What> what_of(Op op) {
    switch (op) {
        case Op::query_device: return What::query_device;
        case Op::alloc_pd: return What::alloc_pd;
        case Op::free_pd: return What::dealloc_pd;
        case Op::register_memory: return What::reg_mr;
        case Op::reregister_memory: return What::rereg_mr;
        case Op::free_memory: return What::dereg_mr;
        case Op::create_channel: return What::create_comp_channel;
        case Op::destroy_channel: return What::destroy_comp_channel;
        case Op::create_cq: return What::create_cq;
        case Op::resize_cq: return What::resize_cq;
        case Op::destroy_cq: return What::destroy_cq;
        case Op::arm: return What::req_notify_cq;
        case Op::poll: return What::poll_cq;
        case Op::create_srq: return What::create_srq;
        case Op::modify_srq: return What::modify_srq;
        case Op::query_srq: return What::query_srq;
        case Op::destroy_srq: return What::destroy_srq;
        case Op::create_qp: return What::create_qp;
        case Op::modify_qp: return What::modify_qp;
        case Op::query_qp: return What::query_qp;
        case Op::destroy_qp: return What::destroy_qp;
        case Op::post_send: return What::post_send;
        case Op::post_receive: return What::post_recv;
        case Op::post_srq_receive: return What::post_srq_recv;
        case Op::async_events: return What::open_device;
        case Op::wait: return What::wait;
        case Op::cm_command: return What::rdma_cm;
        default: return {};
    }
}

bool is_about_a_qp(Op op) {
    return op == Op::modify_qp || op == Op::query_qp || op == Op::destroy_qp || op == Op::post_send ||
           op == Op::post_receive;
}

std::uint32_t ordinal_of(std::uint32_t qpn) { return rc::QpTable::ordinal(rc::Qpn{qpn}); }

}  // namespace

ProgramRecorder::ProgramRecorder(EventSink& sink, unsigned hosts) : sink_(sink) {
    for (unsigned host = 0; host < hosts; ++host) cards_.emplace_back(sink, host);
}

void ProgramRecorder::Card::noted(rc::Qpn qp, rc::RcCount what) { sink_.event(note_of(host_, qp, what), {}); }

void ProgramRecorder::tell(unsigned host, Time begins, Time ends, const decltype(LoggedEvent::what)& what) {
    sink_.event({.at = ends, .since = begins, .end = static_cast<std::uint16_t>(host), .what = what}, {});
}

void ProgramRecorder::begins(const Program& program) {
    ProgramBegins what{.program = program.number};
    std::ranges::copy(program.name.substr(0, what.letters.size() - 1), what.letters.begin());
    tell(program.host, current_time(), current_time(), what);
}

void ProgramRecorder::told(const Program& program, const Asked& asked, const Posts& posts, Time ends) {
    called_ = asked.begins;
    VerbsCall call{
        .what = *what_of(asked.op), .program = program.number, .thread = asked.thread, .begins = asked.begins};
    if (is_about_a_qp(asked.op)) call.qp = ordinal_of(asked.object);
    call.first = posts.first;
    call.count = posts.count;
    tell(program.host, call.begins, ends, call);
}

void ProgramRecorder::answered(const Program& program, const Asked& asked, int error, std::span<const std::byte> answer,
                               Time ends) {
    const auto what = what_of(asked.op);
    if (!what) return;
    VerbsCall call{
        .what = *what, .program = program.number, .thread = asked.thread, .error = error, .begins = asked.begins};
    if (is_about_a_qp(asked.op)) call.qp = ordinal_of(asked.object);
    if (error == 0 && asked.op == Op::create_qp) call.qp = ordinal_of(Body(answer).take<QpMade>().qpn);
    if (error == 0 && asked.op == Op::poll) call.count = Body(answer).take<Polled>().count;
    if (asked.op == Op::modify_qp) call.count = asked.state;
    tell(program.host, call.begins, ends, call);
}

void ProgramRecorder::modified(const Program& program, const rc::Qp& qp, rc::QpState before) {
    const rc::QpAttributes& as = qp.attributes;
    const std::pair key{program.host, qp.number.n};
    if (qp.state == rc::QpState::reset || qp.state == rc::QpState::init) queues_.erase(key);
    if (qp.state != rc::QpState::rtr && !(qp.state == rc::QpState::rts && before == rc::QpState::rtr)) return;
    QpConnected what;
    what.program = program.number;
    what.qp = ordinal_of(qp.number.n);
    what.number = qp.number;
    what.datagram = qp.init.service == rc::Service::datagram;
    what.peer = raw(as.peer);
    what.peer_number = as.dest_qpn;
    what.first = as.sq_psn;
    what.peer_first = as.rq_psn;
    tell(program.host, current_time(), current_time(), what);
    MessageStep next;
    next.sender = static_cast<std::uint16_t>(program.host);
    next.receiver = raw(as.peer);
    next.qp = what.qp;
    next.from = qp.number;
    next.to = as.dest_qpn;
    next.first = next.first_of_qp = as.sq_psn;
    queues_[key] = {next, 0, {}};
}

ProgramRecorder::Queue* ProgramRecorder::find(unsigned host, rc::Qpn qp) {
    const auto found = queues_.find({host, qp.n});
    return found == queues_.end() ? nullptr : &found->second;
}

void ProgramRecorder::tell(const MessageStep& message, MessageStep::Step step, unsigned host, Time at) {
    MessageStep told = message;
    told.step = step;
    tell(host, at, at, told);
}

void ProgramRecorder::posted(const Program& program, const rc::Qp& qp, std::uint32_t index, const rc::SendWqe& wqe) {
    Queue* const queue = find(program.host, qp.number);
    if (queue == nullptr) return;  // in ERR: it will be flushed
    MessageStep& next = queue->next;
    if (qp.init.service == rc::Service::datagram) {
        const rc::Destination to = rc::destination_of(wqe);
        next.receiver = raw(to.peer);
        next.to = to.qpn;
    }
    next.number = index;
    next.verb = wqe.verb;
    next.bytes = static_cast<std::uint32_t>(rc::is_atomic(wqe.verb) ? rc::kAtomicBytes : rc::bytes_of(wqe));
    next.packets = rc::packets_of(next.bytes, qp.attributes.path_mtu);
    next.place = kUnknownPlace;
    if (rc::takes_receive(wqe.verb) && qp.init.service == rc::Service::reliable) queue->takers.push_back(index);
    tell(next, MessageStep::Step::posted, program.host, called_);
    next.first = next.first + next.packets;
}

void ProgramRecorder::taken(const Program& program, const rc::Completion& completion, Time now) {
    Queue* const queue = find(program.host, completion.qp);
    if (queue == nullptr) return;
    const bool failed = completion.status != rc::Status::success;
    if (!completion.receive) {
        // It stands for those before it that were not signaled.
        MessageStep step = queue->next;
        for (; queue->completed < completion.index + (failed ? 0 : 1); ++queue->completed) {
            step.number = queue->completed;
            tell(step, MessageStep::Step::completed, program.host, now);
        }
        queue->completed = completion.index + 1;
        step.number = completion.index;
        step.status = completion.status;
        if (failed) tell(step, MessageStep::Step::failed, program.host, now);
        return;
    }
    if (failed) return;
    Queue* const sender = find(queue->next.receiver, queue->next.to);
    if (sender == nullptr || sender->takers.empty()) return;  // it may be a datagram
    MessageStep step = sender->next;
    step.number = sender->takers.front();
    sender->takers.pop_front();
    tell(step, MessageStep::Step::arrived, program.host, now);
}

}  // namespace rnicsim::programs
