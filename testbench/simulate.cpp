// One run: builds the system, runs it to the end, collects the result.
#include "model/rtl/rtl_blocks.h"
#include "model/rtl/waves.h"
#include "model/system.h"
#include "testbench/conservation.h"
#include "testbench/counters.h"
#include "testbench/diagnosis.h"
#include "testbench/frame_board.h"
#include "testbench/host_judges.h"
#include "testbench/judge/persist_judge.h"
#include "testbench/judge/verbs_judge.h"
#include "testbench/message_ledger.h"
#include "testbench/message_recorder.h"
#include "testbench/persist_recorder.h"
#include "testbench/pfc_deadlock.h"
#include "testbench/record_files.h"
#include "testbench/report_clock.h"
#include "testbench/run_cuts.h"
#include "testbench/run_faults.h"
#include "testbench/run_observers.h"
#include "testbench/run_result.h"
#include "testbench/scoreboard.h"
#include "testbench/simulate_strictly.h"
#include "testbench/systemc_report.h"
#include "testbench/watchdog.h"
#include "testbench/workload/persist_workload.h"
#include "testbench/workload/verbs_workload.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <system_error>
#include <systemc>

namespace rnicsim {
namespace {

/// How often the end of the run and the watchdog are checked. Does not influence any result.
constexpr Time kSlice = kMillisecond;

/// For tests of failing runs: RNICSIM_FAIL_AT=CYCLE makes a run fail then. kNever without it.
Cycle fails_at() {
    const char* const text = std::getenv("RNICSIM_FAIL_AT");
    if (text == nullptr) return kNever;
    Cycle cycle;
    const char* const end = text + std::strlen(text);
    const auto [read, error] = std::from_chars(text, end, cycle.n);
    if (error != std::errc() || read != end) {
        throw RunError(std::string("RNICSIM_FAIL_AT: found '") + text + "', expected a cycle");
    }
    return cycle;
}

void run_to_the_end(const RunConfig& config, System& system, Scoreboard& board, FrameBoard& frames,
                    VerbsWorkload& verbs, VerbsJudge& messages, const PersistWorkload& persists,
                    const PersistJudge& durable, RunCuts& cuts, const WireJudge& wire, Ahead ahead, RunResult& result) {
    const Cycle limit = watchdog_limit(config);
    const Cycle failure = fails_at();
    const auto over = [&] { return board.all_ended() && verbs.all_ended() && persists.all_ended() && system.idle(); };
    Cycle stopped;  // no new background work from here on
    while (!over()) {
        if (const Time slice = cuts.slice(current_time(), kSlice); slice > Time{}) system.run(slice, ahead);
        if (system.idle()) verbs.end_turns(current_time());
        cuts.advance(current_time(), persists.all_ended() ? persists.last_end() : current_time());
        if (!board.violation().empty()) throw RunError(diagnosis(config, system, board, board.violation()));
        if (!frames.violation().empty()) throw RunError(diagnosis(config, system, board, frames.violation()));
        if (!messages.violation().empty()) throw RunError(diagnosis(config, system, board, messages.violation()));
        if (!durable.violation().empty()) throw RunError(diagnosis(config, system, board, durable.violation()));
        if (!wire.violation().empty()) throw RunError(diagnosis(config, system, board, wire.violation()));
        if (const std::string lost = not_conserved(system, config); !lost.empty())
            throw RunError(diagnosis(config, system, board, lost));
        result.transfers.rest();
        result.frames.rest();
        if (cuts.ended()) return;
        if (current_cycle() >= failure) throw RunError(diagnosis(config, system, board, "RNICSIM_FAIL_AT"));
        if (board.all_ended() && stopped == Cycle{}) {
            for (unsigned end = 0; end < system.hosts(); ++end) system.end(end).host.processor.stop_background();
            stopped = current_cycle();
        }
        // The rest of a slot is no standstill: it is known to end. The wait counts from that end, which may be within
        // the last slice.
        Cycle last =
            std::max({board.last_progress(), board.rests_until(), stopped,
                      reported(std::max({frames.last_progress(), frames.rests_until(), verbs.last_progress(),
                                         messages.last_progress(), wire.last_progress(), verbs.rests_until(),
                                         persists.last_progress(), persists.rests_until(), durable.last_progress()}))});
        std::vector<Cycle> work;
        for (unsigned end = 0; end < system.hosts(); ++end) {
            const Processor& processor = system.end(end).host.processor;
            last = std::max(last, processor.served_at());
            work.push_back(processor.registrar().work());
        }
        const Cycle waited = limit + held_by_registrations(config, work);
        if (cuts.crashed() && current_cycle() - last > waited) return;
        if (!over() && current_cycle() - last > waited) {
            throw RunError(
                diagnosis(config, system, board,
                          "watchdog: " + pfc_deadlock(config, system) +
                              "no transfer has ended, no payload has reached memory and no host has "
                              "taken an event of one" +
                              (config.stations.empty() ? "" : ", and no plain host has sent or got a frame") + " for " +
                              std::to_string(waited.n) + " cycles, now cycle " + std::to_string(current_cycle().n)));
        }
    }
    board.check_empty();
    messages.check_end(verbs.last_end());
    if (!messages.violation().empty()) throw RunError(diagnosis(config, system, board, messages.violation()));
    for (unsigned end = 0; end < system.hosts(); ++end) {
        system.end(end).rnic.finish(current_cycle());
        result.clocked += system.end(end).rnic.clocked();
    }
    if (!board.violation().empty()) throw RunError(diagnosis(config, system, board, board.violation()));
}

RunResult run(const RunRequest& request, BuildOrder order, EventSink* sink, bool strict = false) {
    const RunConfig& config = request;
    // Any report of SystemC is a fault of this program.
    sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_THROW);
    const auto started = std::chrono::steady_clock::now();
    RunResult result;
    try {
        Scoreboard board(config);
        FrameBoard frames(config);
        const VerbsLayout layout = lay_out(config);
        VerbsJudge messages(config, layout);
        WireJudge wire(config.names);
        RunCuts cuts(request, layout);
        PersistJudge durable(config, layout, cuts.programs());
        HostJudges judges(config, board, messages, durable, wire, cuts);
        Observer& judge = config.verbs.empty() ? static_cast<Observer&>(board) : judges;
        RunObservers observers(request, sink, judge);
        MessageLedger ledger(config, layout, messages);
        std::optional<MessageRecorder> of_messages;
        if (observers.events() != nullptr) of_messages.emplace(*observers.events(), ledger, layout, ledger.cards());
        VerbsWorkload verbs(config, layout, of_messages ? static_cast<VerbsObserver&>(*of_messages) : ledger);
        std::optional<PersistRecorder> of_items;
        if (observers.events() != nullptr) of_items.emplace(*observers.events(), layout, durable, cuts.lines());
        PersistWorkload persists(config, layout, of_items ? static_cast<PersistObserver&>(*of_items) : durable);
        Waves waves(request.wave);
        RunFaults faults(request);
        std::vector<RtlBlocks> blocks;
        for (unsigned end = 0; end < config.ends.size(); ++end)
            blocks.emplace_back(BlockPlace{config.names[end], &waves, strict});
        EndBlocks makers;
        for (const RtlBlocks& of_end : blocks) makers.push_back(&of_end);
        std::vector<std::uint64_t> memory_bytes = layout.memory_bytes;
        const std::vector<std::uint64_t> of_drp = board.memory_bytes();
        std::ranges::copy(std::span(of_drp).first(config.ends.size()), memory_bytes.begin());
        System system("system", config, memory_bytes, makers, cuts.over(faults.source()), &observers.observer(), order);
        waves.check();
        result.transfers = Records<TransferRecord>(board.records(), transfers_file(request.records));
        board.record_in(result.transfers);
        const std::size_t of_stations = frames.records(), of_verbs = verbs.records();
        result.frames = Records<FrameRecord>(of_stations + of_verbs + persists.records(), frames_file(request.records));
        const std::span<FrameRecord> all(result.frames.begin(), result.frames.size());
        const std::span<FrameRecord> messages_recorded = all.subspan(of_stations, of_verbs);
        frames.record_in(all.first(of_stations));
        verbs.record_in(messages_recorded);
        ledger.record_in(messages_recorded);
        persists.record_in(all.subspan(of_stations + of_verbs));
        observers.attach(system);
        board.attach(system, observers.recorder());
        frames.attach(system);
        messages.attach(system);
        const std::vector<rc::RcObserver*> cards = of_messages ? of_messages->cards() : ledger.cards();
        for (unsigned host = system.hosts(); host < system.first_station(); ++host)
            if (!durable.judges(host)) system.verbs_end(host).rnic.set_observer(cards[host]);
        verbs.attach(system);
        durable.attach(system);
        cuts.attach(system);
        if (of_items) of_items->attach(system);
        persists.attach(system);
        messages.introduce(wire);
        persists.introduce(wire);
        try {
            // What is written has an order.
            const bool watched = observers.events() != nullptr || faults.is_recorded() || cuts.stops();
            const auto rest = [&] {
                run_to_the_end(config, system, board, frames, verbs, messages, persists, durable, cuts, wire,
                               watched ? Ahead::never : Ahead::allowed, result);
            };
            cuts.let_copies(rest);
            rest();
            observers.finish_events();
        } catch (const std::exception& failure) {
            observers.finish_after_failure();
            faults.finish_after(failure);
            throw;
        }
        observers.finish_files();
        faults.finish();
        result.counters = collect_counters(system, config);
        result.counters.emplace_back(kTapeUnused, faults.unused());
        result.kernel_events = system.activations();
        result.data_frames = count_data_frames(system);
        result.simulated = std::max(
            {board.last_end(), reported(frames.last_end()), reported(verbs.last_end()), reported(persists.last_end())});
        verbs.end_records();
        messages.strike_lost(messages_recorded);
        if (!ledger.violation().empty()) throw RunError(ledger.violation());
        cuts.finish(persists.last_end() + kPicosecond, result);
        persists.end_records();
    } catch (const sc_core::sc_report& report) { throw RunError(said_by(report)); } catch (const RtlFault& fault) {
        throw RunError(fault.what());
    }
    result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return result;
}

}  // namespace

RunResult simulate(const RunRequest& request) { return run(request, BuildOrder::hosts_first, nullptr); }

RunResult simulate_in_order(const RunRequest& request, BuildOrder order) { return run(request, order, nullptr); }

RunResult simulate_recorded(const RunRequest& request, EventSink& sink) {
    return run(request, BuildOrder::hosts_first, &sink);
}

RunResult simulate_strictly(const RunRequest& request, EventSink& sink) {
    return run(request, BuildOrder::hosts_first, &sink, true);
}

}  // namespace rnicsim
