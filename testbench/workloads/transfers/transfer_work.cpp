#include "testbench/workloads/transfers/transfer_work.h"

#include "testbench/records/report_clock.h"
#include "testbench/workloads/transfers/waits.h"

#include <algorithm>

namespace rnicsim {

/// Of plain hosts and switches as well: their frames are among the last ones.
Observer* TransferWork::observer_of(unsigned node) {
    return config_.ends.empty() || is_verbs(config_, node) ? nullptr : &board_;
}

void TransferWork::claim_memory(std::vector<std::uint64_t>& bytes) const {
    for (unsigned host = 0; host < config_.ends.size(); ++host)
        bytes[host] = std::max(bytes[host], board_.memory_bytes()[host]);
}

void TransferWork::attach(System& system) {
    system_ = &system;
    board_.attach(system, recorder_);
}

void TransferWork::advance(Time /*now*/) {
    if (!board_.all_ended() || stopped_ != Cycle{}) return;
    for (unsigned end = 0; end < system_->hosts(); ++end) system_->end(end).host.processor.stop_background();
    stopped_ = current_cycle();
}

/// The rest of a slot is no standstill: it is known to end.
Time TransferWork::last_progress() const {
    Cycle last = std::max({board_.last_progress(), board_.rests_until(), stopped_});
    for (unsigned end = 0; end < system_->hosts(); ++end)
        last = std::max(last, system_->end(end).host.processor.served_at());
    return kReportClock.time(last);
}

Cycle TransferWork::patience() const {
    std::vector<Cycle> work;
    for (unsigned end = 0; end < system_->hosts(); ++end)
        work.push_back(system_->end(end).host.processor.registrar().work());
    return held_by_registrations(config_, work);
}

std::vector<std::string> TransferWork::waiting(unsigned host, Cycle now) const {
    return is_drp_host(config_, host) ? board_.waiting(host, now) : std::vector<std::string>{};
}

std::string TransferWork::left() const {
    return config_.ends.empty() ? "" : ", " + std::to_string(board_.transfers_left()) + " transfers not ended";
}

std::string TransferWork::last_frames() const { return config_.ends.empty() ? "" : board_.last_frames(); }

void TransferWork::check_end() {
    board_.check_empty();
    for (unsigned end = 0; end < system_->hosts(); ++end) system_->end(end).rnic.finish(current_cycle());
}

Time TransferWork::last_end() const { return kReportClock.time(board_.last_end()); }

void TransferWork::finish(RunResult& result) {
    for (unsigned end = 0; end < system_->hosts(); ++end) result.clocked += system_->end(end).rnic.clocked();
}

}  // namespace rnicsim
