#include "testbench/workload/verbs_workload.h"

#include "testbench/report_clock.h"

#include <fmt/format.h>
#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace rnicsim {
namespace {

/// Eight bytes of a message; no two messages of a run have the same at one place.
constexpr std::uint64_t word(std::uint64_t of, std::uint64_t index) {
    return of * 0x9E37'79B9'7F4A'7C15 + index * 0xD6E8'FEB8'6659'FD93 + 0x0102'0304'0506'0708;
}

std::uint64_t message_key(std::size_t connection, unsigned side, std::uint32_t message) {
    return (std::uint64_t{connection} << 33U) + (std::uint64_t{side} << 32U) + message + 1;
}

/// Whole words first, in loops that a compiler makes wide; then the bytes that are left.
void fill(std::span<std::uint8_t> bytes, std::uint64_t key) {
    const std::size_t words = bytes.size() / 8;
    for (std::size_t i = 0; i < words; ++i) {
        const std::uint64_t value = boost::endian::native_to_little(word(key, i));
        std::memcpy(bytes.data() + 8 * i, &value, 8);
    }
    const std::uint64_t last = boost::endian::native_to_little(word(key, words));
    std::memcpy(bytes.data() + 8 * words, &last, bytes.size() % 8);
}

/// Precondition: `offset` is a multiple of eight.
bool is_filled(std::span<const std::uint8_t> bytes, std::uint64_t key, std::uint64_t offset) {
    const std::size_t words = bytes.size() / 8;
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < words; ++i) {
        std::uint64_t found = 0;
        std::memcpy(&found, bytes.data() + 8 * i, 8);
        wrong |= found ^ boost::endian::native_to_little(word(key, offset / 8 + i));
    }
    const std::uint64_t last = boost::endian::native_to_little(word(key, offset / 8 + words));
    return wrong == 0 && std::memcmp(bytes.data() + 8 * words, &last, bytes.size() % 8) == 0;
}

std::uint32_t message_bytes(const TrafficConfig& item) {
    return rc::is_atomic(item.verbs.operation) ? rc::kAtomicBytes : item.size;
}

bool in_turn(const TrafficConfig& item) {
    return item.verbs.pattern == VerbsPattern::ping_pong && !rc::has_answer(item.verbs.operation);
}

}  // namespace

VerbsWorkload::VerbsWorkload(const RunConfig& config) : config_(config), layout_(lay_out(config)) {
    by_qp_.resize(config.names.size());
    areas_.resize(config.names.size());
    for (std::size_t i = 0; i < layout_.connections.size(); ++i) {
        const VerbsLayout::Connection& plan = layout_.connections[i];
        Connection c;
        c.plan = &plan;
        c.item = &config_.traffic[plan.item];
        c.records.reserve(c.item->transfers);
        for (unsigned side = 0; side < 2; ++side) {
            const VerbsLayout::End& of = plan.ends.at(side);
            for (std::uint32_t slot = 0; slot < of.in.slots; ++slot) c.ends[side].of_slot.push_back(slot);
            c.ends[side].placed.resize(of.in.slots);
            std::vector<Area>& areas = areas_[of.host];
            areas.push_back(
                {Area::What::ring, of.sends.address, std::uint64_t{of.sends.entries} * of.sends.stride, i, side});
            areas.push_back({Area::What::ring, of.receives.address,
                             std::uint64_t{of.receives.entries} * rc::kReceiveWqeBytes, i, side});
            areas.push_back({Area::What::ring, of.receives.record, rc::kRecordBytes, i, side});
            areas.push_back({Area::What::out, of.out.address, of.out.bytes(), i, side});
            areas.push_back({Area::What::in, of.in.address, of.in.bytes(), i, side});
        }
        connections_.push_back(std::move(c));
    }
    for (unsigned host = 0; host < areas_.size(); ++host) {
        if (!is_verbs(config, host)) continue;
        const rc::CqRing& cq = layout_.cqs[host];
        areas_[host].push_back({Area::What::ring, cq.address, std::uint64_t{cq.entries} * rc::kCqeBytes, 0, 0});
        std::ranges::sort(areas_[host], {}, &Area::address);
    }
    running_ = connections_.size();
}

VerbsDriver& VerbsWorkload::driver(const Connection& c, unsigned side) const {
    return system_->verbs_end(c.plan->ends.at(side).host).host.driver;
}

