// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/persistence/stopped_cuts.h"

#include "model/rnic/rc/end/verbs_end.h"
#include "testbench/kits/rc/verbs_message.h"

#include <algorithm>
#include <bit>

namespace rnicsim {
namespace {

constexpr std::uint64_t kLine = kLineBytes;

bool is_written(std::uint64_t mask, std::size_t byte) { return (mask >> byte & 1U) != 0; }

}  // namespace

void StoppedCuts::Records::line_written(const LineWrite& write) {
    if (!write.scm) return;
    all.lines.emplace_back(CutRecords::Write{write, 0});
    numbers.insert(write.number);
}

void StoppedCuts::Records::line_written_back(std::uint64_t number, Time adr, Time scm_done) {
    if (numbers.contains(number)) all.lines.emplace_back(LineWriteBack{number, adr, scm_done});
}

StoppedCuts::StoppedCuts(const RunConfig& config, const VerbsLayout& layout)
    : config_(config), areas_(config, layout), by_host_(config.names.size()) {
    for (const VerbsLayout::Connection& plan : layout.persists) {
        const unsigned host = plan.ends[1].host;
        if (by_host_[host] == nullptr) {
            hosts_.push_back(std::make_unique<OfHost>());
            hosts_.back()->host = host;
            by_host_[host] = hosts_.back().get();
        }
        connections_.push_back({&plan, by_host_[host], {}});
    }
}

void StoppedCuts::attach(System& system) {
    for (const std::unique_ptr<OfHost>& of : hosts_) {
        of->path = verbs_end(system, of->host).host.persistence();
        of->path->set_observer(&of->records);
    }
}

/// The path has booked its lines just now. TLPs begin with a line, so none is booked twice.
void StoppedCuts::device_posts(unsigned host, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    OfHost* const of = by_host_[host];
    if (of == nullptr || bytes.empty()) return;
    std::uint64_t number = of->path->last_number() - ((address + bytes.size() - 1) / kLine - address / kLine);
    while (!bytes.empty()) {
        const std::uint64_t n = std::min<std::uint64_t>(bytes.size(), kLine - address % kLine);
        keep(*of, number++, address, bytes.first(n));
        address += n;
        bytes = bytes.subspan(n);
    }
}

/// They are of the latest item that was posted into their slot.
void StoppedCuts::keep(OfHost& of, std::uint64_t number, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    const MemoryArea* const area = areas_.find(of.host, address, bytes.size());
    if (area == nullptr || area->what != MemoryArea::What::in || area->side != 1) return;
    Connection& c = connections_[area->connection];
    const VerbsLayout::Buffer& in = c.plan->ends[1].in;
    Bytes kept;
    kept.line = address / kLine;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        kept.mask |= std::uint64_t{1} << (address % kLine + i);
        kept.at.at(address % kLine + i) = bytes[i];
    }
    kept.connection = area->connection;
    const auto item = in.latest(address, static_cast<std::uint32_t>(c.items.size()));
    if (!item) return;  // the judge says so
    kept.item = *item;
    c.items.at(kept.item).writes.push_back(number);
    of.bytes.emplace(number, kept);
}

void StoppedCuts::posted(std::size_t connection, std::uint32_t /*item*/, Time /*begins*/) {
    connections_[connection].items.emplace_back();
}

void StoppedCuts::told_written(std::size_t connection, std::uint32_t item, Time now) {
    connections_[connection].items.at(item).told_written = now;
}

void StoppedCuts::told_persisted(std::size_t connection, std::uint32_t item, Time now) {
    connections_[connection].items.at(item).told_persisted = now;
}

std::vector<CutFinding> StoppedCuts::look(Time at, std::optional<unsigned> initiator) const {
    std::vector<CutFinding> all;
    for (const std::unique_ptr<OfHost>& of : hosts_) {
        Records so_far = of->records;
        of->path->tell_held(so_far);
        const CutSnapshot snapshot = cut_at(at, of->path->domain(), so_far.all);
        CutFinding& finding = all.emplace_back();
        finding.host = of->host;
        finding.row = {at, snapshot.iio_bytes, snapshot.llc_bytes, snapshot.imc_bytes, {}};
        for (std::size_t i = 0; i < connections_.size(); ++i) {
            const bool counts = !initiator || connections_[i].plan->ends[0].host == *initiator;
            if (counts && connections_[i].there == of.get()) look_at(i, snapshot, finding);
        }
    }
    return all;
}

