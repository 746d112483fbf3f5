// SPDX-License-Identifier: Apache-2.0
// One run: builds the system, runs it to the end, collects the result. What its hosts do is the works' affair.
#include "model/rtl/rtl_blocks.h"
#include "model/rtl/stream_reports.h"
#include "model/rtl/waves.h"
#include "model/system.h"
#include "testbench/kits/kits.h"
#include "testbench/records/record_files.h"
#include "testbench/records/report_clock.h"
#include "testbench/records/run_result.h"
#include "testbench/run/conservation.h"
#include "testbench/run/counters.h"
#include "testbench/run/diagnosis.h"
#include "testbench/run/node_taps.h"
#include "testbench/run/run_faults.h"
#include "testbench/run/run_observers.h"
#include "testbench/run/simulate_strictly.h"
#include "testbench/run/systemc_report.h"
#include "testbench/run/transaction_file.h"
#include "testbench/run/watchdog.h"
#include "testbench/workloads/works.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <systemc>
#include <utility>

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

/// A run that has been built, until all of its works have ended.
class Running {
  public:
    Running(const RunConfig& config, System& system, Works& works, BridgeJudge& bridges, Ahead ahead, RunResult& result)
        : config_(config), system_(system), works_(works), bridges_(bridges), ahead_(ahead), result_(result) {}

    void to_the_end() {
        while (!over()) {
            simulate_a_slice();
            check();
            result_.samples.rest();
            if (any(&Work::cut_short)) return;
            if (current_cycle() >= failure_) fail("RNICSIM_FAIL_AT");
            if (!stands_still()) continue;
            if (any(&Work::crashed)) return;
            if (!over()) fail(standstill(config_, system_, waited()));
        }
        for (const auto& work : works_) work->check_end();
        check_works();
    }

  private:
    [[noreturn]] void fail(const std::string& what) { throw RunError(diagnosis(config_, system_, works_, what)); }
    [[nodiscard]] bool any(bool (Work::*is)() const) const {
        return std::ranges::any_of(works_, [&](const auto& work) { return ((*work).*is)(); });
    }
    [[nodiscard]] bool over() {
        return std::ranges::all_of(works_, [](const auto& work) { return work->ended(); }) && system_.idle();
    }
    void simulate_a_slice() {
        Time slice = kSlice;
        for (const auto& work : works_) slice = work->slice(current_time(), slice);
        if (slice > Time{}) system_.run(slice, ahead_);
        if (system_.idle())
            for (const auto& work : works_) work->idle(current_time());
        for (const auto& work : works_) work->advance(current_time());
    }
    void check_works() {
        for (const auto& work : works_)
            if (const std::string wrong = work->violation(); !wrong.empty()) fail(wrong);
    }
    void check() {
        check_works();
        if (system_.idle()) bridges_.check_idle();
        if (!bridges_.violation().empty()) fail(bridges_.violation());
        if (const std::string lost = not_conserved(system_, config_); !lost.empty()) fail(lost);
    }
    /// The wait counts from the last progress, which may be within the last slice.
    [[nodiscard]] Time waited() const {
        Time last;
        for (const auto& work : works_) last = std::max(last, work->last_progress());
        return current_time() - last;
    }
    [[nodiscard]] bool stands_still() const {
        Time longest = limit_;
        for (const auto& work : works_) longest += work->patience();
        return waited() > longest;
    }

    const RunConfig& config_;
    System& system_;
    Works& works_;
    BridgeJudge& bridges_;
    const Ahead ahead_;
    RunResult& result_;
    const Time limit_ = watchdog_limit(config_);
    const Cycle failure_ = fails_at();
};

void watch_bridges(System& system, const RunConfig& config, BridgeJudge& judge) {
    for (std::size_t i = 0; i < system.bridges(); ++i)
        judge.add(system.bridge(i), config.bridges[i].between, senders_of(config, config.bridges[i]));
}

