// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/messages/verbs_judge.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "testbench/events/microseconds.h"
#include "testbench/kits/rc/rc_connection.h"
#include "testbench/workloads/messages/message_sample.h"

#include <fmt/format.h>
#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <numeric>

namespace rnicsim {
namespace {
using What = MemoryArea::What;

bool all_reliable(const VerbsLayout& layout, unsigned host) {
    return std::ranges::all_of(layout.connections, [&](const VerbsLayout::Connection& c) {
        return c.reliable || (c.ends[0].host != host && c.ends[1].host != host);
    });
}

}  // namespace

VerbsJudge::VerbsJudge(const RunConfig& config, const VerbsLayout& layout)
    : config_(config), layout_(layout), areas_(config, layout), shared_(config.names.size()) {
    for (unsigned host = 0; host < shared_.size(); ++host) {
        if (!layout.shared[host]) continue;
        const bool begins_anew = verbs_of(config, host).card.transport.retransmission->repeats_message();
        shared_[host].emplace(layout.shared[host]->buffer, all_reliable(layout, host), begins_anew);
    }
    for (std::size_t i = 0; i < layout.connections.size(); ++i) {
        const VerbsLayout::Connection& plan = layout.connections[i];
        Connection& c = connections_.emplace_back(config, plan);
        const bool mixed = !c.item->verbs.mix.empty(), sends = is_send(c.item->verbs.operation);
        for (unsigned side = 0; side < 2; ++side) {
            const VerbsLayout::End& of = plan.ends.at(side);
            End& end = c.ends[side];
            if (!c.item->verbs.is_reliable()) end.unreliable.emplace(*c.item, c.kinds, of.in, i, 1 - side);
            if (mixed || !sends) end.in.begin(of.in);
            if ((mixed || sends) && !layout.shared[of.host]) end.sends.begin(of.received);
        }
    }
}

void VerbsJudge::Landing::begin(const VerbsLayout::Buffer& of) {
    buffer = of;
    of_slot.resize(of.slots);
    std::iota(of_slot.begin(), of_slot.end(), 0U);
    placed.resize(of.slots);
    most.resize(of.slots);
}

void VerbsJudge::introduce(WireJudge& wire) const {
    for (const Connection& c : connections_) {
        if (!c.item->verbs.is_reliable()) continue;
        wire.connect(wire_connection(
            *system_, config_,
            {QpOfHost{c.plan->ends[0].host, c.ends[0].qp}, QpOfHost{c.plan->ends[1].host, c.ends[1].qp}}));
    }
}

void VerbsJudge::device_reads(unsigned host, std::uint64_t address, std::uint64_t bytes) {
    if (areas_.find(host, address, bytes) != nullptr || connections_.empty()) return;
    violate(0, current_time(),
            fmt::format("V-I1: the card of {} reads {} bytes at 0x{:x}, which nobody has given it", config_.names[host],
                        bytes, address));
}

void VerbsJudge::device_writes(unsigned host, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    const MemoryArea* const area = areas_.find(host, address, bytes.size());
    if (area == nullptr) {
        if (connections_.empty()) return;
        return violate(0, current_time(),
                       fmt::format("V-I1: the card of {} writes {} bytes at 0x{:x}, which nobody has given it",
                                   config_.names[host], bytes.size(), address));
    }
    switch (area->what) {
        case What::ring:
        case What::word: break;
        case What::out: violate(area->connection, current_time(), "V-I1: what is sent is written to"); break;
        case What::in:
        case What::sends: payload_written(*area, address, bytes); break;
        case What::shared: {
            violate_if(area->connection, current_time(), shared_[host]->placed(address, bytes));
            if (shared_[host]->progressed()) last_progress_ = std::max(last_progress_, current_time());
            break;
        }
    }
}

void VerbsJudge::payload_written(const MemoryArea& area, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    Connection& c = connections_[area.connection];
    End& end = c.ends[area.side];
    if (end.unreliable) {
        last_progress_ = std::max(last_progress_, current_time());
        if (area.what == What::sends) return;  // their completions tell
        const std::string wrong = end.unreliable->placed(address, bytes);
        return wrong.empty() ? void() : violate(area.connection, current_time(), wrong);
    }
    Landing& landing = area.what == What::sends ? end.sends : end.in;
    const VerbsLayout::Buffer& buffer = landing.buffer;
    const auto slot = static_cast<std::uint32_t>((address - buffer.address) / buffer.slot_bytes);
    const auto offset = static_cast<std::uint32_t>((address - buffer.address) % buffer.slot_bytes);
    std::uint32_t &n = landing.of_slot[slot], &placed = landing.placed[slot], &most = landing.most[slot];
    std::optional<std::uint32_t> message;
    // Of a mix: the next one that lands there.
    const auto find = [&] {
        while (!(message = message_at(c, area.side, area.what, n)) && n < landing_now(c, area.side, area.what))
            n += buffer.slots;
        if (!message) violate(area.connection, current_time(), "V-I3: bytes are placed that nobody has sent there");
        return message.has_value();
    };
    if (!find()) return;
    MessageKind kind = c.kinds.at(*message);
    // With selective repeat packets may be placed ahead of missing ones, but still once each.
    const rc::Retransmission& rule = *verbs_of(config_, c.plan->ends[0].host).card.transport.retransmission;
    const bool ahead = rule.selective();
    if (placed == kind.bytes && (offset == 0 || ahead) && (kind.verb != rc::Verb::read || n < c.ended)) {
        n += buffer.slots;  // the one before is all there
        placed = most = 0;
        if (!find()) return;
        kind = c.kinds.at(*message);
    }
    const std::uint32_t m = *message;
    const rc::Verb verb = kind.verb;
    const auto length = static_cast<std::uint32_t>(bytes.size());
    // V-I3; READ data may come anew, and with go_back_0 a message from its beginning.
    const bool anew = offset < placed && (verb == rc::Verb::read || (offset == 0 && rule.repeats_message()));
    const bool legal = ahead ? placed + length <= kind.bytes : offset == placed || anew;
    if (!legal) {
        violate(area.connection, current_time(),
                fmt::format("V-I3: {} bytes of message {} are placed from {} on, where {} were", length, m, offset,
                            placed));
    }
    placed = ahead ? placed + length : offset + length;
    if (placed > most) last_progress_ = std::max(last_progress_, current_time());  // what comes again is no progress
    most = std::max(most, placed);
    if (rc::is_atomic(verb)) return;
    const std::uint64_t key = message_key(area.connection, 1 - area.side, verb == rc::Verb::read ? slot : m);
    if (!is_filled(bytes, key, offset))
        violate(area.connection, current_time(),
                fmt::format("V-I3: other bytes are placed from byte {} of message {} on", offset, m));
}

void VerbsJudge::posted(const PostedMessage& message, Time /*begins*/) {
    const Connection& c = connections_[message.connection];
    std::array<End, 2>& ends = connections_[message.connection].ends;
    const std::uint32_t m = ends.at(message.side).posted++;
    if (!c.item->verbs.mix.empty() && rc::takes_receive(c.kinds.at(m).verb)) ends.at(message.side).takers.push_back(m);
    if (std::optional<UnreliableMessages>& there = ends.at(1 - message.side).unreliable) there->posted();
}

void VerbsJudge::seen(std::size_t connection, unsigned side, std::uint32_t number, Time now) {
    const End& end = connections_[connection].ends.at(side);
    if (!end.unreliable) return check_landed(connection, side, What::in, number, now);
    if (!end.unreliable->came(number)) violate(connection, now, "V-I6: it is seen, and not all of it is in memory");
}

void VerbsJudge::completed(std::size_t connection, unsigned side, const rc::Completion& completion, Time now) {
    Connection& c = connections_[connection];
    End& end = c.ends[side];
    if (completion.status != rc::Status::success) {
        const bool legal = completion.status == rc::Status::retry_exc ||
                           completion.status == rc::Status::rnr_retry_exc ||
                           (completion.status == rc::Status::wr_flush && c.failed);
        if (!legal)
            violate(connection, now,
                    fmt::format("V-I10: a completion with status {}", static_cast<int>(completion.status)));
        c.failed = true;
        const bool of_shared = completion.receive && shared_[c.plan->ends.at(side).host];
        if (of_shared) check_flushed(connection, side, completion, now);
        return;
    }
    if (completion.receive) return check_receive(connection, side, completion, now);
    if (completion.index < end.completed || completion.index >= end.posted)
        violate(connection, now, "V-I7: a completion twice, or of what was not posted");
    end.completed = completion.index + 1;
}

void VerbsJudge::ended(std::size_t connection, std::uint32_t messages, Time now) {
    Connection& c = connections_[connection];
    const rc::Verb verb = c.kinds.at(messages - 1).verb;
    if (rc::has_answer(verb)) check_landed(connection, 0, What::in, messages - 1, now);
    if (rc::is_atomic(verb) && c.kinds.changes(messages - 1)) ++c.atomics;
    c.ended = messages;
}

/// How many may have landed there.
std::uint32_t VerbsJudge::landing_now(const Connection& c, unsigned side, What what) {
    const bool mixed = !c.item->verbs.mix.empty();
    if (mixed && what == What::sends) return static_cast<std::uint32_t>(c.ends[1 - side].takers.size());
    return c.ends[mixed ? 0 : 1 - side].posted;  // a mix is a stream: answers come to who asks, too
}

/// The message that lands there as the n-th, if one does.
std::optional<std::uint32_t> VerbsJudge::message_at(const Connection& c, unsigned side, What what, std::uint32_t n) {
    if (c.item->verbs.mix.empty()) return n;
    if (n >= landing_now(c, side, what)) return {};
    const bool sends = what == What::sends;
    const std::uint32_t message = sends ? c.ends[1 - side].takers[n] : n;
    const rc::Verb verb = c.kinds.at(message).verb;
    const bool lands = is_send(verb) == sends && rc::has_answer(verb) == (side == 0);
    return lands ? std::optional(message) : std::nullopt;
}

/// V-I5, V-I6: the program relies on a message of its peer, or on the answer to its own READ or atomic.
void VerbsJudge::check_landed(std::size_t connection, unsigned side, What what, std::uint32_t n, Time now) {
    const Connection& c = connections_[connection];
    const End& end = c.ends[side];
    const Landing& landing = what == What::sends ? end.sends : end.in;
    const std::uint32_t slot = n % landing.buffer.slots;
    if (landing.of_slot[slot] > n) return;  // its slot is in use again
    const std::uint32_t message = message_at(c, side, what, n).value_or(n);
    const auto [verb, bytes] = c.kinds.at(message);
    if (landing.of_slot[slot] != n || landing.placed[slot] != bytes)
        return violate(connection, now, "V-I5: it is over, and not all of it is in memory");
    const std::span<const std::uint8_t> memory =
        verbs_end(*system_, c.plan->ends.at(side).host).host.driver.memory(landing.buffer.slot(n), bytes);
    if (rc::is_atomic(verb)) {
        if (boost::endian::load_little_u64(memory.data()) != c.atomics)
            violate(connection, now, "V-I4: an atomic's answer is not what its predecessor left");
        return;
    }
    const std::uint64_t key = message_key(connection, 1 - side, verb == rc::Verb::read ? slot : message);
    if (!is_filled(memory, key, 0)) violate(connection, now, "V-I5: its bytes are not those that were sent");
}

void VerbsJudge::check_end(Time last_end) {
    for (std::size_t i = 0; i < connections_.size(); ++i) {
        if (connections_[i].failed) continue;
        for (unsigned side = 0; side < 2; ++side) check_at_rest(i, side, last_end);
    }
    check_shared(last_end);
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

void VerbsJudge::strike_lost(std::span<Sample> samples) const {
    for (const Connection& c : connections_) {
        const std::span<Sample> own = samples.first(c.item->transfers);
        samples = samples.subspan(own.size());
        const std::optional<UnreliableMessages>& there = c.ends[1].unreliable;
        if (!there) continue;
        for (Sample& sample : own) {
            if (there->came(sample.id)) continue;
            sample.status = kMessageLost;
            sample.end = sample.start;
            sample.parts = {};
        }
    }
}

void VerbsJudge::check_at_rest(std::size_t connection, unsigned side, Time now) {
    const Connection& c = connections_[connection];
    const VerbsLayout::End& plan = c.plan->ends.at(side);
    const End& end = c.ends[side];
    const rc::Qp& qp = *verbs_end(*system_, plan.host).rnic.transport().qp(end.qp);
    if (qp.state != rc::QpState::rts || qp.requester.queue.outstanding() != 0 || !qp.requester.queue.empty() ||
        !qp.responder.answers.empty() || qp.leaving != 0)
        violate(connection, now, "V-I11: its QP is not at rest");
    if (end.completed != end.posted) violate(connection, now, "V-I7: not every message has been completed");
    if (end.unreliable) return;
    const VerbsTraffic& item = c.item->verbs;
    if (item.any(rc::takes_receive) && end.received != landing_now(c, side, What::sends))
        violate(connection, now, "V-I2: receives were consumed without a message, or the other way round");
    const bool all_answers = !item.any([](rc::Verb verb) { return !rc::has_answer(verb); });
    if (side == 0 ? !in_turn(*c.item) : all_answers) return;
    for (const What what : {What::in, What::sends}) {
        const auto slots = static_cast<std::uint32_t>((what == What::in ? end.in : end.sends).of_slot.size());
        const std::uint32_t behind = landing_now(c, side, what);
        for (std::uint32_t n = behind < slots ? 0 : behind - slots; n < behind; ++n) {
            if (message_at(c, side, what, n)) check_landed(connection, side, what, n, now);
        }
    }
}

void VerbsJudge::violate(std::size_t connection, Time at, const std::string& what) {
    if (!violation_.empty()) return;
    const VerbsLayout::Connection& plan = layout_.connections[connection];
    violation_ = fmt::format("invariant violated at {} us: connection {} of {} to {}: {}", exact_microseconds(at),
                             plan.number, config_.names[plan.ends[0].host], config_.names[plan.ends[1].host], what);
}

}  // namespace rnicsim
