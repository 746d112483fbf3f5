// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/persistence/persist_judge.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "testbench/kits/rc/verbs_message.h"

#include <fmt/format.h>

#include <algorithm>

namespace rnicsim {
namespace {

/// A flush read, which reads nothing, goes there.
constexpr std::uint64_t kFlushReads = 64;
constexpr std::uint64_t kDw = 4;

}  // namespace

PersistJudge::PersistJudge(const RunConfig& config, const VerbsLayout& layout, PersistObserver& next)
    : config_(config),
      layout_(layout),
      next_(next),
      areas_(config, layout),
      is_of_scheme_(config.names.size(), false),
      connections_(layout.persists.size()) {
    for (const VerbsLayout::Connection& c : layout.persists) {
        for (const VerbsLayout::End& end : c.ends) is_of_scheme_[end.host] = true;
    }
}

void PersistJudge::device_writes(unsigned host, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    const MemoryArea* const area = areas_.find(host, address, bytes.size());
    if (area == nullptr || area->what == MemoryArea::What::out || area->what == MemoryArea::What::word) {
        return violate(current_time(),
                       fmt::format("V-I1: the card of {} writes {} bytes at 0x{:x}, which nobody lets it",
                                   config_.names[host], bytes.size(), address));
    }
    if (area->what == MemoryArea::What::sends && area->side == 0)
        return table_comes(host, area->connection, address, bytes);
    if (area->what != MemoryArea::What::in) return;
    if (area->side == 0) return read_back(host, area->connection, address, bytes);
    const VerbsLayout::Buffer& in = layout_.persists[area->connection].ends[1].in;
    Connection& c = connections_[area->connection];
    const std::uint64_t offset = (address - in.address) % in.slot_bytes;
    const auto item = in.latest(address, c.posted);
    // What comes again is no progress: with go_back_0 an item may begin anew for ever.
    if (const auto reached = std::pair(item.value_or(0), offset + bytes.size()); reached > c.reached) {
        c.reached = reached;
        last_progress_ = current_time();
    }
    // Who is told too early writes into a buffer that is still being sent.
    if (config_.traffic[layout_.persists[area->connection].item].verbs.unsafe) return;
    if (!item || offset + bytes.size() > in.slot_bytes ||
        !is_filled(bytes, message_key(area->connection, 0, *item), offset)) {
        violate(current_time(), fmt::format("V-I3: what the card of {} writes at 0x{:x} is not what was sent",
                                            config_.names[host], address));
    }
}

/// It is the first message, and no item is posted before it has come.
void PersistJudge::table_comes(unsigned host, std::size_t connection, std::uint64_t address,
                               std::span<const std::uint8_t> bytes) {
    const VerbsLayout::Connection& plan = layout_.persists[connection];
    const Connection& c = connections_[connection];
    if (!config_.traffic[plan.item].verbs.sends_table || c.posted != 0) return;
    const std::uint64_t offset = address - plan.ends[0].received.address;
    if (offset + bytes.size() <= c.table.size() &&
        std::ranges::equal(bytes, std::span(c.table).subspan(offset, bytes.size())))
        return;
    violate(current_time(), fmt::format("V-I3: the table of the region that the card of {} writes at 0x{:x} is not "
                                        "what was sent",
                                        config_.names[host], address));
}

/// What a READ in place of a flush brings is the end of an item, or all of it.
void PersistJudge::read_back(unsigned host, std::size_t connection, std::uint64_t address,
                             std::span<const std::uint8_t> bytes) {
    const VerbsLayout::Connection& plan = layout_.persists[connection];
    const TrafficConfig& of = config_.traffic[plan.item];
    if (of.verbs.unsafe) return;
    const VerbsLayout::Buffer& in = plan.ends[0].in;
    const std::uint32_t asked = has_read_back(of.verbs.scheme) ? read_back_bytes(of) : 0;
    const std::uint64_t offset = (address - in.address) % in.slot_bytes;
    const auto item = in.latest(address, connections_[connection].posted);
    if (item && offset + bytes.size() <= asked &&
        is_filled(bytes, message_key(connection, 0, *item), of.size - asked + offset))
        return;
    violate(current_time(), fmt::format("V-I3: what the card of {} reads back to 0x{:x} is not what was sent",
                                        config_.names[host], address));
}

void PersistJudge::device_reads(unsigned host, std::uint64_t address, std::uint64_t bytes) {
    if (address + bytes <= kFlushReads || areas_.find(host, address, bytes) != nullptr) return;
    // Of the DW that a flush read names no byte is read: it may begin in an area, and end behind it.
    const bool near_data = verbs_of(config_, host).card.transport.persist.same_line;
    if (near_data && bytes == kDw && areas_.find(host, address, 1) != nullptr) return;
    violate(current_time(), fmt::format("V-I1: the card of {} reads {} bytes at 0x{:x}, which nobody has given it",
                                        config_.names[host], bytes, address));
}

void PersistJudge::table_posted(std::size_t connection, std::span<const std::uint8_t> bytes) {
    connections_[connection].table.assign(bytes.begin(), bytes.end());
    next_.table_posted(connection, bytes);
}

void PersistJudge::posted(std::size_t connection, std::uint32_t item, Time begins) {
    ++connections_[connection].posted;
    next_.posted(connection, item, begins);
}

void PersistJudge::told_written(std::size_t connection, std::uint32_t item, Time now) {
    if (connections_[connection].written++ != item) violate(now, "V-I7: an item is written out of its turn");
    next_.told_written(connection, item, now);
}

void PersistJudge::told_persisted(std::size_t connection, std::uint32_t item, Time now) {
    if (connections_[connection].persisted++ != item) violate(now, "V-I7: an item is durable out of its turn");
    check_memory(connection, item, now);
    next_.told_persisted(connection, item, now);
}

/// The processor sees what devices have written, wherever on its way it is.
void PersistJudge::check_memory(std::size_t connection, std::uint32_t item, Time now) {
    const VerbsLayout::Connection& plan = layout_.persists[connection];
    if (config_.traffic[plan.item].verbs.unsafe) return;
    const VerbsLayout::End& there = plan.ends[1];
    const std::span<const std::uint8_t> bytes =
        verbs_end(*system_, there.host).host.memory.at(there.in.slot(item), there.in.slot_bytes);
    if (is_filled(bytes, message_key(connection, 0, item), 0)) return;
    violate(now, fmt::format("V-I5: item {} is not in the memory of {}", item, config_.names[there.host]));
}

void PersistJudge::violate(Time at, const std::string& what) {
    if (violation_.empty())
        violation_ = fmt::format("invariant violated, {}: {}", fmt::format("at {} ps", at.ps), what);
}

}  // namespace rnicsim
