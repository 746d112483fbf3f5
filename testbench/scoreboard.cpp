#include "testbench/scoreboard.h"

#include "testbench/frame_text.h"
#include "testbench/report_clock.h"
#include "testbench/watchdog.h"
#include "tlm/drp_header.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <sstream>

namespace rnicsim {
namespace {

constexpr std::size_t kPatternShift =
    65'536;  // payloads of different transfers start at different places of the pattern

/// Until a responder has forgotten a failed transfer: its frames are decided about, then its idle timer ends it; its
/// host may need the same time again.
Cycle rest_of(const RunConfig& config) {
    Cycle idle;
    for (const EndSystemConfig& end : config.ends) idle = std::max(idle, end.rnic.transport.idle_timeout);
    return idle + std::max(idle, undecided(config));
}

}  // namespace

Scoreboard::Scoreboard(const RunConfig& config)
    : names_(config.names),
      workload_(config.workload),
      random_{config.seed, config.repetition},
      stride_((config.workload.size + std::uint64_t{kPageBytes} - 1) / kPageBytes * kPageBytes),
      slots_(config.workload.in_flight + 2),
      rest_(rest_of(config)),
      pattern_(config.workload.size + kPatternShift),
      ledger_(config.ends.size()) {
    for (std::size_t i = 0; i < pattern_.size(); i += 8) {
        const std::uint64_t word = random_.bits(RandomStream::payload, i, 0, 0);
        std::memcpy(pattern_.data() + i, &word, std::min<std::size_t>(8, pattern_.size() - i));
    }
    for (unsigned end = 0; end < config.ends.size(); ++end) {
        Side& side = sides_.emplace_back(*this, end);
        side.slots.resize(slots_);
        const bool initiates =
            workload_.direction == Direction::both || (workload_.direction == Direction::a_to_b) == (end == 0);
        if (!initiates) continue;
        side.to_issue = workload_.transfers;
        side.records.resize(workload_.transfers);
        side.acknowledgements.resize(workload_.transfers);
    }
}

std::uint64_t Scoreboard::local_base(std::size_t slot) const { return kRings.regions + slot * stride_; }
std::uint64_t Scoreboard::remote_base(std::size_t slot) const { return kRings.regions + (slots_ + slot) * stride_; }
std::uint64_t Scoreboard::memory_bytes() const { return kRings.regions + 2 * slots_ * stride_; }

void Scoreboard::attach(System& system, EventRecorder* recorder) {
    system_ = &system;
    for (unsigned end = 0; end < system.hosts(); ++end) {
        system.end(end).host.processor.set_upper_layer(sides_[end]);
        system.end(end).rnic.transport.set_observer(&sides_[end]);
        if (recorder != nullptr) {
            sides_[end].also = &recorder->decisions(end);
            system.end(end).host.processor.set_observer(&recorder->software(end));
        }
        if (sides_[end].to_issue != 0) system.end(end).host.processor.kick(Cycle{1});
    }
}

bool Scoreboard::all_ended() const { return transfers_left() == 0; }

std::uint64_t Scoreboard::transfers_left() const {
    std::uint64_t left = 0;
    for (const Side& side : sides_) left += side.to_issue + side.in_flight;
    return left;
}

Operation Scoreboard::operation_of(std::uint32_t id) const {
    switch (workload_.operation) {
        case OperationMix::write: return Operation::write;
        case OperationMix::read: return Operation::read;
        case OperationMix::alternate: break;
    }
    return id % 2 == 0 ? Operation::write : Operation::read;
}

std::span<const std::uint8_t> Scoreboard::payload_of(unsigned initiator, std::uint32_t id) const {
    const std::uint64_t start = random_.bits(RandomStream::payload, 1, initiator, id) % kPatternShift;
    return std::span(pattern_).subspan(start, workload_.size);
}

std::optional<TransferRequest> Scoreboard::Side::next_transfer(Cycle now) {
    if (to_issue == 0 || in_flight == board_.workload_.in_flight) return std::nullopt;
    const auto slot = std::ranges::find_if(
        slots, [now](const Slot& s) { return !s.in_use && s.peer_released && s.free_from <= now; });
    if (slot == slots.end()) {
        starved = true;
        Cycle rested = kNever;
        for (const Slot& resting : slots) {
            if (!resting.in_use && resting.peer_released) rested = std::min(rested, resting.free_from);
        }
        if (rested != kNever) board_.system_->end(end_).host.processor.kick(rested);
        return std::nullopt;
    }
    const auto index = static_cast<std::size_t>(slot - slots.begin());
    const auto id = static_cast<std::uint32_t>(records.size()) - to_issue;
    --to_issue;
    ++in_flight;
    *slot = {};
    slot->in_use = true;
    slot->id = id;
    const std::uint32_t bytes = board_.workload_.size;
    const TransferRequest request{id, board_.operation_of(id), bytes, board_.local_base(index),
                                  board_.remote_base(index)};
    const bool write = request.operation == Operation::write;
    Memory& source = board_.system_->end(write ? end_ : 1 - end_).host.memory;
    std::memcpy(source.at(write ? request.local : request.remote, bytes).data(), board_.payload_of(end_, id).data(),
                bytes);
    TransferRecord& record = records[id];
    record.id = id;
    record.initiator = static_cast<std::uint8_t>(end_);
    record.operation = request.operation;
    record.start = now;
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
    TransferRecord& record = records[id];
    record.end = now;
    record.indirect = indirect;
    record.error = error_name(error);
    record.parts = board_.ledger_.ended(end_, id, now);
    if (std::reduce(record.parts.begin(), record.parts.end()) != (now - record.start).n) {
        board_.violate(now, board_.transfer_name(end_, id) + ": the parts of its time do not add up to it");
    }
    --in_flight;
    board_.last_progress_ = now;
    board_.last_end_ = now;
    slot->ended = true;
    slot->failed = error != TransferError::none;
    const auto index = static_cast<std::size_t>(slot - slots.begin());
    if (!slot->failed && slot->posted != board_.workload_.size) {
        board_.violate(now, board_.transfer_name(end_, id) + ": completed when " + std::to_string(slot->posted) +
                                " of " + std::to_string(board_.workload_.size) + " bytes had been posted to memory");
    }
    // A read's data is at this end, behind the same PCIe link as its completion. A write's is compared when the
    // responder's release has come through that end's link: posted writes may still be in flight now.
    if (record.operation == Operation::read) board_.compare(end_, index, now);
    board_.retire(end_, index, now);
}

void Scoreboard::Side::unexpected(EventCode code, Tid tid, Cycle now) {
    board_.violate(now, "end " + board_.names_[end_] + ": event " + std::to_string(static_cast<int>(code)) +
                            " for tid " + std::to_string(raw(tid)) + ", which is not in progress");
}

/// The responder starts to use this TID: data of an earlier use does not count.
void Scoreboard::Side::peer_region_wanted(std::uint64_t base, Cycle /*now*/) {
    unsigned initiator = 0;
    std::size_t index = 0;
    Slot* const slot = board_.slot_at(end_, base, initiator, index);
    if (slot == nullptr) return;
    slot->peer_released = false;
    if (board_.operation_of(slot->id) != Operation::write) return;  // a read's data is at its initiator
    slot->posted = 0;
    std::ranges::fill(board_.system_->end(end_).host.memory.at(base, board_.workload_.size), std::uint8_t{0});
}

void Scoreboard::Side::peer_region_released(std::uint64_t base, Cycle now) {
    unsigned initiator = 0;
    std::size_t index = 0;
    Slot* const slot = board_.slot_at(end_, base, initiator, index);
    if (slot == nullptr) return;
    slot->peer_released = true;
    if (board_.operation_of(slot->id) == Operation::write) board_.compare(initiator, index, now);
    board_.retire(initiator, index, now);
}

void Scoreboard::Side::noted(TransportCount what, Role role, Tid tid) {
    if (also != nullptr) also->noted(what, role, tid);
    if (TimeLedger::wants(what)) { board_.ledger_.noted(end_, what, role, tid, board_.system_->end(end_).rnic.now()); }
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

void Scoreboard::compare(unsigned initiator, std::size_t index, Cycle now) {
    const Slot& slot = sides_[initiator].slots[index];
    if (slot.failed || slot.posted != workload_.size) return;  // given up by either end
    const bool write = operation_of(slot.id) == Operation::write;
    Memory& destination = system_->end(write ? 1 - initiator : initiator).host.memory;
    const std::span<const std::uint8_t> got =
        destination.at(write ? remote_base(index) : local_base(index), workload_.size);
    const std::span<const std::uint8_t> want = payload_of(initiator, slot.id);
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
    system_->end(initiator).host.processor.kick(slot.free_from);
}

Scoreboard::Slot* Scoreboard::slot_at(unsigned end, std::uint64_t address, unsigned& initiator, std::size_t& index) {
    if (address < kRings.regions) return nullptr;
    const std::uint64_t place = (address - kRings.regions) / stride_;
    initiator = place < slots_ ? end : 1 - end;
    index = place % slots_;
    return place < 2 * slots_ ? &sides_[initiator].slots[index] : nullptr;
}

void Scoreboard::memory_access(unsigned end, const tlm::tlm_generic_payload& transaction) {
    const bool write = transaction.is_write();
    const RegionTable& regions = system_->end(end).host.processor.regions();
    if (regions.covering(transaction.get_address(), transaction.get_data_length(), write) != nullptr) return;
    std::ostringstream what;
    what << "host " << names_[end] << ": a device " << (write ? "writes " : "reads ") << transaction.get_data_length()
         << " bytes at 0x" << std::hex << transaction.get_address() << ", which no registered region allows";
    violate(current_cycle(), what.str());
}

void Scoreboard::upstream_tlp(unsigned end, tlm::tlm_generic_payload& transaction, Time due) {
    if (tlp(transaction).kind != TlpKind::memory_write) return;
    ledger_.memory_write(end, system_->end(end).rnic.now(), reported(due));
    unsigned initiator = 0;
    std::size_t index = 0;
    Slot* const slot = slot_at(end, transaction.get_address(), initiator, index);
    if (slot == nullptr) return;
    slot->posted += transaction.get_data_length();
    last_progress_ = current_cycle();
    if (slot->posted > workload_.size) {
        violate(current_cycle(), transfer_name(initiator, slot->id) + ": more bytes posted to memory than it has");
    }
}

void Scoreboard::frame_sent(unsigned end, const Frame& frame, Time left) {
    SentFrame& sent = sent_[sent_count_++ % sent_.size()];
    sent.due = reported(left);
    sent.end = end;
    sent.length = frame.length();
    std::memcpy(sent.head.data(), frame.without_fcs().data(), sent.head.size());
    if (frame.is_drp() && !frame.drp().header.is_ack()) {
        ledger_.settle(current_cycle());
        ledger_.frame_sent(end, frame.drp().header, frame.length(), system_->end(end).rnic.now(), reported(left));
    }
}

void Scoreboard::check_empty() {
    const Cycle now = current_cycle();
    for (unsigned end = 0; end < system_->hosts(); ++end) {
        const EndSystem& system = system_->end(end);
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
        text += "  cycle " + std::to_string(sent.due.n) + "  " + names_[sent.end] + " -> " + names_[1 - sent.end] +
                "  " + frame_text(drp_header(sent.head), sent.length) + '\n';
    }
    return text;
}

std::vector<std::string> Scoreboard::waiting(unsigned end, Cycle now) const {
    const std::string& other = names_[1 - end];
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < slots_; ++i) {
        const Slot& slot = sides_[end].slots[i];
        const std::string name = "slot " + std::to_string(i) + ": transfer " + std::to_string(slot.id) + " has ";
        if (slot.in_use && slot.ended) {
            lines.push_back(name + "ended, end " + other + " has not released its region yet");
        } else if (!slot.in_use && slot.free_from > now) {
            lines.push_back(name + "failed, rests until cycle " + std::to_string(slot.free_from.n));
        }
    }
    return lines;
}

std::vector<TransferRecord> Scoreboard::take_records() {
    std::vector<TransferRecord> all;
    for (const Side& side : sides_) all.insert(all.end(), side.records.begin(), side.records.end());
    return all;
}

}  // namespace rnicsim
