// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/host_service.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "testbench/programs/server/values.h"

#include <infiniband/verbs.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace rnicsim::programs {

namespace {

/// False: there is no room now.
bool has_sent(const Channel& to, std::span<const std::byte> event) {
    return ::send(to.socket.get(), event.data(), event.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 ||
           (errno != EAGAIN && errno != ENOBUFS);
}

}  // namespace

HostService::HostService(const VerbsEndConfig& config, VerbsEnd& end, const Surroundings& surroundings)
    : config_(config),
      end_(end),
      around_(surroundings),
      host_(
          end.host, config.host.clock, config.host.interrupt_latency + config.host.cpu.wake,
          [this](Cycle now, rc::Cqn cq) { entry(now, cq); },
          [this](Cycle now, std::uint32_t vector) { interrupt(now, vector); }),
      // Half of it for what does not fit into the card.
      rings_(surroundings.ring_bytes / 2, surroundings.ring_bytes) {
    end_.rnic.give_memory({0, surroundings.ring_bytes / 2, kept_bytes()});
    end_.host.memory.set_outside(&around_.memory);
}

bool HostService::poll(Caller& caller, std::span<const std::byte> bytes, Cycle now) {
    const Poll poll = Body(bytes).take<Poll>();
    CompletionQueue* const cq = cqs_.find(poll.cq, caller.program());
    const Clock& clock = host_.clock();
    if (cq == nullptr) {
        caller.answer(clock.time(now), EINVAL, {}, -1);
        return true;
    }
    std::vector<Completion> taken;
    while (taken.size() < std::min<std::size_t>(poll.most, 256) && (!cq->kept.empty() || cq->ready != 0)) {
        rc::Completion c;
        if (cq->kept.empty()) {
            --cq->ready;
            c = end_.host.queues.take(now, cq->number);
        } else {
            c = cq->kept.front();
            cq->kept.pop_front();
        }
        QueuePair* const qp = qps_.find(c.qp.n, caller.program());
        if (qp == nullptr) continue;  // its destruction is under way
        if (around_.observer != nullptr) around_.observer->taken(caller.program(), c, clock.time(now));
        tell_fault(*qp, c);
        Completion& out = taken.emplace_back(completion_of(c, clock.time(now)));
        if (config_.host.product.mlx5_errors) out.vendor_error = mlx5_error(c);
        out.from_srq = c.receive && !qp->own_receives ? 1 : 0;
    }
    if (taken.empty()) return false;
    Reply reply(Polled{static_cast<std::uint32_t>(taken.size()), 0});
    for (const Completion& c : taken) reply.add(c);
    // Time is not to go on beyond what a thread that computes has been told.
    host_.call_at(now + config_.host.costs.poll,
                  [this, &caller, reply](Cycle at) { caller.answer(host_.clock().time(at), 0, reply, -1); });
    return true;
}

std::uint64_t HostService::newest_elsewhere(const Program& program, Handle but) const {
    std::uint64_t newest = 0;
    for (const auto& [handle, cq] : cqs_.all()) {
        if (cq.owner == &program && handle != but && (cq.ready != 0 || !cq.kept.empty()))
            newest = std::max(newest, cq.newest);
    }
    return newest;
}

void HostService::tell(Program& program, Op op, std::span<const std::byte> bytes, Cycle now) {
    switch (op) {
        case Op::post_send: {
            QueuePair* const qp = qps_.find(Body(bytes).take<Posts>().queue, program);
            if (qp == nullptr || qp->resetting) return;  // by another thread
            return qp->posted_sends.take(bytes, qp->made.send_wqes,
                                         [&](std::span<const std::byte> posts) { post_sends(*qp, posts, now); });
        }
        case Op::post_receive: {
            QueuePair* const qp = qps_.find(Body(bytes).take<Posts>().queue, program);
            if (qp == nullptr || qp->resetting) return;
            qp->posted_receives.take(bytes, qp->made.receive_wqes,
                                     [&](std::span<const std::byte> posts) { post_receives(qp->receives, posts); });
            return end_.host.queues.flush_if_failed(now, rc::Qpn{qp->made.qpn});
        }
        case Op::post_srq_receive: {
            SharedQueue* const srq = srqs_.find(Body(bytes).take<Posts>().queue, program);
            if (srq == nullptr) return;
            return srq->posted.take(bytes, srq->ring.entries,
                                    [&](std::span<const std::byte> posts) { post_receives(srq->number, posts); });
        }
        case Op::arm: {
            const Arm arm = Body(bytes).take<Arm>();
            if (const CompletionQueue* const cq = cqs_.find(arm.cq, program))
                end_.host.queues.arm(now, cq->number, arm.solicited_only != 0 ? rc::page::kSolicitedOnly : 0);
            return;
        }
        default: throw Refusal{EINVAL};
    }
}

rc::SendWqe HostService::send_wqe(const Send& send, Body& body, std::vector<std::uint8_t>& payload) const {
    rc::SendWqe wqe;
    const auto verb = verb_of(send.opcode);
    if (!verb) throw Refusal{EINVAL};
    wqe.verb = *verb;
    wqe.signaled = (send.flags & IBV_SEND_SIGNALED) != 0;
    wqe.solicited = (send.flags & IBV_SEND_SOLICITED) != 0;
    wqe.fence = (send.flags & IBV_SEND_FENCE) != 0;
    if ((send.flags & IBV_SEND_INLINE) != 0) {
        if (send.inline_bytes > rc::kMostInline) throw Refusal{EINVAL};
        const auto bytes = body.take_bytes((send.inline_bytes + 7U) & ~7U).first(send.inline_bytes);
        payload.resize(bytes.size());
        std::ranges::transform(bytes, payload.begin(), [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
        wqe.inline_data = true;
        wqe.inline_length = send.inline_bytes;
    } else {
        if (send.sges > kMostSendSges) throw Refusal{EINVAL};
        for (unsigned i = 0; i < send.sges; ++i) {
            const Sge sge = body.take<Sge>();
            if (sge.length != 0) wqe.sges.push({sge.address, sge.length, sge.lkey});
        }
    }
    wqe.remote_address = send.remote_address;
    wqe.remote_key = send.rkey;
    wqe.immediate_or_key = has_immediate(wqe.verb) ? of_network_order(send.immediate_or_key) : send.immediate_or_key;
    wqe.compare = send.compare;
    wqe.swap_or_add = send.swap_or_add;
    if (wqe.verb == rc::Verb::flush) {
        wqe.flush = {roce::FlushPlacement{send.flush_placement}, roce::FlushSelectivity{send.flush_selectivity}};
        wqe.flush_length = send.flush_bytes;
    }
    return wqe;
}

void HostService::post_sends(const QueuePair& qp, std::span<const std::byte> message, Cycle now) {
    Body body(message);
    const Posts posts = body.take<Posts>();
    std::vector<std::uint8_t> payload;
    for (std::uint32_t i = 0; i < posts.count; ++i) {
        const Send send = body.take<Send>();
        payload.clear();
        rc::SendWqe wqe = send_wqe(send, body, payload);
        if (qp.as.type == IBV_QPT_UD) {
            const auto peer = host_of_gid(send.peer_gid);
            set_destination(
                wqe, {Peer{static_cast<std::uint16_t>(peer.value_or(0xFFFF))}, rc::Qpn{send.peer_qpn & rc::Psn::kMask},
                      send.qkey,
                      path_of(send.sgid_index, send.peer_gid, send.traffic_class, send.hop_limit, send.flow_label)});
        }
        if (qp.as.all_signaled != 0) wqe.signaled = true;
        if (around_.observer != nullptr)
            around_.observer->posted(*qp.owner, *end_.rnic.transport().qp(rc::Qpn{posts.queue}), posts.first + i, wqe);
        end_.host.queues.send(now, rc::Qpn{posts.queue}, wqe, payload, config_.host.posting);
    }
}

void HostService::post_receives(rc::ReceiveQueueNumber queue, std::span<const std::byte> message) {
    Body body(message);
    const Posts posts = body.take<Posts>();
    for (std::uint32_t i = 0; i < posts.count; ++i) {
        const Receive receive = body.take<Receive>();
        if (receive.sges > kMostReceiveSges) throw Refusal{EINVAL};
        rc::ReceiveSges sges;
        for (unsigned s = 0; s < receive.sges; ++s) {
            const Sge sge = body.take<Sge>();
            if (sge.length != 0) sges.push({sge.address, sge.length, sge.lkey});
        }
        end_.host.queues.receive(queue, sges);
    }
}

void HostService::entry(Cycle /*now*/, rc::Cqn number) {
    const Handle handle = cq_of_.at(static_cast<std::size_t>(number));
    if (handle == 0) return;  // destroyed
    CompletionQueue& cq = cqs_.all().at(handle);
    ++cq.ready;
    cq.newest = ++entries_;
    around_.news(*cq.owner);
}

void HostService::interrupt(Cycle now, std::uint32_t vector) {
    if ((vector & rc::page::kLimitVector) != 0) return hand_on_events();
    const Handle handle = cq_of_.at(vector);
    if (handle == 0) return;
    const CompletionQueue& cq = cqs_.all().at(handle);
    Reply event(ChannelEvent{cq.as.cookie, host_.clock().time(now).ps});
    raise(cq.as.channel, event.bytes(), *cq.owner);
}

/// None is lost, as long as its channel is there.
void HostService::raise(Handle channel, std::span<const std::byte> event, Program& program) {
    Channel* const to = channels_.find(channel, program);
    if (to == nullptr) return;
    if (!to->waiting.empty() || !has_sent(*to, event)) {
        to->waiting.emplace_back(event.begin(), event.end());
        ++waiting_events_;
    }
    around_.news(program);
}

void HostService::send_waiting() {
    if (waiting_events_ == 0) return;
    waiting_events_ = 0;
    for (auto& [handle, channel] : channels_.all()) {
        const std::size_t before = channel.waiting.size();
        while (!channel.waiting.empty() && has_sent(channel, channel.waiting.front())) channel.waiting.pop_front();
        if (channel.waiting.size() != before) around_.news(*channel.owner);
        waiting_events_ += channel.waiting.size();
    }
}

void HostService::raise_async(Handle events, std::uint64_t cookie, int type, Program& program) {
    raise(events, Reply(AsyncEvent{cookie, static_cast<std::uint32_t>(type), 0}).bytes(), program);
}

void HostService::hand_on_events() {
    const std::vector<rc::AsyncEvent>& all = end_.rnic.events();
    for (; events_ < all.size(); ++events_) {
        const rc::AsyncEvent& e = all[events_];
        if (e.kind == rc::EventKind::srq_limit_reached) {
            const Handle handle = srq_of_.at(static_cast<std::size_t>(e.srq));
            if (handle == 0) continue;
            const SharedQueue& srq = srqs_.all().at(handle);
            raise_async(srq.as.events, srq.as.cookie, IBV_EVENT_SRQ_LIMIT_REACHED, *srq.owner);
            continue;
        }
        if (e.kind == rc::EventKind::cq_error) {
            const Handle handle = cq_of_.at(static_cast<std::size_t>(e.cq));
            if (handle == 0) continue;
            const CompletionQueue& cq = cqs_.all().at(handle);
            raise_async(cq.as.events, cq.as.cookie, IBV_EVENT_CQ_ERR, *cq.owner);
            continue;
        }
        const auto found = qps_.all().find(e.qp.n);
        if (found == qps_.all().end()) continue;
        const QueuePair& qp = found->second;
        const auto type = [&] {
            switch (e.kind) {
                case rc::EventKind::qp_request_error: return IBV_EVENT_QP_REQ_ERR;
                case rc::EventKind::qp_access_error: return IBV_EVENT_QP_ACCESS_ERR;
                case rc::EventKind::sq_drained: return IBV_EVENT_SQ_DRAINED;
                case rc::EventKind::last_wqe_reached: return IBV_EVENT_QP_LAST_WQE_REACHED;
                default: return IBV_EVENT_QP_FATAL;
            }
        };
        raise_async(qp.as.events, qp.as.cookie, type(), *qp.owner);
    }
}

}  // namespace rnicsim::programs