void StoppedCuts::look_at(std::size_t connection, const CutSnapshot& snapshot, CutFinding& to) const {
    const Connection& c = connections_[connection];
    const VerbsLayout::End& from = c.plan->ends[0];
    const std::uint32_t slots = c.plan->ends[1].in.slots;
    std::vector<Slot> of_slots;
    for (std::uint32_t slot = 0; slot < std::min<std::size_t>(slots, c.items.size()); ++slot)
        of_slots.push_back(slot_of(connection, slot, snapshot));
    bool all_before = true;  // those that were posted before are whole
    for (std::uint32_t i = 0; i < c.items.size(); ++i) {
        CutFinding::Item item = judged(c, i, of_slots[i % slots], snapshot);
        const bool is_whole = item.durable == item.bytes;
        item.is.at(static_cast<std::size_t>(CutState::inverted)) = is_whole && !all_before;
        all_before = all_before && is_whole;
        ++to.posted;
        to.told += item.told_persisted != kEndOfTime ? 1 : 0;
        to.durable += is_whole ? 1 : 0;
        for (std::size_t state = 0; state < kCutStates; ++state) to.row.messages.at(state) += item.is.at(state) ? 1 : 0;
        if (std::ranges::find(item.is, true) == item.is.end()) continue;
        item.name = config_.names.message(from.host, from.qp, i);
        to.items.push_back(std::move(item));
    }
}

/// Whose a byte is, is believed if it is what that item has there.
StoppedCuts::Slot StoppedCuts::slot_of(std::size_t connection, std::uint32_t item, const CutSnapshot& snapshot) const {
    const Connection& c = connections_[connection];
    const VerbsLayout::Buffer& in = c.plan->ends[1].in;
    const std::uint64_t begin = in.slot(item);
    Slot slot{std::vector<std::uint8_t>(in.slot_bytes), std::vector<std::int64_t>(in.slot_bytes, -1)};
    for (std::uint32_t b = 0; b < in.slot_bytes; ++b) {
        const auto line = snapshot.content.find((begin + b) / kLine);
        if (line == snapshot.content.end()) continue;
        const std::uint64_t number = line->second.at((begin + b) % kLine);
        const auto bytes = c.there->bytes.find(number);
        if (bytes == c.there->bytes.end()) continue;  // of nobody, or stored by the host's processor
        slot.bytes[b] = bytes->second.at.at((begin + b) % kLine);
        slot.items[b] = bytes->second.item;
    }
    std::vector<std::uint8_t> expected(in.slot_bytes);
    for (std::uint32_t b = 0, of = ~0U; b < in.slot_bytes; ++b) {
        if (slot.items[b] < 0) continue;
        if (of != slot.items[b])
            fill(expected, message_key(connection, 0, of = static_cast<std::uint32_t>(slot.items[b])));
        if (slot.bytes[b] != expected[b]) slot.items[b] = -1;
    }
    return slot;
}

/// A newer item in its place is as good as its own bytes.
CutFinding::Item StoppedCuts::judged(const Connection& c, std::uint32_t number, const Slot& slot,
                                     const CutSnapshot& snapshot) const {
    const Item& item = c.items[number];
    const std::uint64_t begin = c.plan->ends[1].in.slot(number);
    CutFinding::Item found;
    found.bytes = config_.traffic[c.plan->item].size;
    found.told_written = item.told_written;
    found.told_persisted = item.told_persisted;
    for (const std::uint64_t write : item.writes) {
        const Bytes& bytes = c.there->bytes.at(write);
        bool is_there = true;
        for (std::size_t b = 0; b < kLine; ++b) {
            if (is_written(bytes.mask, b)) is_there = is_there && slot.items[bytes.line * kLine + b - begin] >= number;
        }
        if (is_there) {
            found.durable += static_cast<std::uint32_t>(std::popcount(bytes.mask));
        } else if (!found.line) {
            found.line = bytes.line;
            const auto lost = std::ranges::lower_bound(snapshot.lost_writes, write, {}, &CutSnapshot::Lost::number);
            if (lost != snapshot.lost_writes.end() && lost->number == write) found.stage = lost->stage;
        }
    }
    const bool is_whole = found.durable == found.bytes;
    const bool written = item.told_written != kEndOfTime, persisted = item.told_persisted != kEndOfTime;
    const auto set = [&](CutState state, bool is) { found.is.at(static_cast<std::size_t>(state)) = is; };
    set(CutState::vulnerable, written && !is_whole);
    set(CutState::unproven, written && !persisted);
    set(CutState::torn, found.durable > 0 && !is_whole);
    set(CutState::false_persistence, persisted && !is_whole);
    return found;
}

}  // namespace rnicsim
