// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/signal_writer.h"

#include "model/rnic/drp/end/drp_end.h"
#include "model/rnic/drp/end/end_config.h"
#include "testbench/records/output_file.h"

#include <algorithm>
#include <string_view>

namespace rnicsim {
namespace {

constexpr std::string_view kSuffix = ".vcd";  // SystemC adds it

/// Entries worth drawing: as many transfers as can be going on, and some that are closing.
std::size_t entries_of(const RunConfig& config, unsigned host) {
    const auto busy = static_cast<std::size_t>(transfers_at_once(config, host).all()) + 2;
    return std::min<std::size_t>(busy, drp_of(config, host).rnic.transport.table_entries);
}

}  // namespace

SignalWriter::SignalWriter(const RunRequest& request, const System& system)
    : name_(request.observe.signals), system_(system) {
    // SystemC reports that the unit of time is set; nobody needs that.
    sc_core::sc_report_handler::set_actions("tracing timescale unit set", sc_core::SC_DO_NOTHING);
    file_.reset(sc_core::sc_create_vcd_trace_file(name_.substr(0, name_.size() - kSuffix.size()).c_str()));
    // In networks and of RoCEv2 RNICs something happens between nanoseconds.
    file_->set_time_unit(1, request.network ? sc_core::SC_PS : sc_core::SC_NS);
    sides_.resize(request.hosts.size());  // once: the file remembers where they are
    for (const unsigned end : drp_hosts(request)) {
        sides_[end].entries.resize(entries_of(request, end));
        trace(request.names[end], sides_[end]);
    }
}

void SignalWriter::trace(const std::string& scope, Side& side) {
    sc_core::sc_trace_file* const file = file_.get();
    sc_trace(file, side.buffer_slots, scope + ".indirect_buffer_slots");
    sc_trace(file, side.transfers, scope + ".transfers");
    for (std::size_t i = 0; i < side.entries.size(); ++i) {
        Entry& entry = side.entries[i];
        const std::string prefix = scope + ".entry" + std::to_string(i) + ".";
        sc_trace(file, entry.phase, prefix + "phase");
        sc_trace(file, entry.initiator, prefix + "initiator");
        sc_trace(file, entry.indirect, prefix + "indirect");
        sc_trace(file, entry.tid, prefix + "tid");
        sc_trace(file, entry.una, prefix + "una");
        sc_trace(file, entry.next, prefix + "next");
        sc_trace(file, entry.expected, prefix + "expected");
        sc_trace(file, entry.request_timer, prefix + "request_timer");
        sc_trace(file, entry.data_timer, prefix + "data_timer");
        sc_trace(file, entry.release_timer, prefix + "release_timer");
        sc_trace(file, entry.idle_timer, prefix + "idle_timer");
    }
}

/// The table changes in decisions only.
void SignalWriter::look(unsigned end) {
    const TransportEngine& engine = drp_end(system_, end).rnic.transport.engine();
    Side& side = sides_.at(end);
    side.transfers = engine.entries_used();
    const ConnectionTable* const table = engine.visible();
    if (table == nullptr) return;
    for (ConnectionTable::Index i = 0; i < side.entries.size(); ++i) {
        const Transfer& of = (*table)[i];
        Entry& entry = side.entries[i];
        entry.phase = static_cast<unsigned>(of.phase);
        if (of.phase == Phase::free) continue;
        entry.initiator = of.role == Role::initiator;
        entry.indirect = of.indirect;
        entry.tid = raw(of.tid);
        entry.una = of.sender.oldest_unacknowledged().n;
        entry.next = of.sender.next_new().n;
        entry.expected = of.receiver.expected().n;
        entry.request_timer = of.request_deadline != kNever;
        entry.data_timer = of.data_deadline != kNever;
        entry.release_timer = of.release_deadline != kNever;
        entry.idle_timer = of.idle_deadline != kNever;
    }
}

void SignalWriter::at_once(const LoggedEvent& event) {
    if (std::holds_alternative<DecisionCause>(event.what)) look(event.end);
    if (const auto* const fill = std::get_if<BufferFill>(&event.what)) sides_.at(event.end).buffer_slots = fill->slots;
}

/// SystemC does not report that a file cannot be written. Writing one more line shows it.
void SignalWriter::finish() {
    file_.reset();
    OutputFile last(name_, OutputFile::Mode::append);
    last.write("$comment end of the run $end\n");
    last.close();
}

}  // namespace rnicsim
