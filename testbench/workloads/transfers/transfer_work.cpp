// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/transfers/transfer_work.h"

#include "model/rnic/drp/end/drp_end.h"
#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/kits/drp/drp_waits.h"
#include "testbench/records/report_clock.h"

#include <algorithm>

namespace rnicsim {

/// Of plain hosts and switches as well: their frames are among the last ones.
Observer* TransferWork::observer_of(unsigned node) {
    return hosts_.empty() || is_verbs(config_, node) ? nullptr : &board_;
}

void TransferWork::claim_memory(std::vector<std::uint64_t>& bytes) const {
    for (const unsigned host : hosts_) bytes[host] = std::max(bytes[host], board_.memory_bytes()[host]);
}

void TransferWork::attach(System& system) {
    system_ = &system;
    board_.attach(system, recorder_);
}

void TransferWork::advance(Time /*now*/) {
    if (!board_.all_ended() || stopped_ != Cycle{}) return;
    for (const unsigned end : hosts_) drp_end(*system_, end).host.processor.stop_background();
    stopped_ = current_cycle();
}

/// The rest of a slot is no standstill: it is known to end.
Time TransferWork::last_progress() const {
    Cycle last = std::max({board_.last_progress(), board_.rests_until(), stopped_});
    for (const unsigned end : hosts_) last = std::max(last, drp_end(*system_, end).host.processor.served_at());
    return kReportClock.time(last);
}

Time TransferWork::patience() const {
    std::vector<Cycle> work(system_->hosts());
    for (const unsigned end : hosts_) work[end] = drp_end(*system_, end).host.processor.registrar().work();
    return kReportClock.time(held_by_registrations(config_, work));
}

std::vector<std::string> TransferWork::waiting(unsigned host, Cycle now) const {
    return is_drp(config_, host) ? board_.waiting(host, now) : std::vector<std::string>{};
}

std::string TransferWork::left() const {
    return hosts_.empty() ? "" : ", " + std::to_string(board_.transfers_left()) + " transfers not ended";
}

std::string TransferWork::last_frames() const { return hosts_.empty() ? "" : board_.last_frames(); }

void TransferWork::check_end() {
    board_.check_empty();
    for (const unsigned end : hosts_) drp_end(*system_, end).rnic.finish(current_cycle());
}

Time TransferWork::last_end() const { return kReportClock.time(board_.last_end()); }

void TransferWork::finish(RunResult& result) {
    for (const unsigned end : hosts_) result.clocked += drp_end(*system_, end).rnic.clocked();
}

}  // namespace rnicsim