/// Room for the samples of all works, each in its place.
void make_records(const Works& works, const RunRequest& request, RunResult& result) {
    std::size_t all = 0;
    for (const auto& work : works) all += work->samples();
    result.samples = Records<Sample>(all, samples_file(request.records));
    std::span<Sample> left(result.samples.begin(), all);
    for (const auto& work : works) {
        work->record_in(left.first(work->samples()));
        left = left.subspan(work->samples());
    }
}

/// What blocks with streams took, in cycles of theirs; `each`: and how many frames took how long.
void count_streams(const StreamReports& streams, bool each, RunResult& result) {
    for (const auto& [stream, report] : streams.all()) {
        std::uint64_t frames = 0, cycles = 0, most = 0;
        for (const auto& [latency, count] : report.latencies.counts()) {
            frames += count;
            most = static_cast<std::uint64_t>(latency);
            cycles += count * most;
            if (each) result.counters.emplace_back(stream + "_latency " + std::to_string(latency), count);
        }
        result.counters.emplace_back(stream + "_latency_frames", frames);
        result.counters.emplace_back(stream + "_latency_cycles", cycles);
        result.counters.emplace_back(stream + "_latency_high_water", most);
    }
}

RunResult run(const RunRequest& request, BuildOrder order, EventSink* sink, bool strict = false) {
    const RunConfig& config = request;
    // Any report of SystemC is a fault of this program.
    sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_THROW);
    const auto started = std::chrono::steady_clock::now();
    RunResult result;
    try {
        Works works = works_of(request);
        BridgeJudge bridges;
        NodeTaps taps(works, static_cast<unsigned>(config.names.size()), config.names.size() + config.switches.size(),
                      config.bridges.empty() ? nullptr : &bridges);
        RunObservers observers(request, sink, taps);
        RunFaults faults(request);
        FaultSource* of_links = &faults.source();
        std::vector<std::uint64_t> memory_bytes(config.names.size());
        for (const auto& work : works) {
            work->prepare(observers.events(), observers.recorder());
            work->claim_memory(memory_bytes);
            of_links = &work->over(*of_links);
        }
        Waves waves(request.wave);
        TransactionFile transactions(request.transactions);
        StreamReports streams(
            [&](const std::string& stream, const Transaction& one) { transactions.add(stream, one); });
        std::vector<RtlBlocks> blocks;
        std::vector<BlockMakers> makers;
        blocks.reserve(config.hosts.size());
        for (unsigned host = 0; host < config.hosts.size(); ++host) {
            const RtlBlocks& one = blocks.emplace_back(BlockPlace{config.names[host], &waves, strict, &streams});
            makers.push_back({&one, &one});
        }
        const KitEnds ends(std::move(memory_bytes), std::move(makers));
        System system("system", config, ends, *of_links, &observers.observer(), order);
        waves.check();
        watch_bridges(system, config, bridges);
        make_records(works, request, result);
        observers.attach(system);
        for (const auto& work : works) work->attach(system);
        try {
            // What is written has an order.
            const bool watched = observers.events() != nullptr || faults.is_recorded() ||
                                 std::ranges::any_of(works, [](const auto& work) { return work->stops(); });
            Running running(config, system, works, bridges, watched ? Ahead::never : Ahead::allowed, result);
            for (const auto& work : works) work->let_copies([&] { running.to_the_end(); });
            running.to_the_end();
            observers.finish_events();
        } catch (const std::exception& failure) {
            observers.finish_after_failure();
            faults.finish_after(failure);
            throw;
        }
        observers.finish_files();
        transactions.close();
        faults.finish();
        result.counters = collect_counters(system, config);
        result.counters.emplace_back(kTapeUnused, faults.unused());
        count_streams(streams, strict, result);
        result.kernel_events = system.activations();
        result.data_frames = count_data_frames(system, config);
        for (const auto& work : works) {
            result.simulated = std::max(result.simulated, work->last_end());
            work->finish(result);
        }
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
