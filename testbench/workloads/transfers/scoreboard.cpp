// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/transfers/scoreboard.h"

#include "model/faults/random_key.h"
#include "model/rnic/drp/end/drp_end.h"
#include "model/rnic/drp/end/end_config.h"
#include "testbench/events/frame_text.h"
#include "testbench/kits/drp/drp_waits.h"
#include "testbench/records/report_clock.h"
#include "tlm/drp/drp_frame.h"
#include "tlm/drp/drp_header.h"
#include "tlm/ethernet/host_address.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <sstream>

namespace rnicsim {
namespace {

constexpr std::size_t kPatternShift =
    65'536;  // payloads of different transfers start at different places of the pattern

/// Until a responder has forgotten a failed transfer: its frames are decided about, then its idle timer ends it; its
/// host may need the same time again.
Cycle rest_of(const RunConfig& config) {
    Cycle idle;
    for (const DrpEndConfig& end : drp_ends(config)) idle = std::max(idle, end.rnic.transport.idle_timeout);
    return idle + std::max(idle, undecided(config));
}

}  // namespace

Scoreboard::Scoreboard(const RunConfig& config)
    : names_(node_names(config)),
      hosts_(drp_hosts(config)),
      traffic_(config.traffic),
      random_{config.seed, config.repetition},
      rest_(rest_of(config)),
      ledger_(config.hosts.size()) {
    std::uint32_t largest = 0;
    for (const TrafficConfig& item : traffic_) largest = std::max(largest, item.size);
    pattern_.resize(largest + kPatternShift);
    for (std::size_t i = 0; i < pattern_.size(); i += 8) {
        const std::uint64_t word = random_.bits(RandomStream::payload, i, 0, 0);
        std::memcpy(pattern_.data() + i, &word, std::min<std::size_t>(8, pattern_.size() - i));
    }
    for (unsigned host = 0; host < config.hosts.size(); ++host)
        sides_.emplace_back(*this, host, is_drp(config, host) ? peers_of(config, host) : std::vector<unsigned>{});
    for (const unsigned host : hosts_) add_flows(host);
    lay_out_memory();
}

void Scoreboard::add_flows(unsigned end) {
    Side& side = sides_[end];
    std::size_t in_flight = 0;
    std::uint64_t largest = 0;
    for (std::size_t item = 0; item < traffic_.size(); ++item) {
        const TrafficConfig& config = traffic_[item];
        if (!config.is(Workload::transfers)) continue;
        std::vector<unsigned> responders = config.responders(end);
        if (responders.empty()) continue;
        side.flows.push_back({.item = item,
                              .responders = std::move(responders),
                              .first = config.first_request(end),
                              .free = std::vector<Cycle>(config.in_flight, config.first_request(end))});
        side.to_issue += config.transfers;
        in_flight += config.in_flight;
        largest = std::max<std::uint64_t>(largest, config.size);
    }
    side.stride = (largest + kPageBytes - 1) / kPageBytes * kPageBytes;
    if (side.flows.empty()) return;
    side.slots.resize(in_flight + 2);
    for (Slot& slot : side.slots) slot.bytes = static_cast<std::uint32_t>(largest);  // before its first use
    side.acknowledgements.resize(side.to_issue);
}

/// Each host's own regions come first, then those of the hosts that ask it, in their order.
void Scoreboard::lay_out_memory() {
    const auto bytes_of = [](const Side& side) { return side.slots.size() * side.stride; };
    std::uint64_t own = 0;
    for (const Side& side : sides_) own = std::max(own, bytes_of(side));
    areas_.resize(sides_.size());
    memory_bytes_.assign(sides_.size(), kRings.regions + own);
    for (unsigned host = 0; host < sides_.size(); ++host) areas_[host].push_back({kRings.regions, host});
    for (unsigned initiator = 0; initiator < sides_.size(); ++initiator) {
        std::set<unsigned> responders;
        for (const Flow& flow : sides_[initiator].flows)
            responders.insert(flow.responders.begin(), flow.responders.end());
        for (const unsigned host : responders) {
            areas_[host].push_back({memory_bytes_[host], initiator});
            memory_bytes_[host] += bytes_of(sides_[initiator]);
        }
    }
}

std::uint64_t Scoreboard::address(unsigned host, unsigned initiator, std::size_t slot) const {
    const std::vector<Area>& areas = areas_[host];
    const auto area = host == initiator
                          ? areas.begin()
                          : std::ranges::lower_bound(areas.begin() + 1, areas.end(), initiator, {}, &Area::initiator);
    return area->base + slot * sides_[initiator].stride;
}

void Scoreboard::attach(System& system, EventRecorder* recorder) {
    system_ = &system;
    for (const unsigned end : hosts_) {
        Side& side = sides_[end];
        drp_end(system, end).host.processor.set_upper_layer(side);
        drp_end(system, end).rnic.transport.set_observer(&side);
        if (recorder != nullptr) {
            side.also = &recorder->decisions(end);
            drp_end(system, end).host.processor.set_observer(&recorder->software(end));
        }
        for (const Flow& flow : side.flows) {
            rests_until_ = std::max(rests_until_, flow.free.front());
            drp_end(system, end).host.processor.kick(flow.free.front());
        }
    }
}

bool Scoreboard::all_ended() const { return transfers_left() == 0; }

std::uint64_t Scoreboard::transfers_left() const {
    std::uint64_t left = 0;
    for (const Side& side : sides_) left += side.to_issue - side.issued + side.in_flight;
    return left;
}

std::span<const std::uint8_t> Scoreboard::payload_of(unsigned initiator, const Slot& slot) const {
    const std::uint64_t start = random_.bits(RandomStream::payload, 1, initiator, slot.id) % kPatternShift;
    return std::span(pattern_).subspan(start, slot.bytes);
}

/// When the next transfer may be asked for: one of those in flight has ended, and the pace allows it. The precondition
/// is that one may be in flight.
Cycle Scoreboard::next_request(const Flow& flow) const {
    const Cycle free = *std::ranges::min_element(flow.free);
    const TrafficConfig& item = traffic_[flow.item];
    if (item.pace == 0) return free;
    const Time paced = item.paced(std::int64_t{8} * flow.issued * item.size);  // exact: nothing adds up
    return std::max(free, flow.first + kReportClock.edge(paced));
}

/// From the end of a transfer until the next one is asked for.
Cycle Scoreboard::thinks(const TrafficConfig& item, unsigned initiator, std::uint32_t id) const {
    if (item.think == Cycle{}) return {};
    const double uniform = random_.uniform(RandomStream::think, transfer_key(id, initiator), 0, 0);
    return {std::llround(-std::log1p(-uniform) * static_cast<double>(item.think.n))};
}

void Scoreboard::compare(unsigned initiator, std::size_t index, Cycle now) {
    const Slot& slot = sides_[initiator].slots[index];
    if (slot.failed || slot.posted != slot.bytes) return;  // given up by either end
    const unsigned host = slot.operation == Operation::write ? slot.responder : initiator;
    const std::span<const std::uint8_t> got =
        drp_end(*system_, host).host.memory.at(address(host, initiator, index), slot.bytes);
    const std::span<const std::uint8_t> want = payload_of(initiator, slot);
    if (std::memcmp(got.data(), want.data(), want.size()) == 0) return;
    const auto first = std::ranges::mismatch(got, want).in1 - got.begin();
    violate(now, transfer_name(initiator, slot.id) + ": byte " + std::to_string(first) +
                     " at the destination differs from the source");
}

/// A slot is free when neither end can touch it any more. The other host may have freed it in this cycle, before or
/// after this one ran: so it counts from the next cycle. After a failure the other end may still hold early data, a
/// request that its host has not seen yet, or frames not decided about: the slot rests until they are forgotten.
void Scoreboard::retire(unsigned initiator, std::size_t index, Cycle now) {
    Side& side = sides_[initiator];
    Slot& slot = side.slots[index];
    if (!slot.ended || !slot.peer_released) return;
    slot.in_use = false;
    slot.free_from = now + (slot.failed ? rest_ : Cycle{1});
    rests_until_ = std::max(rests_until_, slot.free_from);
    if (!side.starved) return;
    side.starved = false;
    drp_end(*system_, initiator).host.processor.kick(slot.free_from);
}

Scoreboard::Slot* Scoreboard::slot_at(unsigned end, std::uint64_t address, unsigned& initiator, std::size_t& index) {
    if (address < kRings.regions) return nullptr;
    const std::vector<Area>& areas = areas_[end];
    const Area& area = *(std::ranges::upper_bound(areas, address, {}, &Area::base) - 1);
    Side& side = sides_[area.initiator];
    if (side.slots.empty()) return nullptr;
    initiator = area.initiator;
    index = (address - area.base) / side.stride;
    if (index >= side.slots.size()) return nullptr;
    Slot& slot = side.slots[index];
    return end == initiator || end == slot.responder ? &slot : nullptr;
}

void Scoreboard::memory_access(unsigned end, const tlm::tlm_generic_payload& transaction) {
    const bool write = transaction.is_write();
    const RegionTable& regions = drp_end(*system_, end).host.processor.regions();
    if (regions.covering(transaction.get_address(), transaction.get_data_length(), write) != nullptr) return;
    std::ostringstream what;
    what << "host " << names_[end] << ": a device " << (write ? "writes " : "reads ") << transaction.get_data_length()
         << " bytes at 0x" << std::hex << transaction.get_address() << ", which no registered region allows";
    violate(current_cycle(), what.str());
}

void Scoreboard::upstream_tlp(unsigned end, tlm::tlm_generic_payload& transaction, Time due) {
    if (tlp(transaction).kind != TlpKind::memory_write) return;
    ledger_.memory_write(end, drp_end(*system_, end).rnic.now(), reported(due));
    unsigned initiator = 0;
    std::size_t index = 0;
    Slot* const slot = slot_at(end, transaction.get_address(), initiator, index);
    if (slot == nullptr) return;
    slot->posted += transaction.get_data_length();
    last_progress_ = current_cycle();
    if (slot->posted > slot->bytes) {
        violate(current_cycle(), transfer_name(initiator, slot->id) + ": more bytes posted to memory than it has");
    }
}

void Scoreboard::frame_sent(unsigned end, const Frame& frame, Time left) {
    SentFrame& sent = sent_[sent_count_++ % sent_.size()];
    sent.due = reported(left);
    sent.from = end;
    sent.to = host_of(frame.destination()).value_or(end);
    sent.length = frame.length();
    std::memcpy(sent.head.data(), frame.front(sent.head.size()).data(), sent.head.size());
    if (frame.ether_type() != kDrpEtherType) return;
    const DrpView& drp = drp_of(frame);
    if (drp.error != DrpError::none || drp.header.is_ack()) return;
    ledger_.settle(current_cycle());
    const unsigned initiator = drp.header.from_initiator() ? sent.from : sent.to;
    ledger_.frame_sent(initiator, drp.header, frame.length(), drp_end(*system_, end).rnic.now(), sent.due);
}

void Scoreboard::check_empty() {
    const Cycle now = current_cycle();
    for (const unsigned end : hosts_) {
        const DrpEnd& system = drp_end(*system_, end);
        const std::string name = "end " + names_[end] + ": ";
        const TransportController& transport = system.rnic.transport;
        if (transport.engine().entries_used() != 0)
            violate(now, name + "connection table not empty after the last transfer");
        if (transport.buffer().used() != 0) violate(now, name + "indirect buffer not empty after the last transfer");
        if (system.host.processor.regions().registered() != 0) violate(now, name + "regions still registered");
        if (system.host.root_complex.unsupported() != 0) violate(now, name + "PCIe requests outside the memory");
        if (!system.idle()) violate(now, name + "work left after the last transfer");
    }
    if (system_->frames().in_use() != 0) {
        violate(now, std::to_string(system_->frames().in_use()) + " frames left after the last transfer");
    }
    if (system_->transactions().in_use() != 0) {
        violate(now, std::to_string(system_->transactions().in_use()) + " PCIe transactions left");
    }
}

std::string Scoreboard::transfer_name(unsigned end, std::uint32_t id) const {
    return "transfer " + std::to_string(id) + " of end " + names_[end];
}

void Scoreboard::violate(Cycle now, const std::string& what) {
    if (!violation_.empty()) return;  // the first one counts
    violation_ = "invariant violated in cycle " + std::to_string(now.n) + ": " + what;
    if (sc_core::sc_is_running()) sc_core::sc_stop();
}

std::string Scoreboard::last_frames() const {
    std::string text;
    const std::uint64_t first = sent_count_ > sent_.size() ? sent_count_ - sent_.size() : 0;
    for (std::uint64_t i = first; i < sent_count_; ++i) {
        const SentFrame& sent = sent_[i % sent_.size()];
        text += "  cycle " + std::to_string(sent.due.n) + "  " + names_[sent.from] + " -> " + names_[sent.to] + "  " +
                frame_text(drp_header(sent.head), {}, sent.length) + '\n';
    }
    return text;
}

std::vector<std::string> Scoreboard::waiting(unsigned end, Cycle now) const {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < sides_[end].slots.size(); ++i) {
        const Slot& slot = sides_[end].slots[i];
        const std::string name = "slot " + std::to_string(i) + ": transfer " + std::to_string(slot.id) + " has ";
        if (slot.in_use && slot.ended) {
            lines.push_back(name + "ended, end " + names_[slot.responder] + " has not released its region yet");
        } else if (!slot.in_use && slot.free_from > now) {
            lines.push_back(name + "failed, rests until cycle " + std::to_string(slot.free_from.n));
        }
    }
    return lines;
}

std::size_t Scoreboard::samples() const {
    std::size_t all = 0;
    for (const Side& side : sides_) all += side.to_issue;
    return all;
}

void Scoreboard::record_in(std::span<Sample> samples) {
    for (Side& side : sides_) {
        side.samples = samples.first(side.to_issue);
        samples = samples.subspan(side.to_issue);
    }
}

}  // namespace rnicsim