Time VerbsWorkload::time(const Connection& c, unsigned side, Cycle now) const {
    return verbs_of(config_, c.plan->ends.at(side).host).host.clock.time(now);
}

void VerbsWorkload::attach(System& system) {
    system_ = &system;
    for (unsigned host = 0; host < config_.names.size(); ++host) {
        if (!is_verbs(config_, host)) continue;
        VerbsEnd& end = system.verbs_end(host);
        end.host.driver.attach(programs_.emplace_back(*this, host), end.rnic);
        end.host.driver.create_cq(layout_.cqs[host]);
    }
    for (std::size_t i = 0; i < connections_.size(); ++i) set_up(system, i);
}

void VerbsWorkload::set_up(System& system, std::size_t number) {
    Connection& c = connections_[number];
    const TrafficConfig& item = *c.item;
    constexpr rc::Pd kPd{1};
    const rc::Access all = rc::kLocalWrite | rc::kRemoteWrite | rc::kRemoteRead | rc::kRemoteAtomic;
    for (unsigned side = 0; side < 2; ++side) {
        const VerbsLayout::End& plan = c.plan->ends.at(side);
        VerbsEnd& system_end = system.verbs_end(plan.host);
        End& end = c.ends[side];
        rc::QpInit init;
        init.pd = kPd;
        end.qp = system_end.host.driver.create_qp(init, plan.sends, plan.receives);
        // One region for both of its buffers: they lie side by side.
        const rc::Range range{plan.out.address, plan.in.address + plan.in.bytes() - plan.out.address};
        end.key = system_end.rnic.regions().add(kPd, range, all).value();
        std::vector<Place>& places = by_qp_[plan.host];
        if (end.qp.n >= places.size()) places.resize(end.qp.n + 1);
        places[end.qp.n] = {number, side};
        for (std::uint32_t slot = 0; slot < plan.out.slots && item.verbs.operation == rc::Verb::read; ++slot) {
            fill(system_end.host.driver.memory(plan.out.slot(slot), item.size), message_key(number, side, slot));
        }
        if (!rc::takes_receive(item.verbs.operation)) continue;
        for (std::uint32_t m = 0; m < 2 * plan.in.slots; ++m) {
            system_end.host.driver.prepare_receive(end.qp, {rc::Sge{plan.in.slot(m), item.size, end.key}});
        }
    }
    for (unsigned side = 0; side < 2; ++side) {
        const VerbsEndConfig& of = verbs_of(config_, c.plan->ends.at(side).host);
        rc::QpAttributes attributes = of.attributes;
        const rc::QpAttributes& peer = verbs_of(config_, c.plan->ends.at(1 - side).host).attributes;
        attributes.path_mtu = std::min(attributes.path_mtu, peer.path_mtu);
        attributes.max_rd_atomic = attributes.max_dest_rd_atomic =
            std::min(attributes.max_rd_atomic, peer.max_rd_atomic);
        attributes.access = rc::kRemoteWrite | rc::kRemoteRead | rc::kRemoteAtomic;
        attributes.peer = Peer{static_cast<std::uint16_t>(c.plan->ends.at(1 - side).host)};
        attributes.dest_qpn = c.ends[1 - side].qp;
        system.verbs_end(c.plan->ends.at(side).host).rnic.connect(c.ends[side].qp, attributes);
    }
    const bool writes = item.verbs.operation == rc::Verb::write;
    if (in_turn(item) && writes) driver(c, 1).watch(c.plan->ends[1].in.address + item.size - 1);
    const Time at = kReportClock.time(item.first_request(c.plan->ends[0].host));
    rests_until_ = std::max(rests_until_, at);
    driver(c, 0).call_at(verbs_of(config_, c.plan->ends[0].host).host.clock.edge(at), number);
}

void VerbsWorkload::start(Cycle now, std::uint64_t connection) {
    Connection& c = connections_[connection];
    post_more(c, now);
}

void VerbsWorkload::post_more(Connection& c, Cycle now) {
    const TrafficConfig& item = *c.item;
    const std::uint32_t depth = item.verbs.pattern == VerbsPattern::ping_pong ? 1 : item.verbs.depth;
    while (!c.over && c.ends[0].posted < item.transfers && c.ends[0].posted - c.ended < depth) post(c, 0, now);
}

