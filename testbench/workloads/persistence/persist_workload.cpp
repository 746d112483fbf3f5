// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/persistence/persist_workload.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "testbench/kits/rc/verbs_message.h"
#include "testbench/records/report_clock.h"
#include "testbench/workloads/messages/message_sample.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <utility>

namespace rnicsim {
namespace {

constexpr rc::Pd kProtection{1};
constexpr rc::Access kAll =
    rc::kLocalWrite | rc::kRemoteWrite | rc::kRemoteRead | rc::kFlushVisible | rc::kFlushPersistent | rc::kWritePersist;

void prepare_memory(PersistencePath& path, const VerbsLayout::Buffer& in, const VerbsHostConfig& host) {
    path.add_scm(in.address, in.bytes());
    if (host.persistence->llc.dirty) path.store(Time{}, in.address, in.bytes());
}

}  // namespace

PersistWorkload::PersistWorkload(const RunConfig& config, const VerbsLayout& layout, PersistObserver& observer)
    : config_(config), observer_(observer), running_(layout.persists.size()) {
    by_qp_.resize(config.names.size());
    for (const VerbsLayout::Connection& plan : layout.persists) {
        Connection& c = connections_.emplace_back();
        c.plan = &plan;
        c.item = &config.traffic[plan.item];
    }
}

void PersistWorkload::attach(System& system) {
    system_ = &system;
    std::vector<bool> has_program(config_.names.size(), false);
    for (const Connection& c : connections_) {
        for (const VerbsLayout::End& end : c.plan->ends) {
            if (has_program[end.host]) continue;
            has_program[end.host] = true;
            verbs_end(system, end.host).host.driver.attach(programs_.emplace_back(*this, end.host));
        }
    }
    for (std::size_t i = 0; i < connections_.size(); ++i) set_up(i);
}

void PersistWorkload::set_up(std::size_t number) {
    Connection& c = connections_[number];
    for (unsigned side = 0; side < 2; ++side) {
        const VerbsLayout::End& plan = c.plan->ends.at(side);
        VerbsEnd& of = verbs_end(*system_, plan.host);
        End& end = c.ends[side];
        rc::QpInit init;
        init.pd = kProtection;
        init.persist = c.item->verbs.persist;
        init.receive_queue = end.receives = of.host.driver.create_receive_queue(plan.receives, false);
        end.qp = of.host.driver.create_qp(init, plan.sends);
        if (side == 1) prepare_memory(*of.host.persistence(), plan.in, verbs_of(config_, plan.host).host);
        end.key = of.rnic.add_region(kProtection, plan.buffers(), kAll, host_of(c, side).page);
        std::vector<Place>& places = by_qp_[plan.host];
        if (end.qp.n >= places.size()) places.resize(end.qp.n + 1);
        places[end.qp.n] = {number, side};
        const std::uint32_t for_table = side == 0 && c.item->verbs.sends_table ? 1 : 0;
        const std::uint32_t prepared = is_by_processor(c.item->verbs.scheme) ? plan.prepared : 0;
        for (; end.receives_posted < std::max(prepared, for_table); ++end.receives_posted) {
            const rc::Sge sge{plan.received.slot(end.receives_posted), plan.received.slot_bytes, end.key};
            of.host.driver.prepare_receive(end.receives, {sge});
        }
    }
    const std::array<rc::QpAttributes, 2> attributes =
        connect_qps(*system_, config_, qps_of(c), {.path = c.item->verbs.path(), .access = kAll});
    for (unsigned side = 0; side < 2; ++side)
        observer_.connected(number, side, c.ends[side].qp, attributes.at(side).sq_psn, attributes.at(side).path_mtu);
    const VerbsLayout::Buffer& in = c.plan->ends[1].in;
    c.remote = {in.address, in.bytes(), c.ends[1].key, kAll.bits};
    c.told = !c.item->verbs.sends_table;
    c.asked = kReportClock.time(c.item->first_request(c.plan->ends[0].host));
    rests_until_ = std::max(rests_until_, c.asked);
    const unsigned begins = c.told ? 0 : 1;
    driver(c, begins).call_at(host_of(c, begins).clock.edge(c.asked), number);
}

std::array<QpOfHost, 2> PersistWorkload::qps_of(const Connection& c) {
    return {QpOfHost{c.plan->ends[0].host, c.ends[0].qp}, QpOfHost{c.plan->ends[1].host, c.ends[1].qp}};
}

void PersistWorkload::introduce(WireJudge& wire) const {
    for (const Connection& c : connections_) wire.connect(wire_connection(*system_, config_, qps_of(c)));
}

/// Numbers of connections: the initiator begins, or the responder tells it where. Behind them, connections and items:
/// the responder has flushed.
void PersistWorkload::called(Cycle now, std::uint64_t what) {
    const std::size_t connections = connections_.size();
    Connection& c = connections_[what % connections];
    if (what < connections) return c.told ? begin_more(c, now) : post_table(c, now);
    c.flushed.push_back(static_cast<std::uint32_t>(what / connections - 1));
    answer_more(c, now);
}

void PersistWorkload::post_table(Connection& c, Cycle now) {
    const ToldRegionBytes table = bytes_of(c.remote);
    const std::uint64_t from = c.plan->ends[1].word.slot(0);
    std::ranges::copy(table, driver(c, 1).memory(from, kRegionTable).begin());
    rc::SendWqe wqe;
    wqe.verb = rc::Verb::send;
    wqe.sges = {rc::Sge{from, kRegionTable, c.ends[1].key}};
    ++c.ends[1].sends_posted;
    observer_.table_posted(number(c), table);
    driver(c, 1).post_send(now, c.ends[1].qp, wqe);
}

/// It is the first message.
void PersistWorkload::take_table(Connection& c, Cycle now) {
    c.remote = told_region(driver(c, 0).memory(c.plan->ends[0].received.slot(0), kRegionTable));
    c.told = true;
    begin_more(c, now);
}

/// For the send WQEs of an item, two at most.
bool PersistWorkload::has_room(const Connection& c, unsigned side) {
    return c.ends[side].untold() + 2 < c.plan->ends.at(side).sends.entries;
}

bool PersistWorkload::many_untold(const Connection& c, unsigned side) {
    return c.ends[side].untold() >= kUntoldSends / 2;
}

void PersistWorkload::begin_more(Connection& c, Cycle now) {
    while (!c.over && c.begun < c.item->transfers && c.begun - c.ended < c.item->verbs.depth && has_room(c, 0))
        begin(c, now);
}

void PersistWorkload::begin(Connection& c, Cycle now) {
    const std::uint32_t item = c.begun++;
    fill(driver(c, 0).memory(c.plan->ends[0].out.slot(item), c.item->size), message_key(number(c), 0, item));
    Cycle begins;
    using enum PersistScheme;
    switch (c.item->verbs.scheme) {
        case none:
        case fig2:
        case fig3:
        case ack: begins = post_write(c, now, item, rc::Verb::write, true, Bell::rings); break;
        case fig10: {
            const bool more = c.item->verbs.write_behind;
            begins = post_write(c, now, item, rc::Verb::write_persist, true, more ? Bell::later : Bell::rings);
            if (more) post_notice(c, now, item);
            break;
        }
        case fig11: begins = post_write(c, now, item, rc::Verb::write_persist, true, Bell::rings); break;
        case apm:
            begins = post_write(c, now, item, rc::Verb::write, false, Bell::later);
            post_read(c, now, item);
            break;
        case flush:
            begins = post_write(c, now, item, rc::Verb::write, false, Bell::later);
            post_flush(c, now, item);
            break;
        case gpspm:
            begins = post_write(c, now, item, rc::Verb::write, false, Bell::later);
            post_receive(c, 0, now);
            post_message(c, 0, now, item, many_untold(c, 0));
            break;
    }
    const bool waited = item == 0 && c.item->verbs.sends_table;  // for the table
    record(c, item, waited ? c.asked : time(c, 0, begins));
    observer_.posted(number(c), item, time(c, 0, begins));
}

Cycle PersistWorkload::post(Connection& c, const PersistPost& what, Cycle now, const rc::SendWqe& wqe, Bell bell) {
    End& end = c.ends[what.side];
    ++end.sends_posted;
    const Cycle begins = driver(c, what.side).post_send(now, end.qp, wqe, bell);
    observer_.message_posted(what, time(c, what.side, begins));
    return begins;
}

Cycle PersistWorkload::post_write(Connection& c, Cycle now, std::uint32_t item, rc::Verb verb, bool signaled,
                                  Bell bell) {
    rc::SendWqe wqe;
    wqe.verb = verb;
    wqe.signaled = signaled;
    wqe.sges = {rc::Sge{c.plan->ends[0].out.slot(item), c.item->size, c.ends[0].key}};
    wqe.remote_address = remote_address(c, item);
    wqe.remote_key = c.remote.key;
    const bool ends = c.item->verbs.scheme == PersistScheme::fig10 || c.item->verbs.scheme == PersistScheme::ack;
    c.posted.push_back({item, signaled, ends});
    return post(c, {number(c), 0, item, verb, c.item->size}, now, wqe, bell);
}

void PersistWorkload::post_read(Connection& c, Cycle now, std::uint32_t item) {
    const std::uint32_t bytes = read_back_bytes(*c.item);
    rc::SendWqe wqe;
    wqe.verb = rc::Verb::read;
    wqe.sges = {rc::Sge{c.plan->ends[0].in.slot(item), bytes, c.ends[0].key}};
    wqe.remote_address = remote_address(c, item) + c.item->size - bytes;
    wqe.remote_key = c.remote.key;
    c.posted.push_back({item, false, true});
    post(c, {number(c), 0, item, wqe.verb, bytes}, now, wqe);
}

void PersistWorkload::post_flush(Connection& c, Cycle now, std::uint32_t item) {
    rc::SendWqe wqe;
    wqe.verb = rc::Verb::flush;
    wqe.flush = {roce::FlushPlacement::persistent, roce::FlushSelectivity::range};
    wqe.flush_length = c.item->size;
    wqe.remote_address = remote_address(c, item);
    wqe.remote_key = c.remote.key;
    c.posted.push_back({item, false, true});
    post(c, {number(c), 0, item, wqe.verb, 0}, now, wqe);
}

/// The PACK of the WRITE_PERSIST that the program was told of.
void PersistWorkload::post_pack(Connection& c, Cycle now, std::uint32_t item) {
    rc::SendWqe wqe;
    wqe.verb = rc::Verb::persist_ack;
    wqe.immediate_or_key = c.to_answer.front().n;
    c.to_answer.pop_front();
    post(c, {number(c), 1, item, wqe.verb, 0}, now, wqe);
}

/// {address, length} of the data.
rc::Sge PersistWorkload::message_about(Connection& c, unsigned side, std::uint32_t item) {
    const VerbsLayout::End& here = c.plan->ends.at(side);
    const std::span<std::uint8_t> bytes = driver(c, side).memory(here.word.slot(item), kPersistMessage);
    boost::endian::store_little_u64(bytes.data(), remote_address(c, item));
    boost::endian::store_little_u64(&bytes[8], c.item->size);
    return {here.word.slot(item), kPersistMessage, c.ends[side].key};
}

/// The message, as a WRITE into the place of a receive WQE.
void PersistWorkload::post_notice(Connection& c, Cycle now, std::uint32_t item) {
    rc::SendWqe wqe;
    wqe.verb = rc::Verb::write;
    wqe.signaled = false;
    wqe.sges = {message_about(c, 0, item)};
    wqe.remote_address = c.plan->ends[1].received.slot(item);
    wqe.remote_key = c.ends[1].key;
    c.posted.push_back({item, false, false});
    post(c, {number(c), 0, item, wqe.verb, kPersistMessage}, now, wqe);
}

Cycle PersistWorkload::post_message(Connection& c, unsigned side, Cycle now, std::uint32_t item, bool signaled) {
    rc::SendWqe wqe;
    wqe.verb = rc::Verb::send;
    wqe.signaled = signaled;
    wqe.sges = {message_about(c, side, item)};
    if (side == 0) c.posted.push_back({item, false, false});
    return post(c, {number(c), side, item, wqe.verb, kPersistMessage}, now, wqe);
}

void PersistWorkload::post_receive(Connection& c, unsigned side, Cycle now) {
    End& end = c.ends[side];
    const VerbsLayout::Buffer& received = c.plan->ends.at(side).received;
    const rc::Sge sge{received.slot(end.receives_posted++), received.slot_bytes, end.key};
    driver(c, side).post_receive(now, end.receives, {sge});
}

void PersistWorkload::completed(unsigned host, Cycle now, const rc::Completion& completion) {
    const Place place = by_qp_[host].at(completion.qp.n);
    Connection& c = connections_[place.connection];
    last_progress_ = std::max(last_progress_, time(c, place.side, now));
    observer_.takes_completion(host);
    if (completion.status != rc::Status::success) return fails(c, time(c, place.side, now));
    if (completion.receive) return message_came(c, place.side, now, completion);
    sent(c, place.side, now, completion.index);
}

/// Those before it that were not signaled are complete as well.
void PersistWorkload::sent(Connection& c, unsigned side, Cycle now, std::uint32_t index) {
    std::uint32_t& done = c.ends[side].sends_done;
    const std::uint32_t first = std::exchange(done, index + 1);
    if (side == 1) return answer_more(c, now);
    for (std::uint32_t i = first; i != done; ++i) {
        const Posted one = c.posted.front();
        c.posted.pop_front();
        if (one.writes) written(c, now, one.item);
        if (one.ends) persisted(c, now, one.item);
    }
    begin_more(c, now);
}

void PersistWorkload::written(Connection& c, Cycle now, std::uint32_t item) {
    if (c.over) return;
    observer_.told_written(number(c), item, time(c, 0, now));
    if (c.item->verbs.scheme == PersistScheme::fig2) post_read(c, now, item);
    if (c.item->verbs.scheme == PersistScheme::fig11) post_receive(c, 0, now);
    if (c.item->verbs.scheme == PersistScheme::fig3) {
        post_receive(c, 0, now);
        post_message(c, 0, now, item, true);
    }
}

/// Of a connection that has failed a message may still come: the other end's card has given up too early.
void PersistWorkload::persisted(Connection& c, Cycle now, std::uint32_t item) {
    if (c.over) return;
    const Time at = time(c, 0, now);
    observer_.told_persisted(number(c), item, at);  // and, if it has not been told, that they are written
    c.samples[item].status = 0;
    c.samples[item].end = at;
    last_progress_ = last_end_ = std::max(last_end_, at);
    if (++c.ended == c.item->transfers) {
        c.over = true;
        --running_;
        return;
    }
    begin_more(c, now);
}

void PersistWorkload::message_came(Connection& c, unsigned side, Cycle now, const rc::Completion& completion) {
    if (side == 0 && !c.told) return take_table(c, now);
    const std::uint32_t item = c.ends[side].taken++;
    observer_.message_taken(number(c), side, item, time(c, side, now));
    if (side == 0) return persisted(c, now, item);
    rc::Segment data{c.plan->ends[1].in.slot(item), c.item->size};
    if (c.item->verbs.scheme == PersistScheme::fig11) {
        data = {completion.address, completion.bytes};
        c.to_answer.push_back(roce::Psn{completion.immediate_or_key});
    }
    VerbsDriver& of = driver(c, 1);
    const Cycle begins = std::max(now, of.free_at());
    observer_.flushes(number(c), item, time(c, 1, begins));
    of.work(now, flush_time(c, begins, data), (std::uint64_t{item} + 1) * connections_.size() + number(c));
}

Cycle PersistWorkload::flush_time(const Connection& c, Cycle begins, const rc::Segment& data) const {
    const Clock& clock = host_of(c, 1).clock;
    PersistencePath& path = *verbs_end(*system_, c.plan->ends[1].host).host.persistence();
    return clock.edge(path.flush(clock.time(begins), data.address, data.length)) - begins;
}

void PersistWorkload::answer_more(Connection& c, Cycle now) {
    while (!c.flushed.empty() && has_room(c, 1)) {
        const std::uint32_t item = c.flushed.front();
        c.flushed.pop_front();
        answer(c, now, item);
    }
}

void PersistWorkload::answer(Connection& c, Cycle now, std::uint32_t item) {
    if (c.item->verbs.scheme == PersistScheme::fig11) {
        post_pack(c, now, item);
    } else {
        post_message(c, 1, now, item, c.item->verbs.scheme == PersistScheme::fig3 || many_untold(c, 1));
    }
    post_receive(c, 1, now);
}

/// The QP is in ERR: what it has posted is flushed, and nothing more is.
void PersistWorkload::fails(Connection& c, Time now) {
    if (c.over) return;
    for (std::uint32_t id = c.begun; id < c.item->transfers; ++id)  // are never posted
        record(c, id, now);
    c.over = true;
    --running_;
    observer_.failed(number(c), now);
}

std::size_t PersistWorkload::samples() const {
    std::size_t all = 0;
    for (const Connection& c : connections_) all += c.item->transfers;
    return all;
}

void PersistWorkload::record_in(std::span<Sample> samples) {
    for (Connection& c : connections_) {
        c.samples = samples.first(c.item->transfers);
        samples = samples.subspan(c.item->transfers);
    }
}

void PersistWorkload::record(Connection& c, std::uint32_t id, Time ready) {
    Sample& of = c.samples[id];
    of.id = id;
    of.initiator = static_cast<std::uint16_t>(c.plan->ends[0].host);
    of.responder = static_cast<std::uint16_t>(c.plan->ends[1].host);
    of.item = static_cast<std::uint16_t>(c.plan->item);
    of.bytes = c.item->size;
    const bool marked = has_write_persist(c.item->verbs.scheme);
    of.qp = c.plan->ends[0].qp;
    of.operation = static_cast<std::uint8_t>(marked ? rc::Verb::write_persist : rc::Verb::write);
    of.status = kMessageLost;
    of.start = of.end = ready;
}

void PersistWorkload::end_records() {
    for (Connection& c : connections_) {
        if (c.over) continue;  // all of them are there
        for (std::uint32_t id = c.begun; id < c.item->transfers; ++id) record(c, id, Time{});
    }
}

}  // namespace rnicsim
