// Making, changing and ending of what programs have at a card. Each is a command to the card and takes the time of one.
#include "testbench/programs/server/host_service.h"
#include "testbench/programs/server/values.h"
#include "tlm/ethernet/host_address.h"

#include <infiniband/verbs.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace rnicsim::programs {
namespace {

constexpr Time kAdmin = kMicrosecond * 10;     // a command to the card, from call to return (verbs.md 5)
constexpr Time kRingRest = kMillisecond;       // until a ring serves anew: longer than any DMA of the card takes
constexpr Time kClockRead = kNanosecond * 20;  // clock_gettime() by the vDSO; assumed
constexpr std::int64_t kStart = 1'767'225'600'000'000'000;  // ns: 1 January 2026, the same each time

std::uint32_t ring_of(std::uint32_t wqes) { return std::bit_ceil(std::max<std::uint32_t>(wqes, 1)); }

/// Both ends of a socket on which events go to a program.
std::array<Descriptor, 2> event_sockets() {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw Refusal{errno};
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// A remote right to write needs the local one (ibv_reg_mr(3)).
rc::Access access_of(std::uint32_t flags) {
    constexpr std::uint32_t kWrites = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
    if ((flags & kWrites) != 0 && (flags & IBV_ACCESS_LOCAL_WRITE) == 0) throw Refusal{EINVAL};
    return {static_cast<std::uint8_t>(flags & 15U)};
}

bool is_reset(const QpChange& change) {
    return (change.what & IBV_QP_STATE) != 0 && state_of(change.state) == rc::QpState::reset;
}

int error_of(rc::ModifyError error) { return error == rc::ModifyError::none ? 0 : EINVAL; }

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
    w.poll = ps(costs.poll);
    w.clock_read = kClockRead.ps;
    w.start = kStart;
    w.tsc_mhz = static_cast<std::uint32_t>(1'000'000 / config_.host.clock.period().ps);
    return w;
}

void HostService::at_card(Caller& caller, Cycle now, std::function<Reply()> what) {
    const Cycle back = now + host_.clock().edge(kAdmin);
    end_.host.queues.ask(now, [this, &caller, back, what = std::move(what)](Cycle) {
        int error = 0;
        Reply reply;
        try {
            reply = what();
        } catch (const Refusal& refusal) { error = refusal.error; }
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
        at_card(caller, now, [this, &program, what, value] { return (this->*what)(program, value); });
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
        case Op::alloc_pd: return say(Reply(Made{pds_.add({&program, 0})}));
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
            auto [ours, theirs] = event_sockets();
            return say(Reply(Made{channels_.add({&program, std::move(ours)})}), theirs.get());
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
        default: throw Refusal{EOPNOTSUPP};
    }
}

Device HostService::device() const {
    Device d;
    const MacAddress mac = mac_address(around_.host);
    std::ranges::copy(mac, d.mac);
    d.guid = guid_of(around_.host);
    write_gid(d.gid[0], around_.host);
    d.mtu = static_cast<std::uint16_t>(config_.card.transport.port_mtu);
    d.mbps = static_cast<std::uint32_t>(8 * kSecond.ps / config_.card.wire.per_byte.ps / 1000000);
    d.max_qp = config_.card.transport.max_qps;
    d.max_qp_wr = rc::kMostSends;
    d.max_sge = d.max_sge_rd = std::min(kMostSendSges, kMostReceiveSges);
    d.max_cq = 65'536;
    d.max_cqe = rc::kMostCqes - 1;
    d.max_mr = 1U << 24U;
    d.max_pd = 65'536;
    d.max_qp_rd_atom = d.max_qp_init_rd_atom = config_.attributes.max_rd_atomic;
    d.max_srq = 65'536;
    d.max_srq_wr = rc::kMostSends;
    d.max_srq_sge = kMostReceiveSges;
    d.max_inline = config_.host.inline_bytes;
    d.max_ah = 65'536;
    d.max_mr_size = std::uint64_t{1} << 40U;
    return d;
}

Reply HostService::register_memory(Program& program, const Registration& r) {
    ProtectionDomain* const pd = pds_.find(r.pd, program);
    if (pd == nullptr || r.bytes == 0) throw Refusal{EINVAL};
    const auto key = end_.rnic.add_region(rc::Pd{r.pd}, {r.iova, r.bytes}, access_of(r.access), config_.host.page,
                                          ProcessMemory::bus(program.window, r.address));
    if (!key) throw Refusal{ENOMEM};
    ++pd->users;
    const Handle handle = regions_.add({&program, *key, r.pd, r.address, r.bytes, r});
    return Reply(Registered{handle, *key, *key});
}

/// What is not to change stays as it was; so do the keys, which peers have.
Reply HostService::reregister_memory(Program& program, const Reregistration& r) {
    Region* const region = regions_.find(r.region, program);
    if (region == nullptr) throw Refusal{EINVAL};
    Registration to = region->as;
    if ((r.what & IBV_REREG_MR_CHANGE_TRANSLATION) != 0) {
        if (r.to.bytes == 0) throw Refusal{EINVAL};
        to.address = r.to.address, to.bytes = r.to.bytes, to.iova = r.to.iova;
    }
    if ((r.what & IBV_REREG_MR_CHANGE_PD) != 0) to.pd = r.to.pd;
    if ((r.what & IBV_REREG_MR_CHANGE_ACCESS) != 0) to.access = r.to.access;
    ProtectionDomain* const pd = pds_.find(to.pd, program);
    if (pd == nullptr) throw Refusal{EINVAL};
    if (!end_.rnic.change_region(region->key, rc::Pd{to.pd}, {to.iova, to.bytes}, access_of(to.access),
                                 config_.host.page, ProcessMemory::bus(program.window, to.address)))
        throw Refusal{EINVAL};  // a peer has invalidated it, or its memory is gone
    ++pd->users;
    --pds_.find(region->pd, program)->users;
    region->pd = to.pd, region->address = to.address, region->bytes = to.bytes, region->as = to;
    return Reply(Registered{r.region, region->key, region->key});
}

Reply HostService::free_memory(Program& program, Handle handle) {
    const Region* const region = regions_.find(handle, program);
    if (region == nullptr) throw Refusal{EINVAL};
    end_.rnic.remove_region(region->key);
    --pds_.find(region->pd, program)->users;
    regions_.remove(handle);
    return {};
}

std::uint64_t HostService::take_ring(std::uint64_t bytes) {
    const auto at = rings_.take(bytes);
    if (!at) throw Refusal{ENOMEM};
    return *at;
}

Cycle HostService::rested() const { return host_.edge({}) + host_.clock().edge(kRingRest); }

void HostService::give_back(std::uint64_t ring, std::uint64_t bytes) {
    host_.call_at(rested(), [this, ring, bytes](Cycle) { rings_.give_back(ring, bytes); });
}
void HostService::give_back(const rc::CqRing& ring) {
    give_back(ring.address, std::uint64_t{ring.entries} * rc::kCqeBytes);
}
void HostService::give_back(const rc::ReceiveRing& ring) {
    give_back(ring.address, ring.bytes());
    give_back(ring.record, rc::kRecordBytes);
}

/// The card hears of what has been taken when half of the ring has.
rc::CqRing HostService::take_cq_ring(std::uint32_t cqes) {
    if (cqes == 0 || cqes >= rc::kMostCqes) throw Refusal{EINVAL};
    rc::CqRing ring;
    ring.entries = std::min(ring_of(2 * cqes), rc::kMostCqes);
    const std::uint64_t bytes = std::uint64_t{ring.entries} * rc::kCqeBytes;
    ring.address = take_ring(bytes);
    std::ranges::fill(end_.host.memory.at(ring.address, bytes), std::uint8_t{0});
    return ring;
}

Reply HostService::create_cq(Program& program, const CqInit& init) {
    CompletionQueue cq{&program, {}, take_cq_ring(init.cqes), init, 0, {}, 0};
    cq.number = end_.host.queues.create_cq(cq.ring);
    const rc::Cqn number = cq.number;
    const Handle handle = cqs_.add(cq);
    cq_of_.resize(static_cast<std::size_t>(number) + 1);
    cq_of_.back() = handle;
    return Reply(CqMade{handle, init.cqes});
}

void HostService::keep_entries(CompletionQueue& cq) {
    for (; cq.ready != 0; --cq.ready) cq.kept.push_back(end_.host.queues.take(host_.edge({}), cq.number));
}

/// What is in the ring before is taken at once; what is on its way there, and visible later, is polled as ever.
Reply HostService::resize_cq(Program& program, const CqSize& size) {
    CompletionQueue* const cq = cqs_.find(size.cq, program);
    if (cq == nullptr) throw Refusal{EINVAL};
    keep_entries(*cq);
    if (size.cqes < cq->kept.size()) throw Refusal{EINVAL};  // they would not fit
    if (!end_.host.queues.moved(cq->number)) throw Refusal{EBUSY};
    const rc::CqRing before = cq->ring;
    cq->ring = take_cq_ring(size.cqes);
    cq->as.cqes = size.cqes;
    end_.host.queues.move_cq(cq->number, cq->ring);
    host_.call_at(rested(), [this, before, handle = size.cq, number = cq->number](Cycle) {
        const auto found = cqs_.all().find(handle);
        if (found != cqs_.all().end() && found->second.number == number) keep_entries(found->second);
        rings_.give_back(before.address, std::uint64_t{before.entries} * rc::kCqeBytes);
    });
    return Reply(CqMade{size.cq, size.cqes});
}

void HostService::end_cq(const CompletionQueue& cq) {
    cq_of_.at(static_cast<std::size_t>(cq.number)) = 0;
    end_.host.queues.destroy_cq(cq.number);
    give_back(cq.ring);
}

Reply HostService::destroy_cq(Program& program, Handle handle) {
    const CompletionQueue* const cq = cqs_.find(handle, program);
    if (cq == nullptr) throw Refusal{EINVAL};
    if (cq->users != 0) throw Refusal{EBUSY};
    end_cq(*cq);
    cqs_.remove(handle);
    return {};
}

rc::ReceiveRing HostService::take_receive_ring(std::uint32_t wqes) {
    rc::ReceiveRing ring;
    ring.entries = ring_of(wqes);
    ring.stride = rc::kMostReceiveWqeBytes;
    ring.address = take_ring(ring.bytes());
    ring.record = take_ring(rc::kRecordBytes);
    std::ranges::fill(end_.host.memory.at(ring.record, rc::kRecordBytes), std::uint8_t{0});
    return ring;
}

Reply HostService::create_srq(Program& program, const SrqInit& init) {
    ProtectionDomain* const pd = pds_.find(init.pd, program);
    if (pd == nullptr || init.wqes == 0 || init.wqes > rc::kMostSends || init.sges > kMostReceiveSges)
        throw Refusal{EINVAL};
    SharedQueue srq{&program, {}, take_receive_ring(init.wqes), init, 0};
    srq.number = end_.host.queues.create_receive_queue(srq.ring, true);
    ++pd->users;
    const auto number = static_cast<std::size_t>(srq.number);
    const Handle handle = srqs_.add(srq);
    srq_of_.resize(number + 1);
    srq_of_.back() = handle;
    return Reply(SrqMade{handle, init.wqes, kMostReceiveSges});
}

Reply HostService::modify_srq(Program& program, const SrqChange& change) {
    const SharedQueue* const srq = srqs_.find(change.srq, program);
    if (srq == nullptr) throw Refusal{EINVAL};
    if ((change.what & IBV_SRQ_MAX_WR) != 0) throw Refusal{EOPNOTSUPP};
    if ((change.what & IBV_SRQ_LIMIT) == 0) return {};
    if (change.limit > srq->as.wqes) throw Refusal{EINVAL};
    end_.host.queues.arm_limit(host_.edge({}), srq->number, change.limit);
    return {};
}

void HostService::end_srq(const SharedQueue& srq) {
    srq_of_.at(static_cast<std::size_t>(srq.number)) = 0;
    give_back(srq.ring);
}

Reply HostService::destroy_srq(Program& program, Handle handle) {
    const SharedQueue* const srq = srqs_.find(handle, program);
    if (srq == nullptr) throw Refusal{EINVAL};
    if (srq->users != 0) throw Refusal{EBUSY};
    end_srq(*srq);
    --pds_.find(srq->as.pd, program)->users;
    srqs_.remove(handle);
    return {};
}

Reply HostService::create_qp(Program& program, const QpRequest& r) {
    const auto service = service_of(r.type);
    if (!service) throw Refusal{EOPNOTSUPP};
    ProtectionDomain* const pd = pds_.find(r.pd, program);
    CompletionQueue* const sends = cqs_.find(r.send_cq, program);
    CompletionQueue* const receives = cqs_.find(r.receive_cq, program);
    SharedQueue* const srq = srqs_.find(r.srq, program);
    if (pd == nullptr || sends == nullptr || receives == nullptr || (r.srq != 0 && srq == nullptr))
        throw Refusal{EINVAL};
    if (r.send_wqes > rc::kMostSends || r.receive_wqes > rc::kMostSends || r.send_sges > kMostSendSges ||
        r.receive_sges > kMostReceiveSges || r.inline_bytes > rc::kMostInline)
        throw Refusal{EINVAL};
    QueuePair qp;
    qp.owner = &program;
    qp.as = r;
    rc::QpInit init;
    init.service = *service;
    init.pd = rc::Pd{r.pd};
    init.send_cq = sends->number;
    init.receive_cq = receives->number;
    if (srq == nullptr) {
        qp.own_receives = take_receive_ring(r.receive_wqes);
        qp.receives = end_.host.queues.create_receive_queue(*qp.own_receives, false);
        srq_of_.resize(static_cast<std::size_t>(qp.receives) + 1);
    } else {
        qp.receives = srq->number;
    }
    init.receive_queue = qp.receives;
    qp.sends.entries = ring_of(r.send_wqes);
    qp.sends.stride = rc::kMostWqeBytes;
    qp.sends.address = take_ring(std::uint64_t{qp.sends.entries} * qp.sends.stride);
    const rc::Qpn number = end_.host.queues.create_qp(init, qp.sends);
    ++pd->users, ++sends->users, ++receives->users;
    if (srq != nullptr) ++srq->users;
    qp.made = {number.n,
               qp.sends.entries,
               srq == nullptr ? ring_of(r.receive_wqes) : 0,
               std::max(r.send_sges, 1U),
               srq == nullptr ? kMostReceiveSges : 0,
               std::max(r.inline_bytes, 0U)};
    const QpMade made = qp.made;
    qps_.add_as(number.n, qp);
    return Reply(made);
}

/// Keeps what is asked for, for query_qp().
std::optional<Ended> HostService::modify_qp(Program& program, const QpChange& change) {
    QueuePair* const qp = qps_.find(change.qpn, program);
    if (qp == nullptr) throw Refusal{EINVAL};
    qp->resetting = false;
    const rc::Qpn number{change.qpn};
    const rc::QpState now = end_.rnic.transport().qp(number)->state;
    const bool has_state = (change.what & IBV_QP_STATE) != 0;
    const auto to = has_state ? state_of(change.state) : std::optional(now);
    auto attributes = attributes_of(change);
    if (!to || !attributes) throw Refusal{EINVAL};
    const Ended was = ended(*qp);
    // Access is no attribute of datagrams, which carry no WRITEs.
    if (qp->as.type == IBV_QPT_UD) attributes->mask.bits &= static_cast<std::uint16_t>(~rc::attribute::kAccess.bits);
    if (const int error = error_of(end_.rnic.modify_qp(number, *to, attributes->mask, attributes->values)); error != 0)
        throw Refusal{error};
    if (around_.observer != nullptr) around_.observer->modified(program, *end_.rnic.transport().qp(number), now);
    if (*to == rc::QpState::reset) {
        end_.host.queues.restart(number, qp->own_receives ? std::optional(qp->receives) : std::nullopt);
        around_.judge.gone(around_.host, number);
        return was;
    }
    around_.judge.modified(around_.host, number);
    QpChange& known = qp->attributes;
    const auto keep = [&](unsigned bit, auto QpChange::*field) {
        if ((change.what & bit) != 0) known.*field = change.*field;
    };
    keep(IBV_QP_PATH_MTU, &QpChange::path_mtu);
    keep(IBV_QP_QKEY, &QpChange::qkey);
    keep(IBV_QP_RQ_PSN, &QpChange::rq_psn);
    keep(IBV_QP_SQ_PSN, &QpChange::sq_psn);
    keep(IBV_QP_DEST_QPN, &QpChange::dest_qpn);
    keep(IBV_QP_ACCESS_FLAGS, &QpChange::access);
    keep(IBV_QP_MAX_QP_RD_ATOMIC, &QpChange::max_rd_atomic);
    keep(IBV_QP_MAX_DEST_RD_ATOMIC, &QpChange::max_dest_rd_atomic);
    keep(IBV_QP_MIN_RNR_TIMER, &QpChange::min_rnr_timer);
    keep(IBV_QP_TIMEOUT, &QpChange::timeout);
    keep(IBV_QP_RETRY_CNT, &QpChange::retry_cnt);
    keep(IBV_QP_RNR_RETRY, &QpChange::rnr_retry);
    keep(IBV_QP_PORT, &QpChange::port);
    keep(IBV_QP_PKEY_INDEX, &QpChange::pkey_index);
    if ((change.what & IBV_QP_AV) != 0) {
        std::ranges::copy(change.peer_gid, known.peer_gid);
        known.has_grh = change.has_grh;
        known.sgid_index = change.sgid_index;
        known.hop_limit = change.hop_limit;
        known.traffic_class = change.traffic_class;
        known.sl = change.sl;
        known.dlid = change.dlid;
        known.flow_label = change.flow_label;
    }
    return {};
}

QpChange HostService::query_qp(Program& program, Handle handle) {
    const QueuePair* const qp = qps_.find(handle, program);
    if (qp == nullptr) throw Refusal{EINVAL};
    QpChange out = qp->attributes;
    out.qpn = handle;
    out.state = out.current_state = number_of(end_.rnic.transport().qp(rc::Qpn{handle})->state);
    out.all_signaled = qp->as.all_signaled;
    out.send_wqes = qp->made.send_wqes;
    out.receive_wqes = qp->made.receive_wqes;
    out.send_sges = qp->made.send_sges;
    out.receive_sges = qp->made.receive_sges;
    out.inline_bytes = qp->made.inline_bytes;
    return out;
}

Ended HostService::ended(const QueuePair& qp) const {
    const rc::Qpn number{qp.made.qpn};
    Ended out{number, !qp.own_receives, {}};
    const auto& receive = end_.rnic.transport().qp(number)->responder.receive;
    if (receive) out.receives = receive->index;
    return out;
}

void HostService::end_qp(const QueuePair& qp) {
    const rc::Qpn number{qp.made.qpn};
    end_.rnic.destroy_qp(number);
    around_.judge.gone(around_.host, number);
    give_back(qp.sends.address, std::uint64_t{qp.sends.entries} * qp.sends.stride);
    if (qp.own_receives) give_back(*qp.own_receives);
}

Reply HostService::take_away(const Ended& ended, const Program& program) {
    std::vector<std::uint32_t> indices;
    if (ended.shares && ended.receives) indices.push_back(*ended.receives);
    for (auto& [handle, cq] : cqs_.all()) {
        if (cq.owner != &program) continue;
        keep_entries(cq);
        std::erase_if(cq.kept, [&](const rc::Completion& c) {
            if (c.qp != ended.qp) return false;
            if (c.receive && ended.shares) indices.push_back(c.index);
            return true;
        });
    }
    Reply reply(Dropped{static_cast<std::uint32_t>(indices.size()), 0});
    for (const std::uint32_t index : indices) reply.add(index);
    return reply;
}

std::optional<Ended> HostService::destroy_qp(Program& program, Handle handle) {
    const QueuePair* const qp = qps_.find(handle, program);
    if (qp == nullptr) throw Refusal{EINVAL};
    const Ended was = ended(*qp);
    end_qp(*qp);
    --pds_.find(qp->as.pd, program)->users;
    --cqs_.find(qp->as.send_cq, program)->users;
    --cqs_.find(qp->as.receive_cq, program)->users;
    if (SharedQueue* const srq = srqs_.find(qp->as.srq, program)) --srq->users;
    qps_.remove(handle);
    return was;
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
        drop(regions_, [&](const Region& region) { end_.rnic.remove_region(region.key); });
        drop(srqs_, [&](const SharedQueue& srq) { end_srq(srq); });
        drop(cqs_, [&](const CompletionQueue& cq) { end_cq(cq); });
        drop(channels_, [](const Channel&) {});
        drop(pds_, [](const ProtectionDomain&) {});
        around_.memory.close(program.window);
    });
}

void HostService::lose_memory(const Program& program, std::uint64_t address) {
    for (auto& [handle, region] : regions_.all()) {
        if (region.owner == &program && address - region.address < region.bytes) end_.rnic.remove_region(region.key);
    }
}

}  // namespace rnicsim::programs
