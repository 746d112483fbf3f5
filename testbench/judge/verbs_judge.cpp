#include "testbench/judge/verbs_judge.h"

#include "testbench/report_clock.h"
#include "testbench/workload/verbs_message.h"

#include <fmt/format.h>
#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <utility>

namespace rnicsim {

VerbsJudge::VerbsJudge(const RunConfig& config, const VerbsLayout& layout) : config_(config), layout_(layout) {
    areas_.resize(config.names.size());
    for (std::size_t i = 0; i < layout.connections.size(); ++i) {
        const VerbsLayout::Connection& plan = layout.connections[i];
        Connection c;
        c.plan = &plan;
        c.item = &config.traffic[plan.item];
        for (unsigned side = 0; side < 2; ++side) {
            const VerbsLayout::End& of = plan.ends.at(side);
            if (!c.item->verbs.is_reliable()) c.ends[side].unreliable.emplace(*c.item, of.in, i, 1 - side);
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
        const rc::CqRing& cq = layout.cqs[host];
        areas_[host].push_back({Area::What::ring, cq.address, std::uint64_t{cq.entries} * rc::kCqeBytes, 0, 0});
        areas_[host].push_back({Area::What::ring, layout.lines[host].address, layout.lines[host].bytes, 0, 0});
        std::ranges::sort(areas_[host], {}, &Area::address);
    }
}

void VerbsJudge::introduce(WireJudge& wire) const {
    for (const Connection& c : connections_) {
        if (!c.item->verbs.is_reliable()) continue;
        WireJudge::Connection known;
        for (unsigned side = 0; side < 2; ++side) {
            const unsigned host = c.plan->ends.at(side).host;
            const rc::RcConfig& card = verbs_of(config_, host).card.transport;
            const rc::QpAttributes& of = system_->verbs_end(host).rnic.transport().qp(c.ends.at(side).qp)->attributes;
            known.ends.at(side) = {host, c.ends.at(side).qp, of.sq_psn, card.window, of.max_rd_atomic};
            known.pmtu = of.path_mtu;
            known.in_order = !card.retransmission->selective();
        }
        wire.connect(known);
    }
}

const VerbsJudge::Area* VerbsJudge::area_of(unsigned host, std::uint64_t address, std::uint64_t bytes) const {
    const std::vector<Area>& areas = areas_[host];
    const auto behind = std::ranges::upper_bound(areas, address, {}, &Area::address);
    if (behind == areas.begin()) return nullptr;
    const Area& area = *(behind - 1);
    return address - area.address + bytes <= area.bytes ? &area : nullptr;
}

void VerbsJudge::device_reads(unsigned host, std::uint64_t address, std::uint64_t bytes) {
    if (area_of(host, address, bytes) != nullptr || connections_.empty()) return;
    violate(0, current_time(),
            fmt::format("V-I1: the card of {} reads {} bytes at 0x{:x}, which nobody has given it", config_.names[host],
                        bytes, address));
}

void VerbsJudge::device_writes(unsigned host, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    const Area* const area = area_of(host, address, bytes.size());
    if (area == nullptr) {
        if (connections_.empty()) return;
        return violate(0, current_time(),
                       fmt::format("V-I1: the card of {} writes {} bytes at 0x{:x}, which nobody has given it",
                                   config_.names[host], bytes.size(), address));
    }
    switch (area->what) {
        case Area::What::ring: break;
        case Area::What::out:
            if (!rc::is_atomic(connections_[area->connection].item->verbs.operation))
                violate(area->connection, current_time(), "V-I1: what is sent is written to");
            break;
        case Area::What::in: payload_written(*area, address, bytes); break;
    }
}

void VerbsJudge::payload_written(const Area& area, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    Connection& c = connections_[area.connection];
    const rc::Verb verb = c.item->verbs.operation;
    last_progress_ = std::max(last_progress_, current_time());
    const VerbsLayout::Buffer& in = c.plan->ends.at(area.side).in;
    End& end = c.ends.at(area.side);
    if (end.unreliable) {
        const std::string wrong = end.unreliable->placed(address, bytes);
        return wrong.empty() ? void() : violate(area.connection, current_time(), wrong);
    }
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
        violate(area.connection, current_time(),
                fmt::format("V-I3: {} bytes of message {} are placed from {} on, where {} were", length, m, offset,
                            placed));
    }
    end.placed[slot] = ahead ? placed + length : offset + length;
    if (rc::is_atomic(verb)) return;
    const std::uint64_t key = message_key(area.connection, 1 - area.side, verb == rc::Verb::read ? slot : m);
    if (!is_filled(bytes, key, offset))
        violate(area.connection, current_time(),
                fmt::format("V-I3: other bytes are placed from byte {} of message {} on", offset, m));
}

void VerbsJudge::posted(const PostedMessage& message, Time /*begins*/) {
    std::array<End, 2>& ends = connections_[message.connection].ends;
    ++ends.at(message.side).posted;
    if (std::optional<UnreliableMessages>& there = ends.at(1 - message.side).unreliable) there->posted();
}

void VerbsJudge::seen(std::size_t connection, unsigned side, std::uint32_t number, Time now) {
    const End& end = connections_[connection].ends.at(side);
    if (!end.unreliable) return check_message(connection, side, number, now);
    if (!end.unreliable->came(number)) violate(connection, now, "V-I6: it is seen, and not all of it is in memory");
}

/// Of UC and UD: which message it is shows in memory.
void VerbsJudge::check_received(std::size_t connection, unsigned side, const rc::Completion& completion, Time now) {
    const Connection& c = connections_[connection];
    const VerbsLayout::End& plan = c.plan->ends.at(side);
    const bool datagram = c.item->verbs.service == roce::Service::datagram;
    if (completion.bytes != receive_bytes(*c.item) || completion.grh != datagram ||
        completion.from != (datagram ? c.ends.at(1 - side).qp : rc::Qpn{}))
        return violate(connection, now, "V-I2: a receive completion of another size or sender");
    const std::span<const std::uint8_t> memory =
        system_->verbs_end(plan.host).host.driver.memory(plan.in.slot(completion.index), receive_bytes(*c.item));
    const std::string wrong =
        connections_[connection].ends.at(side).unreliable->received(memory, completion.immediate_or_key);
    if (!wrong.empty()) violate(connection, now, wrong);
}

void VerbsJudge::completed(std::size_t connection, unsigned side, const rc::Completion& completion, Time now) {
    Connection& c = connections_[connection];
    End& end = c.ends.at(side);
    if (completion.status != rc::Status::success) {
        const bool legal = completion.status == rc::Status::retry_exc ||
                           completion.status == rc::Status::rnr_retry_exc ||
                           (completion.status == rc::Status::wr_flush && c.failed);
        if (!legal)
            violate(connection, now,
                    fmt::format("V-I10: a completion with status {}", static_cast<int>(completion.status)));
        c.failed = true;
        return;
    }
    if (completion.receive) {
        const std::uint32_t m = end.received++;
        if (end.unreliable && completion.index == m) return check_received(connection, side, completion, now);
        if (completion.index != m || completion.bytes != c.item->size)
            violate(connection, now, "V-I2: a receive completion of another message or size");
        return check_message(connection, side, m, now);
    }
    if (completion.index < end.completed || completion.index >= end.posted)
        violate(connection, now, "V-I7: a completion twice, or of what was not posted");
    end.completed = completion.index + 1;
}

void VerbsJudge::ended(std::size_t connection, std::uint32_t messages, Time now) {
    Connection& c = connections_[connection];
    if (rc::has_answer(c.item->verbs.operation)) check_message(connection, 0, messages - 1, now);
    c.ended = messages;
}

/// V-I5, V-I6: the program relies on message `id` of its peer, or on the answer to its own READ or atomic.
void VerbsJudge::check_message(std::size_t connection, unsigned side, std::uint32_t id, Time now) {
    const Connection& c = connections_[connection];
    const VerbsLayout::Buffer& in = c.plan->ends.at(side).in;
    const End& end = c.ends.at(side);
    const rc::Verb verb = c.item->verbs.operation;
    const std::uint32_t bytes = message_bytes(*c.item);
    const std::uint32_t slot = id % in.slots;
    if (end.of_slot[slot] > id) return;  // its slot is in use again
    if (end.of_slot[slot] != id || end.placed[slot] != bytes)
        return violate(connection, now, "V-I5: it is over, and not all of it is in memory");
    const std::span<const std::uint8_t> memory =
        system_->verbs_end(c.plan->ends.at(side).host).host.driver.memory(in.slot(id), bytes);
    if (rc::is_atomic(verb)) {
        if (boost::endian::load_little_u64(memory.data()) != id)
            violate(connection, now, "V-I4: an atomic's answer is not what its predecessor left");
        return;
    }
    const std::uint64_t key = message_key(connection, 1 - side, verb == rc::Verb::read ? slot : id);
    if (!is_filled(memory, key, 0)) violate(connection, now, "V-I5: its bytes are not those that were sent");
}

void VerbsJudge::check_end(Time last_end) {
    for (std::size_t i = 0; i < connections_.size(); ++i) {
        if (connections_[i].failed) continue;
        for (unsigned side = 0; side < 2; ++side) check_at_rest(i, side, last_end);
    }
    check_copies(last_end);
}

/// Of UC and UD no message has come oftener than links have brought it.
void VerbsJudge::check_copies(Time now) {
    std::uint64_t copies = 0, copied = 0;
    for (const Connection& c : connections_) {
        for (const End& end : c.ends) copies += end.unreliable ? end.unreliable->copies() : 0;
    }
    if (copies == 0) return;
    for (std::size_t i = 0; i < system_->links(); ++i) {
        for (unsigned side = 0; side < 2; ++side) copied += system_->link(i).from(side).counters().copied;
    }
    if (copies > copied)
        violate(0, now, fmt::format("V-U1: {} messages have come again, and {} frames were copied", copies, copied));
}

void VerbsJudge::strike_lost(std::vector<FrameRecord>& records) const {
    auto record = records.begin();
    for (const Connection& c : connections_) {
        const std::optional<UnreliableMessages>& there = c.ends[1].unreliable;
        for (std::uint32_t m = 0; m < c.item->transfers && record != records.end(); ++m, ++record) {
            if (there && !there->came(m)) record->arrived = {};
        }
    }
}

void VerbsJudge::check_at_rest(std::size_t connection, unsigned side, Time now) {
    const Connection& c = connections_[connection];
    const VerbsLayout::End& plan = c.plan->ends.at(side);
    const End& end = c.ends.at(side);
    const rc::Verb verb = c.item->verbs.operation;
    const rc::Qp& qp = *system_->verbs_end(plan.host).rnic.transport().qp(end.qp);
    if (qp.state != rc::QpState::rts || qp.requester.queue.outstanding() != 0 || !qp.requester.queue.empty() ||
        !qp.responder.answers.empty() || qp.leaving != 0)
        violate(connection, now, "V-I11: its QP is not at rest");
    if (end.completed != end.posted) violate(connection, now, "V-I7: not every message has been completed");
    if (end.unreliable) return;
    const std::uint32_t sent = c.ends.at(1 - side).posted;
    if (rc::takes_receive(verb) && end.received != sent)
        violate(connection, now, "V-I2: receives were consumed without a message, or the other way round");
    if (rc::has_answer(verb)) return;
    for (std::uint32_t m = sent < plan.in.slots ? 0 : sent - plan.in.slots; m < sent; ++m)
        check_message(connection, side, m, now);
}

void VerbsJudge::violate(std::size_t connection, Time at, const std::string& what) {
    if (!violation_.empty()) return;
    const VerbsLayout::Connection& plan = layout_.connections[connection];
    violation_ = fmt::format("invariant violated at cycle {}: connection {} of {} to {}: {}", reported(at).n,
                             plan.number, config_.names[plan.ends[0].host], config_.names[plan.ends[1].host], what);
}

}  // namespace rnicsim