void VerbsWorkload::post(Connection& c, unsigned side, Cycle now) {
    const TrafficConfig& item = *c.item;
    const auto number = static_cast<std::size_t>(&c - connections_.data());
    const unsigned other = 1 - side;
    const VerbsLayout::End &here = c.plan->ends.at(side), &there = c.plan->ends.at(other);
    const std::uint32_t m = c.ends[side].posted++;
    ++open_;
    rc::SendWqe wqe;
    wqe.verb = item.verbs.operation;
    wqe.signaled = (m + 1) % item.verbs.signal_every == 0 || m + 1 == item.transfers;
    wqe.remote_key = c.ends[other].key;
    wqe.immediate_or_key = m;
    if (rc::is_atomic(wqe.verb)) {
        wqe.sges = {rc::Sge{here.in.slot(m), rc::kAtomicBytes, c.ends[side].key}};
        wqe.remote_address = there.out.address;
        wqe.compare = m;
        wqe.swap_or_add = wqe.verb == rc::Verb::compare_swap ? m + 1 : 1;
    } else if (wqe.verb == rc::Verb::read) {
        wqe.sges = {rc::Sge{here.in.slot(m), item.size, c.ends[side].key}};
        wqe.remote_address = there.out.slot(m);
    } else {
        fill(driver(c, side).memory(here.out.slot(m), item.size), message_key(number, side, m));
        wqe.sges = {rc::Sge{here.out.slot(m), item.size, c.ends[side].key}};
        wqe.remote_address = there.in.slot(m);
    }
    if (side == 0 && in_turn(item) && wqe.verb == rc::Verb::write) {
        driver(c, 0).watch(here.in.slot(m) + item.size - 1);
    }
    const Cycle begins = driver(c, side).post_send(now, c.ends[side].qp, wqe);
    if (side != 0) return;
    FrameRecord record;
    record.id = m;
    record.sender = static_cast<std::uint16_t>(here.host);
    record.receiver = static_cast<std::uint16_t>(there.host);
    record.item = static_cast<std::uint16_t>(c.plan->item);
    record.bytes = message_bytes(item);
    record.ready = record.begin = time(c, 0, begins);
    c.records.push_back(record);
}

VerbsWorkload::Place VerbsWorkload::place_of(unsigned host, rc::Qpn qp) const {
    const std::vector<Place>& places = by_qp_[host];
    return qp.n < places.size() ? places[qp.n] : Place{};
}

void VerbsWorkload::completed(unsigned host, Cycle now, const rc::Completion& completion) {
    const Place place = place_of(host, completion.qp);
    if (place.connection >= connections_.size()) throw std::logic_error("a completion of no QP");
    Connection& c = connections_[place.connection];
    const TrafficConfig& item = *c.item;
    End& end = c.ends[place.side];
    last_progress_ = std::max(last_progress_, time(c, place.side, now));
    if (completion.status != rc::Status::success) return fails(c, place.side, now, completion.status);
    if (completion.receive) {
        const std::uint32_t m = end.received++;
        if (completion.index != m || completion.bytes != item.size)
            violate(c, time(c, place.side, now), "V-I2: a receive completion of another message or size");
        check_message(c, place.side, m, now);
        driver(c, place.side)
            .post_receive(now, end.qp, {rc::Sge{c.plan->ends.at(place.side).in.slot(m), item.size, end.key}});
        if (in_turn(item)) arrived(c, place.side, now);
        return;
    }
    if (completion.index < end.completed || completion.index >= end.posted)
        violate(c, time(c, place.side, now), "V-I7: a completion twice, or of what was not posted");
    if (place.side == 0 && !in_turn(item)) {
        while (c.ended <= completion.index && !c.over) message_ends(c, c.ended, now, 0);
    }
    open_ -= completion.index + 1 - end.completed;
    end.completed = completion.index + 1;
    if (in_turn(item)) take_turn(c, place.side, now);
    if (place.side == 0 && !in_turn(item)) post_more(c, now);
}

void VerbsWorkload::noticed(unsigned host, Cycle now, std::uint64_t address) {
    const Area* const area = area_of(host, address, 1);
    if (area == nullptr) throw std::logic_error("a byte of nobody was waited for");
    Connection& c = connections_[area->connection];
    End& end = c.ends[area->side];
    check_message(c, area->side, end.noticed++, now);
    if (area->side == 1) driver(c, 1).watch(address);
    arrived(c, area->side, now);
}

