// SPDX-License-Identifier: Apache-2.0
// The upper layer of one host: what it asks for, and what it is told.
#include "model/rnic/drp/end/drp_end.h"
#include "testbench/records/report_clock.h"
#include "testbench/workloads/transfers/scoreboard.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace rnicsim {

std::optional<TransferRequest> Scoreboard::Side::next_transfer(Cycle now) {
    Cycle next = kNever;  // when a pause ends
    for (Flow& flow : flows) {
        if (flow.issued == board_.traffic_[flow.item].transfers || flow.free.empty()) continue;
        const Cycle first = board_.next_request(flow);
        if (first > now) {
            next = std::min(next, first);
            continue;
        }
        const auto slot = std::ranges::find_if(
            slots, [now](const Slot& s) { return !s.in_use && s.peer_released && s.free_from <= now; });
        if (slot != slots.end()) return begin(flow, static_cast<std::size_t>(slot - slots.begin()), now);
        starved = true;
        for (const Slot& resting : slots) {
            if (!resting.in_use && resting.peer_released) next = std::min(next, resting.free_from);
        }
        break;
    }
    if (next != kNever) {
        board_.rests_until_ = std::max(board_.rests_until_, next);
        drp_end(*board_.system_, end_).host.processor.kick(next);
    }
    return std::nullopt;
}

TransferRequest Scoreboard::Side::begin(Flow& flow, std::size_t index, Cycle now) {
    const TrafficConfig& item = board_.traffic_[flow.item];
    flow.free.erase(std::ranges::min_element(flow.free));
    const std::uint32_t number = flow.issued++;
    const std::uint32_t id = issued++;
    ++in_flight;
    const bool write =
        item.operation == OperationMix::write || (item.operation == OperationMix::alternate && number % 2 == 0);
    Slot& slot = slots[index];
    slot = {};
    slot.in_use = true;
    slot.id = id;
    slot.responder = flow.responders[number % flow.responders.size()];
    slot.operation = write ? Operation::write : Operation::read;
    slot.bytes = item.size;
    const TransferRequest request{.id = id,
                                  .operation = slot.operation,
                                  .length = slot.bytes,
                                  .local = board_.address(end_, end_, index),
                                  .remote = board_.address(slot.responder, end_, index),
                                  .peer = peers.of(slot.responder)};
    Memory& source = drp_end(*board_.system_, write ? end_ : slot.responder).host.memory;
    std::memcpy(source.at(write ? request.local : request.remote, slot.bytes).data(),
                board_.payload_of(end_, slot).data(), slot.bytes);
    Sample& sample = samples[id];
    sample.id = id;
    sample.initiator = static_cast<std::uint16_t>(end_);
    sample.responder = static_cast<std::uint16_t>(slot.responder);
    sample.item = static_cast<std::uint16_t>(flow.item);
    sample.bytes = slot.bytes;
    sample.operation = static_cast<std::uint8_t>(request.operation);
    sample.start = kReportClock.time(now);
    board_.ledger_.started(end_, id, now);
    return request;
}

void Scoreboard::Side::acknowledged(std::uint32_t id, bool /*simulated*/, Cycle now) {
    if (++acknowledgements[id] != 1)
        board_.violate(now, board_.transfer_name(end_, id) + ": a second REQ_ACK was shown");
}

void Scoreboard::Side::ended(std::uint32_t id, TransferError error, bool indirect, Cycle now) {
    const auto slot = std::ranges::find_if(slots, [id](const Slot& s) { return s.in_use && s.id == id; });
    if (slot == slots.end() || slot->ended) {
        board_.violate(now, board_.transfer_name(end_, id) + ": ended twice");
        return;
    }
    Sample& sample = samples[id];
    sample.end = kReportClock.time(now);
    sample.mark = indirect;
    sample.status = static_cast<std::uint8_t>(error);
    std::ranges::transform(board_.ledger_.ended(end_, id, now), sample.parts.begin(),
                           [](std::int64_t cycles) { return kReportClock.time(Cycle{cycles}).ps; });
    if (std::reduce(sample.parts.begin(), sample.parts.end()) != sample.took().ps) {
        board_.violate(now, board_.transfer_name(end_, id) + ": the parts of its time do not add up to it");
    }
    --in_flight;
    const auto flow = std::ranges::find(flows, std::size_t{sample.item}, &Flow::item);
    flow->free.push_back(now + board_.thinks(board_.traffic_[flow->item], end_, id));
    board_.last_progress_ = now;
    board_.last_end_ = now;
    slot->ended = true;
    slot->failed = error != TransferError::none;
    const auto index = static_cast<std::size_t>(slot - slots.begin());
    if (!slot->failed && slot->posted != slot->bytes) {
        board_.violate(now, board_.transfer_name(end_, id) + ": completed when " + std::to_string(slot->posted) +
                                " of " + std::to_string(slot->bytes) + " bytes had been posted to memory");
    }
    // A read's data is at this end, behind the same PCIe link as its completion. A write's is compared when the
    // responder's release has come through that end's link: posted writes may still be in flight now.
    if (operation_of(sample) == Operation::read) board_.compare(end_, index, now);
    board_.retire(end_, index, now);
}

void Scoreboard::Side::unexpected(const Event& event, Cycle now) {
    board_.violate(now, "end " + board_.names_[end_] + ": event " + std::to_string(static_cast<int>(event.code)) +
                            " for tid " + std::to_string(raw(event.tid)) + ", which is not in progress");
}

/// The responder starts to use this TID: data of an earlier use does not count.
void Scoreboard::Side::peer_region_wanted(std::uint64_t base, Cycle /*now*/) {
    unsigned initiator = 0;
    std::size_t index = 0;
    Slot* const slot = board_.slot_at(end_, base, initiator, index);
    if (slot == nullptr) return;
    slot->peer_released = false;
    if (slot->operation != Operation::write) return;  // a read's data is at its initiator
    slot->posted = 0;
    std::ranges::fill(drp_end(*board_.system_, end_).host.memory.at(base, slot->bytes), std::uint8_t{0});
}

void Scoreboard::Side::peer_region_released(std::uint64_t base, Cycle now) {
    unsigned initiator = 0;
    std::size_t index = 0;
    Slot* const slot = board_.slot_at(end_, base, initiator, index);
    if (slot == nullptr) return;
    slot->peer_released = true;
    if (slot->operation == Operation::write) board_.compare(initiator, index, now);
    board_.retire(initiator, index, now);
}

void Scoreboard::Side::noted(TransportCount what, const TransferKey& of) {
    if (also != nullptr) also->noted(what, of);
    if (!TimeLedger::wants(what)) return;
    const unsigned initiator = of.role == Role::initiator ? end_ : peers[of.peer];
    board_.ledger_.noted(end_, what, initiator, of.tid, drp_end(*board_.system_, end_).rnic.now());
}

void Scoreboard::Side::decided(const TransportDecision& decision) {
    if (also != nullptr) also->decided(decision);
}

void Scoreboard::Side::overrun(const DrpHeader& header, Cycle arrived) {
    if (also != nullptr) also->overrun(header, arrived);
}

void Scoreboard::Side::filled(std::uint32_t used) {
    if (also != nullptr) also->filled(used);
}

}  // namespace rnicsim
