// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/digest.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <initializer_list>
#include <utility>

namespace rnicsim::explore {
namespace {

template <class Enum>
std::uint32_t number(Enum e) {
    return static_cast<std::uint32_t>(e);
}

std::uint32_t flags(std::initializer_list<bool> bits) {
    std::uint32_t value = 0;
    for (const bool bit : bits) value = value << 1U | (bit ? 1U : 0U);
    return value;
}

void add(Mixer& mixer, const DrpHeader& h) {
    mixer.pack({number(h.type), flags({h.operation == Operation::read, h.indirect, h.valid}), raw(h.tid), raw(h.peer)});
    mixer.add(std::uint64_t{h.len} << 32U | h.sn << 8U | h.ackn);
    mixer.add(h.sba << 32U ^ h.dba);
}

/// The part of the sender that can still matter: the frames to send again, the end of the recovery, and the number of
/// duplicate acknowledgements up to the limit.
void add(Mixer& mixer, const DataSender& sender, std::uint32_t duplicate_limit) {
    const auto& [una, next, resend, resend_end, recover, recovering, duplicates, open] = sender.state();
    const Sn end = std::max(resend_end, una);
    mixer.pack({una.n, next.n, std::min(std::max(resend, una), end).n, end.n, recovering ? recover.n + 1 : 0,
                std::min(duplicates, duplicate_limit + 1)});
    mixer.add(open);
}

void add(Mixer& mixer, ConnectionTable::Index index, const Transfer& t, std::uint32_t duplicate_limit) {
    mixer.pack({index, number(t.phase), number(t.role), number(t.operation), raw(t.tid),
                flags({t.established, t.indirect, t.sending, t.acknowledged_to_host, t.early_short, t.refused_data,
                       t.far_busy}),
                flags({t.request_deadline != kNever, t.data_deadline != kNever, t.release_deadline != kNever,
                       t.idle_deadline != kNever}),
                number(t.error)});
    mixer.pack({raw(t.peer), t.requests, t.request_timeouts, t.retries, t.in_transmit_path, std::min(t.owed, 2U)});
    mixer.add(std::uint64_t{t.length} << 32U | t.early_end);
    mixer.add(t.sba << 32U ^ t.dba);
    add(mixer, t.sender, duplicate_limit);
    const auto& [expected, received] = t.receiver.state();
    mixer.add(received << 8U | expected.n);
}

/// Those that count. Which slot a frame is in makes no difference.
void add_slots(Mixer& mixer, const IndirectBuffer& buffer, const std::predicate<IndirectBuffer::Slot> auto& counts) {
    if (buffer.used() == 0) return;
    std::array<std::pair<std::uint64_t, std::uint64_t>, kMaxSlots> slots{};
    for (std::uint32_t i = 0; i < buffer.slot_count(); ++i) {
        const IndirectBuffer::Slot& slot = buffer.slot(i);
        if (slot.length == 0 || !counts(slot)) continue;
        slots.at(i) = {std::uint64_t{raw(slot.of.peer)} << 48U | std::uint64_t{slot.length} << 32U |
                           std::uint64_t{raw(slot.of.tid)} << 16U | slot.sn.n << 1U | (slot.draining ? 1U : 0U),
                       slot.address};
    }
    std::ranges::sort(slots);
    for (const auto& [what, where] : slots) {
        if (what == 0) continue;
        mixer.add(what);
        mixer.add(where);
    }
}

void add(Mixer& mixer, const End& end, std::uint32_t duplicate_limit) {
    const ConnectionTable& table = end.logic.table();
    const auto& [ended, ended_next, turn] = end.logic.memory();
    mixer.pack({static_cast<std::uint32_t>(table.active().size()), turn, static_cast<std::uint32_t>(ended.size()),
                static_cast<std::uint32_t>(ended_next), static_cast<std::uint32_t>(end.staged.size())});
    for (const ConnectionTable::Index i : table.active()) add(mixer, i, table[i], duplicate_limit);
    for (const TransferKey& of : ended) mixer.add(std::uint64_t{raw(of.peer)} << 16U | raw(of.tid));
    for (const DataJob& job : end.staged) {
        mixer.add(job.entry);
        add(mixer, job.header);
    }
    add_slots(mixer, end.buffer, [](const IndirectBuffer::Slot&) { return true; });
    mixer.add(end.buffer.used());
}

}  // namespace

Digest digest(const End& end, std::uint32_t duplicate_limit) {
    Mixer mixer;
    add(mixer, end, duplicate_limit);
    return mixer.finish();
}

Digest digest_of_others(const End& end, Peer peer, std::uint32_t duplicate_limit) {
    Mixer mixer;
    const ConnectionTable& table = end.logic.table();
    for (const ConnectionTable::Index i : table.active()) {
        const Transfer& t = table[i];
        if (t.peer != peer && t.phase != Phase::given_up) add(mixer, i, t, duplicate_limit);
    }
    add_slots(mixer, end.buffer, [&](const IndirectBuffer::Slot& slot) { return slot.of.peer != peer; });
    return mixer.finish();
}

Digest digest(const World& world) {
    Mixer mixer;
    mixer.add(world.faults_left());
    for (const Wire& wire : world.wires()) {
        mixer.add(wire.flights.size());
        for (const Flight& flight : wire.flights) add(mixer, flight.header);
    }
    for (const End& end : world.ends()) {
        add(mixer, end, world.setting().bounds.duplicate_acks);
        mixer.pack({end.started, static_cast<std::uint32_t>(end.asked.size()),
                    static_cast<std::uint32_t>(end.verdicts.size()), end.draining});
        // Of a generation only one thing matters: whether it is the last one used.
        const auto of_now = [&world](const Question& q) {
            return q.generation == world.progress()[q.transfer].generation;
        };
        for (const Question& question : end.asked) mixer.pack({question.transfer, flags({of_now(question)})});
        for (const Verdict& v : end.verdicts) mixer.pack({v.about.transfer, flags({of_now(v.about), v.valid})});
    }
    for (const Progress& p : world.progress()) {
        mixer.pack({number(p.outcome),
                    flags({p.running, p.acknowledged, p.region_known, p.registered, p.retry, p.responder_ended,
                           p.silenced, p.turned_away}),
                    p.failures, p.memory, number(p.repeater)});
    }
    return mixer.finish();
}

}  // namespace rnicsim::explore