void VerbsWorkload::arrived(Connection& c, unsigned side, Cycle now) {
    if (c.over) return;
    if (side == 0) message_ends(c, c.ended, now, 0);
    c.ends[side].due = side == 1 || !c.over;
    take_turn(c, side, now);
}

/// Its queue has room for one message: it waits for the completion of the one before.
void VerbsWorkload::take_turn(Connection& c, unsigned side, Cycle now) {
    End& end = c.ends[side];
    if (!end.due || end.completed != end.posted) return;
    end.due = false;
    post(c, side, now);
}

void VerbsWorkload::message_ends(Connection& c, std::uint32_t id, Cycle now, unsigned side) {
    FrameRecord& record = c.records[id];
    const Time at = time(c, side, now);
    record.arrived = in_turn(*c.item) ? record.ready + Time{(at - record.ready).ps / 2} : at;
    last_progress_ = last_end_ = std::max(last_end_, at);
    if (rc::has_answer(c.item->verbs.operation)) check_message(c, 0, id, now);
    if (++c.ended != c.item->transfers) return;
    c.over = true;
    --running_;
}

/// The QP is in ERR: what it has posted is flushed, and nothing more is.
void VerbsWorkload::fails(Connection& c, unsigned side, Cycle now, rc::Status status) {
    const bool legal = status == rc::Status::retry_exc || status == rc::Status::rnr_retry_exc ||
                       (status == rc::Status::wr_flush && c.failed);
    if (!legal) {
        violate(c, time(c, side, now), fmt::format("V-I10: a completion with status {}", static_cast<int>(status)));
    }
    c.failed = true;
    End& end = c.ends[side];
    open_ -= end.posted - std::exchange(end.completed, end.posted);
    if (c.over) return;
    for (std::uint32_t id = c.ends[0].posted; id < c.item->transfers; ++id) {
        FrameRecord never = c.records.back();
        never.id = id;
        never.ready = never.begin = time(c, side, now);
        c.records.push_back(never);
    }
    c.over = true;
    --running_;
}

/// V-I5, V-I6: what a program may rely on is in memory.
void VerbsWorkload::check_message(const Connection& c, unsigned side, std::uint32_t id, Cycle now) {
    const auto number = static_cast<std::size_t>(&c - connections_.data());
    const VerbsLayout::Buffer& in = c.plan->ends.at(side).in;
    const End& end = c.ends[side];
    const rc::Verb verb = c.item->verbs.operation;
    const std::uint32_t bytes = message_bytes(*c.item);
    if (end.of_slot[id % in.slots] > id) return;  // its slot is in use again
    const std::span<const std::uint8_t> memory = driver(c, side).memory(in.slot(id), bytes);
    if (end.of_slot[id % in.slots] != id || end.placed[id % in.slots] != bytes)
        return violate(c, time(c, side, now), "V-I5: it is over, and not all of it is in memory");
    if (rc::is_atomic(verb)) {
        if (boost::endian::load_little_u64(memory.data()) != id)
            violate(c, time(c, side, now), "V-I4: an atomic's answer is not what its predecessor left");
        return;
    }
    const std::uint64_t key =
        verb == rc::Verb::read ? message_key(number, 1 - side, id % in.slots) : message_key(number, 1 - side, id);
    if (!is_filled(memory, key, 0)) violate(c, time(c, side, now), "V-I5: its bytes are not those that were sent");
}

const VerbsWorkload::Area* VerbsWorkload::area_of(unsigned host, std::uint64_t address, std::uint64_t bytes) const {
    const std::vector<Area>& areas = areas_[host];
    const auto behind = std::ranges::upper_bound(areas, address, {}, &Area::address);
    if (behind == areas.begin()) return nullptr;
    const Area& area = *(behind - 1);
    return address - area.address + bytes <= area.bytes ? &area : nullptr;
}

void VerbsWorkload::device_reads(unsigned host, std::uint64_t address, std::uint64_t bytes) {
    if (area_of(host, address, bytes) != nullptr || connections_.empty()) return;
    violate(connections_.front(), current_time(),
            fmt::format("V-I1: the card of {} reads {} bytes at 0x{:x}, which nobody has given it", config_.names[host],
                        bytes, address));
}

