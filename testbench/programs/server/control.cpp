// SPDX-License-Identifier: Apache-2.0
// Making, changing and ending of what programs have at a card: each is a command to the card and takes the time of one.
// What it does is in regions.cpp, completion_queues.cpp, shared_queues.cpp and queue_pairs.cpp.
#include "testbench/programs/server/event_sockets.h"
#include "testbench/programs/server/host_service.h"
#include "testbench/programs/server/values.h"
#include "tlm/ethernet/host_address.h"

#include <infiniband/verbs.h>

#include <algorithm>
#include <utility>

namespace rnicsim::programs {
namespace {

constexpr Time kAdmin = kMicrosecond * 10;     // another command to the card, from call to return (verbs.md 5)
constexpr Time kClockRead = kNanosecond * 20;  // clock_gettime() by the vDSO; assumed
constexpr std::int64_t kStart = 1'767'225'600'000'000'000;  // ns: 1 January 2026, the same each time

bool is_reset(const QpChange& change) {
    return (change.what & IBV_QP_STATE) != 0 && state_of(change.state) == rc::QpState::reset;
}

}  // namespace

Welcome HostService::welcome() const {
    Welcome w;
    const VerbsCosts& costs = config_.host.costs;
    const auto ps = [&](Cycle cycles) { return config_.host.clock.time(cycles).ps; };
    w.strict = around_.strict ? 1 : 0;
    w.hosts = static_cast<std::uint8_t>(around_.hosts);
    w.host = static_cast<std::uint8_t>(around_.host);
    w.post = ps(costs.post);
    w.push = config_.host.posting == Posting::push ? ps(costs.push) : 0;
    w.receive = ps(costs.receive);
    w.event_read = ps(config_.host.cpu.event_read);
    w.arm = ps(config_.host.cpu.arm);
    w.poll = ps(costs.poll);
    w.clock_read = kClockRead.ps;
    w.start = kStart;
    w.tsc_mhz = static_cast<std::uint32_t>(1'000'000 / config_.host.clock.period().ps);
    return w;
}

/// Of a command but those on memory.
template <class Value>
HostService::CallTime HostService::time_of(const Program& /*program*/, Op /*op*/, const Value& /*value*/) {
    return {kAdmin, kAdmin};
}
/// What is refused has pinned nothing.
HostService::CallTime HostService::time_of(const Program& /*program*/, Op /*op*/, const Registration& r) {
    const PinCost& cost = config_.host.cpu.registration;
    return {cost.of(card_pages(r)), cost.base};
}
/// Memory is pinned anew only where the region gets other memory; what it had is given back.
HostService::CallTime HostService::time_of(const Program& program, Op /*op*/, const Reregistration& r) {
    const PinCost& cost = config_.host.cpu.registration;
    const Region* const region = regions_.find(r.region, program);
    if (region == nullptr || (r.what & IBV_REREG_MR_CHANGE_TRANSLATION) == 0) return {cost.base, cost.base};
    const auto before = static_cast<std::int64_t>(card_pages(region->as));
    return {cost.of(card_pages(r.to)) + config_.host.cpu.deregistration.page * before, cost.base};
}
HostService::CallTime HostService::time_of(const Program& program, Op op, Handle handle) {
    if (op != Op::free_memory) return {kAdmin, kAdmin};
    const PinCost& cost = config_.host.cpu.deregistration;
    const Region* const region = regions_.find(handle, program);
    return {cost.of(region == nullptr ? 0 : card_pages(region->as)), cost.base};
}

/// What is no memory of the program is refused; until then it may be any number.
std::uint64_t HostService::card_pages(const Registration& r) const {
    if (r.bytes == 0 || r.bytes > most_region_bytes() || r.address + r.bytes < r.address) return 0;
    return config_.host.page.pages_of({r.address, r.bytes});
}

void HostService::at_card(Caller& caller, Cycle now, CallTime time, std::function<Reply()> what) {
    end_.host.queues.ask(now, [this, &caller, now, time, what = std::move(what)](Cycle) {
        int error = 0;
        Reply reply;
        try {
            reply = what();
        } catch (const Refusal& refusal) { error = refusal.error; }
        const Cycle back = now + host_.clock().edge(error == 0 ? time.done : time.refused);
        host_.call_at(std::max(back, host_.edge({})), [this, &caller, error, reply](Cycle at) {
            caller.answer(host_.clock().time(at), error, reply, -1);
        });
    });
}

/// By the time of the answer all entries are visible that the card had written before.
void HostService::end_at_card(Caller& caller, Cycle now, std::function<std::optional<Ended>()> what) {
    const Cycle back = now + host_.clock().edge(kAdmin);
    end_.host.queues.ask(now, [this, &caller, back, what = std::move(what)](Cycle) {
        int error = 0;
        std::optional<Ended> ended;
        try {
            ended = what();
        } catch (const Refusal& refusal) { error = refusal.error; }
        host_.call_at(std::max(back, host_.edge({})), [this, &caller, error, ended](Cycle at) {
            const Reply reply = ended ? take_away(*ended, caller.program()) : Reply(Dropped{});
            caller.answer(host_.clock().time(at), error, reply, -1);
        });
    });
}

void HostService::call(Caller& caller, Op op, std::vector<std::byte> bytes, Cycle now) {
    Program& program = caller.program();
    const auto with = [&]<typename T>(Reply (HostService::*what)(Program&, T)) {
        using Value = std::remove_cvref_t<T>;
        const Value value = Body(bytes).take<Value>();
        at_card(caller, now, time_of(program, op, value),
                [this, &program, what, value] { return (this->*what)(program, value); });
    };
    try {
        switch (op) {
            case Op::register_memory: return with(&HostService::register_memory);
            case Op::reregister_memory: return with(&HostService::reregister_memory);
            case Op::free_memory: return with(&HostService::free_memory);
            case Op::create_cq: return with(&HostService::create_cq);
            case Op::resize_cq: return with(&HostService::resize_cq);
            case Op::destroy_cq: return with(&HostService::destroy_cq);
            case Op::create_srq: return with(&HostService::create_srq);
            case Op::modify_srq: return with(&HostService::modify_srq);
            case Op::destroy_srq: return with(&HostService::destroy_srq);
            case Op::create_qp: return with(&HostService::create_qp);
            case Op::modify_qp: {
                const auto change = Body(bytes).take<QpChange>();
                QueuePair* const qp = qps_.find(change.qpn, program);
                if (qp != nullptr && is_reset(change)) qp->resetting = true;
                return end_at_card(caller, now, [this, &program, change] { return modify_qp(program, change); });
            }
            case Op::destroy_qp: {
                const auto qp = Body(bytes).take<Handle>();
                return end_at_card(caller, now, [this, &program, qp] { return destroy_qp(program, qp); });
            }
            default: answer_at_once(caller, op, Body(bytes), now);
        }
    } catch (const Refusal& refusal) { caller.answer(host_.clock().time(now), refusal.error, {}, -1); }
}

/// What the host knows by itself.
void HostService::answer_at_once(Caller& caller, Op op, Body body, Cycle now) {
    Program& program = caller.program();
    const Time at = host_.clock().time(now);
    const auto say = [&](const Reply& reply, int descriptor = -1) { caller.answer(at, 0, reply, descriptor); };
    switch (op) {
        case Op::query_device: return say(Reply(device()));
        case Op::alloc_pd:
            if (pds_.size() == kMostPds) throw Refusal{ENOMEM};
            return say(Reply(Made{pds_.add({&program, 0})}));
        case Op::free_pd: {
            const auto handle = body.take<Handle>();
            const ProtectionDomain* const pd = pds_.find(handle, program);
            if (pd == nullptr) throw Refusal{EINVAL};
            if (pd->users != 0) throw Refusal{EBUSY};
            pds_.remove(handle);
            return say({});
        }
        case Op::create_channel:
        case Op::async_events: {
            EventSockets sockets = EventSockets::made();
            const Handle channel = channels_.add({&program, std::move(sockets.ours), {}});
            return say(Reply(Made{channel}), sockets.theirs.get());
        }
        case Op::destroy_channel: {
            const auto handle = body.take<Handle>();
            if (channels_.find(handle, program) == nullptr) throw Refusal{EINVAL};
            channels_.remove(handle);
            return say({});
        }
        case Op::query_qp: return say(Reply(query_qp(program, body.take<Handle>())));
        case Op::query_srq: {
            const auto handle = body.take<Handle>();
            const SharedQueue* const srq = srqs_.find(handle, program);
            if (srq == nullptr) throw Refusal{EINVAL};
            const std::uint32_t limit = end_.rnic.transport().receive_queue(srq->number).limit();
            return say(Reply(SrqChange{handle, 0, srq->as.wqes, srq->as.sges, limit}));
        }
        case Op::query_counters: return say(counters());
        case Op::give_back_memory: {
            const auto range = body.take<GivenBack>();
            if (range.address + range.bytes < range.address) throw Refusal{EINVAL};
            give_back_memory(program, {range.address, range.bytes});
            return say({});
        }
        case Op::write_back: {
            const auto range = body.take<WriteBack>();
            const std::uint64_t bus = ProcessMemory::bus(program.window, range.address);
            PersistencePath* const path = end_.host.persistence();
            if (range.bytes > kMostWriteBack) throw Refusal{EINVAL};
            if (path == nullptr || range.bytes == 0 || !path->is_scm(bus)) return say({});
            return host_.call_at(host_.edge(path->flush(at, bus, range.bytes)),
                                 [this, &caller](Cycle then) { caller.answer(host_.clock().time(then), 0, {}, -1); });
        }
        default: throw Refusal{EOPNOTSUPP};
    }
}

Device HostService::device() const {
    Device d;
    const MacAddress mac = mac_address(around_.host);
    std::ranges::copy(mac, d.mac);
    d.guid = guid_of(around_.host);
    for (std::size_t i = 0; i < kGids.size(); ++i) write_gid(d.gid[i], around_.host, kGids.at(i));
    d.mtu = static_cast<std::uint16_t>(config_.card.transport.port_mtu);
    d.mbps = static_cast<std::uint32_t>(8 * kSecond.ps / config_.card.wire.per_byte.ps / 1000000);
    d.max_qp = config_.card.transport.max_qps;
    d.max_qp_wr = rc::kMostSends;
    d.max_sge = d.max_sge_rd = std::min(kMostSendSges, kMostReceiveSges);
    d.max_cq = kMostCqs;
    d.max_cqe = rc::kMostCqes;
    d.max_mr = kMostRegions;
    d.max_pd = kMostPds;
    d.max_qp_rd_atom = d.max_qp_init_rd_atom = config_.attributes.max_rd_atomic;
    d.max_srq = kMostSrqs;
    d.max_srq_wr = rc::kMostSends;
    d.max_srq_sge = kMostReceiveSges;
    d.max_inline = std::max(config_.host.inline_bytes, config_.host.product.most_inline);
    d.vendor = config_.host.product.vendor;
    d.part = config_.host.product.part;
    d.pci_vendor = config_.host.product.pci_vendor;
    d.pci_device = config_.host.product.pci_device;
    d.max_ah = 65'536;
    d.max_mr_size = most_region_bytes();
    return d;
}

Reply HostService::counters() const {
    Counters c;
    const rc::RcTransport& transport = end_.rnic.transport();
    const Gmac::Counters& mac = end_.rnic.gmac.counters();
    c.tx_bytes = mac.tx_bytes;
    c.rx_bytes = mac.rx_bytes;
    c.tx_packets = end_.rnic.sender().counters().packets;
    c.rx_packets = end_.rnic.receiver().counters().packets;
    c.out_of_sequence = transport.count(rc::RcCount::out_of_sequence);
    c.packet_seq_err = transport.count(rc::RcCount::naks_received);
    c.local_ack_timeout_err = transport.count(rc::RcCount::timeouts);
    c.rnr_nak_retry_err = transport.count(rc::RcCount::rnr_naks_received);
    c.implied_nak_seq_err = transport.count(rc::RcCount::implied_naks);
    c.duplicate_request = transport.count(rc::RcCount::duplicates);
    c.np_ecn_marked_roce_packets = transport.count(rc::RcCount::marked_packets);
    c.np_cnp_sent = transport.count(rc::RcCount::cnps_sent);
    c.rp_cnp_handled = transport.count(rc::RcCount::cnps_received);
    return Reply(c);
}

void HostService::forget(Program& program, Cycle now) {
    end_.host.queues.ask(now, [this, &program](Cycle) {
        const auto drop = [&](auto& table, auto&& end_it) {
            std::erase_if(table.all(), [&](auto& entry) {
                if (entry.second.owner != &program) return false;
                end_it(entry.second);
                return true;
            });
        };
        drop(qps_, [&](const QueuePair& qp) { end_qp(qp); });
        drop(regions_, [&](const Region& region) { end_region(region); });
        drop(srqs_, [&](const SharedQueue& srq) { end_srq(srq); });
        drop(cqs_, [&](const CompletionQueue& cq) { end_cq(cq); });
        drop(channels_, [](const Channel&) {});
        drop(pds_, [](const ProtectionDomain&) {});
        around_.memory.close(program.window);
    });
}

std::uint64_t HostService::most_region_bytes() const {
    constexpr std::uint64_t kOfAddresses = std::uint64_t{1} << 47U;  // of a program of Linux
    const std::uint64_t entries = (around_.ring_bytes / 2 - kept_bytes()) / rc::kPageEntryBytes;
    return std::min(entries << config_.host.page.shift, kOfAddresses);
}

}  // namespace rnicsim::programs