void VerbsWorkload::device_writes(unsigned host, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    const Area* const area = area_of(host, address, bytes.size());
    if (area == nullptr) {
        if (!connections_.empty())
            violate(connections_.front(), current_time(),
                    fmt::format("V-I1: the card of {} writes {} bytes at 0x{:x}, which nobody has given it",
                                config_.names[host], bytes.size(), address));
        return;
    }
    if (area->what == Area::What::ring) return;
    Connection& c = connections_[area->connection];
    const rc::Verb verb = c.item->verbs.operation;
    if (area->what == Area::What::out) {
        if (!rc::is_atomic(verb)) violate(c, current_time(), "V-I1: what is sent is written to");
        return;
    }
    last_progress_ = std::max(last_progress_, current_time());
    const VerbsLayout::Buffer& in = c.plan->ends.at(area->side).in;
    End& end = c.ends[area->side];
    const auto slot = static_cast<std::uint32_t>((address - in.address) / in.slot_bytes);
    const auto offset = static_cast<std::uint32_t>((address - in.address) % in.slot_bytes);
    const std::uint32_t all = message_bytes(*c.item);
    // With selective repeat packets may be placed ahead of missing ones, but still once each.
    const bool ahead = verbs_of(config_, c.plan->ends[0].host).card.transport.retransmission->selective();
    if (end.placed[slot] == all && (offset == 0 || ahead) && (verb != rc::Verb::read || end.of_slot[slot] < c.ended)) {
        end.of_slot[slot] += in.slots;  // the one before is all there
        end.placed[slot] = 0;
    }
    const std::uint32_t m = end.of_slot[slot];
    const auto length = static_cast<std::uint32_t>(bytes.size());
    const std::uint32_t placed = end.placed[slot];
    // V-I3; READ data may come anew.
    const bool legal = ahead ? placed + length <= all : offset == placed || (offset < placed && verb == rc::Verb::read);
    if (!legal) {
        violate(c, current_time(),
                fmt::format("V-I3: {} bytes of message {} are placed from {} on, where {} were", length, m, offset,
                            placed));
    }
    end.placed[slot] = ahead ? placed + length : offset + length;
    if (rc::is_atomic(verb)) return;
    const std::uint64_t key = message_key(area->connection, 1 - area->side, verb == rc::Verb::read ? slot : m);
    if (!is_filled(bytes, key, offset))
        violate(c, current_time(),
                fmt::format("V-I3: other bytes are placed from byte {} of message {} on", offset, m));
}

void VerbsWorkload::check_end(const System& system) {
    for (const Connection& c : connections_) {
        if (c.failed) continue;
        const TrafficConfig& item = *c.item;
        for (unsigned side = 0; side < 2; ++side) {
            const VerbsLayout::End& plan = c.plan->ends.at(side);
            const rc::Qp& qp = *system.verbs_end(plan.host).rnic.transport().qp(c.ends[side].qp);
            if (qp.state != rc::QpState::rts || qp.requester.queue.outstanding() != 0 || !qp.requester.queue.empty() ||
                !qp.responder.answers.empty())
                violate(c, last_end_, "V-I11: its QP is not at rest");
            const std::uint32_t sent = c.ends[1 - side].posted;
            if (rc::takes_receive(item.verbs.operation) && c.ends[side].received != sent)
                violate(c, last_end_, "V-I2: receives were consumed without a message, or the other way round");
            if (c.ends[side].completed != c.ends[side].posted)
                violate(c, last_end_, "V-I7: not every message has been completed");
            if (rc::has_answer(item.verbs.operation)) continue;
            for (std::uint32_t m = sent < plan.in.slots ? 0 : sent - plan.in.slots; m < sent; ++m)
                check_message(c, side, m, {});
        }
    }
}

void VerbsWorkload::violate(const Connection& c, Time at, const std::string& what) {
    if (!violation_.empty()) return;
    violation_ =
        fmt::format("invariant violated at cycle {}: connection {} of {} to {}: {}", reported(at).n, c.plan->number,
                    config_.names[c.plan->ends[0].host], config_.names[c.plan->ends[1].host], what);
}

std::vector<FrameRecord> VerbsWorkload::take_records() {
    std::vector<FrameRecord> all;
    for (const Connection& c : connections_) all.insert(all.end(), c.records.begin(), c.records.end());
    return all;
}

}  // namespace rnicsim
