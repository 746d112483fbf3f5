// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/cosim.h"

#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/rc/end/end_config.h"
#include "model/rtl/rtl_blocks.h"
#include "testbench/cli/axes.h"
#include "testbench/cli/transactions.h"
#include "testbench/events/microseconds.h"
#include "testbench/results/journal.h"
#include "testbench/results/text.h"
#include "testbench/sweep/event_pipe.h"
#include "testbench/sweep/pool.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim::runner {
namespace {

constexpr std::size_t kBefore = 6;      // equal events shown before a divergence
constexpr std::size_t kLookedAt = 256;  // events of each side looked at from it on
constexpr std::size_t kShown = 6;       // of each side
constexpr std::uint64_t kAllEvents = std::numeric_limits<std::uint64_t>::max();

/// "a: gmac rtl, frame_filter rtl; b: all models"
std::string blocks_of(const RunConfig& config) {
    std::string text;
    for (const unsigned end : drp_hosts(config)) {
        const BlockNames& blocks = drp_of(config, end).rnic.blocks;
        text += (end == 0 ? "" : "; ") + config.names[end] + ": ";
        std::string named;
        for (std::size_t i = 0; i < kBlockNames.size(); ++i) {
            const std::string& name = blocks[static_cast<Block>(i)];
            if (name != "model") named += (named.empty() ? "" : ", ") + std::string(kBlockNames[i]) + " " + name;
        }
        text += named.empty() ? "all models" : named;
    }
    for (const unsigned host : verbs_hosts(config)) {
        std::string named;
        for (const rc::CardBlockRow& block : rc::kCardBlocks) {
            if (verbs_of(config, host).card.in_verilog.*block.chosen)
                named += (named.empty() ? "" : ", ") + std::string(block.name) + " rtl";
        }
        if (!named.empty()) text += (text.empty() ? "" : "; ") + config.names[host] + ": " + named;
    }
    return text;
}

/// Leaves the waveforms of a run, which is done once more for them; until so many events, or to its end.
void draw(const RunRequest& verilog, const Record& record, std::uint64_t events) {
    EventPipe pipe(verilog, record);
    while (events-- > 0 && pipe.next()) {}
    if (pipe.error().empty()) pipe.leave();
}

/// One run, twice. Counts equal events; prints the divergence, if there is one.
class Comparison {
  public:
    Comparison(const RunConfig& model, const RunRequest& verilog, const Record& record)
        : names_(node_names(model)),
          model_(model, record),
          verilog_(verilog, record),
          draws_(!verilog.wave.file.empty()) {}

    /// So many events are worth drawing: none behind those that were printed, and all of Verilog that failed.
    [[nodiscard]] std::uint64_t until_divergence() const {
        return verilog_.error().empty() ? events_ + kLookedAt : kAllEvents;
    }

    ExitCode compare() {
        while (true) {
            const std::optional<LoggedEvent> left = model_.next();
            const std::optional<LoggedEvent> right = verilog_.next();
            if (model_.crashed() || verilog_.crashed()) return crashed();
            if (!left && !right) return ended_alike();
            if (left && right && *left == *right) {
                if (before_.size() == kBefore) before_.pop_front();
                before_.push_back(*left);
                ++events_;
                continue;
            }
            diverged(left, right);
            return kSimulationFailed;
        }
    }
    [[nodiscard]] std::uint64_t events() const { return events_; }

  private:
    /// A fault of this program or of its machine. Where it happened is not known: the last events died with the
    /// process.
    ExitCode crashed() {
        const char* const who = !verilog_.crashed() ? "with models"
                                : !model_.crashed() ? "with Verilog"
                                                    : "with either";
        const std::string& how = (verilog_.crashed() ? verilog_ : model_).error();
        std::fprintf(
            stderr,
            "error: the simulation %s crashed: %s; until then %s events were equal. This is no difference between "
            "models and Verilog.\n",
            who, how.c_str(), grouped(events_).c_str());
        if (how.find("signal 9 ") != std::string::npos) {
            std::fprintf(stderr,
                         "Somebody killed it, or memory ran out (dmesg says so); the same command tries again.\n");
        } else {
            std::fprintf(
                stderr,
                "To see where: the same command in a build of the preset asan names the line; or, after `ulimit -c "
                "unlimited`, it leaves a core for gdb.\n");
        }
        return kIncomplete;
    }

    ExitCode ended_alike() {
        const auto what = [](const std::string& error) { return error.substr(0, error.find('\n')); };
        if (what(model_.error()) == what(verilog_.error())) {  // the rest may say what each waits for
            if (model_.error().empty()) return kOk;
            std::fprintf(stderr, "error: after %s equal events both simulations failed alike, with models:\n%s\n",
                         grouped(events_).c_str(), model_.error().c_str());
            return kSimulationFailed;
        }
        diverged(std::nullopt, std::nullopt);
        return kSimulationFailed;
    }

    /// Events come in the order of their decisions. Those that differ are shown in the order of their times, so that
    /// the first line is where to look.
    void diverged(const std::optional<LoggedEvent>& left, const std::optional<LoggedEvent>& right) {
        std::vector<LoggedEvent> model = rest(left, model_);
        std::vector<LoggedEvent> verilog = rest(right, verilog_);
        drop_common(model, verilog);
        std::printf("divergence after %s equal events\n", grouped(events_).c_str());
        std::vector<Line> lines;
        for (const LoggedEvent& event : before_) lines.push_back({"both   ", event});
        show(lines);
        lines.clear();
        for (const LoggedEvent& event : model) lines.push_back({"model  ", event});
        for (const LoggedEvent& event : verilog) lines.push_back({"Verilog", event});
        show(lines);
        for (const auto& [who, pipe] : {std::pair("model  ", &model_), std::pair("Verilog", &verilog_)}) {
            if (!pipe->error().empty())
                std::printf("  %s  %s\n", who, pipe->error().c_str());
            else if ((pipe == &model_ ? left : right) == std::nullopt)
                std::printf("  %s  end of the run\n", who);
        }
        if (!lines.empty() && verilog_.error().empty()) {
            const Time at = lines.front().event.at;
            std::printf("the first that differs takes effect at %s us, %lld ps in a waveform\n",
                        exact_microseconds(at).c_str(), static_cast<long long>(at.ps));
        }
        if (!verilog_.error().empty() || !draws_) return;
        std::fflush(stdout);
        verilog_.leave();  // completes its waveforms
    }

    /// `first` and what follows, as far as is looked at.
    static std::vector<LoggedEvent> rest(std::optional<LoggedEvent> event, EventPipe& pipe) {
        std::vector<LoggedEvent> events;
        for (; event; event = pipe.next()) {
            events.push_back(*event);
            if (events.size() == kLookedAt) break;
        }
        return events;
    }
    /// Drops what both have, only in another order; keeps all if nothing else differs.
    static void drop_common(std::vector<LoggedEvent>& left, std::vector<LoggedEvent>& right) {
        std::vector<LoggedEvent> only_left;
        std::vector<LoggedEvent> only_right = right;
        for (const LoggedEvent& event : left) {
            const auto same = std::ranges::find(only_right, event);
            if (same == only_right.end()) {
                only_left.push_back(event);
            } else {
                only_right.erase(same);
            }
        }
        if (only_left.empty() && only_right.empty()) return;
        left = std::move(only_left);
        right = std::move(only_right);
    }

    struct Line {
        const char* who;
        LoggedEvent event;
    };
    /// Of each side the first few.
    void show(std::vector<Line>& lines) const {
        std::ranges::stable_sort(lines, {}, [](const Line& line) { return line.event.at; });
        std::map<std::string_view, std::size_t> shown;
        for (const Line& line : lines) {
            if (shown[line.who]++ < kShown) std::printf("  %s  %s\n", line.who, describe(line.event, names_).c_str());
        }
    }

    const HostNames names_;
    EventPipe model_;
    EventPipe verilog_;
    bool draws_;
    std::deque<LoggedEvent> before_;
    std::uint64_t events_ = 0;
};

/// One run, twice, of blocks that are judged by their transactions: at their ports, by whoever drives them.
ExitCode compare_transactions(const RunConfig& model, const RunRequest& verilog, const Record& record,
                              Transactions& transactions) {
    class Nobody : public EventSink {
        void event(const LoggedEvent& /*event*/, std::span<const std::uint8_t> /*frame*/) override {}
    };
    const auto simulate = [&](const RunRequest& request) {
        Nobody nobody;
        return record(request, nobody);
    };
    std::array<RunOutcome, 2> outcomes;
    run_pool({RunRequest(model), verilog}, 2, simulate,
             {[&](std::size_t run, RunOutcome outcome) { outcomes.at(run) = std::move(outcome); }});
    constexpr std::array kWho{"with models", "with Verilog"};
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        const RunOutcome& outcome = outcomes.at(i);
        switch (outcome.kind) {
            case RunOutcome::Kind::finished: break;
            case RunOutcome::Kind::refused: throw ScenarioError(outcome.message);
            case RunOutcome::Kind::died:
                std::fprintf(stderr, "error: the simulation %s crashed: %s\n", kWho.at(i), outcome.message.c_str());
                return kIncomplete;
            case RunOutcome::Kind::failed:
                std::printf("%s: %s\n", i == 0 ? "the simulation with models failed" : "transactions differ",
                            outcome.message.c_str());
                return kSimulationFailed;
        }
    }
    transactions.add(verilog, outcomes[0].result, outcomes[1].result);
    return kOk;
}

/// Throws ScenarioError where an option would be without effect.
void check_streams(const RunConfig& config, const StreamOptions& streams) {
    const auto given = [](const DrpEndConfig& end) {
        return end.rnic.blocks[Block::gmac] != "model" || end.rnic.blocks[Block::frame_filter] != "model";
    };
    if (streams.stress != 0 && std::ranges::none_of(drp_ends(config), given)) {
        throw ScenarioError(
            "--stress: no MAC and no frame filter is in Verilog; expected --set simulation.gmac=NAME or "
            "simulation.frame_filter=NAME");
    }
    if (!streams.dump.empty() && !has_streams(config)) {
        throw ScenarioError("--dump-transactions " + streams.dump +
                            ": no block of this scenario has AXI-Stream ports (rtl/examples/README.md)");
    }
}

/// The blocks of the first run in Verilog, with frames that no scenario may have. Prints what they did wrong, and draws
/// it.
bool stressed(const Scenario& scenario, std::uint64_t frames, const WaveRequest& wave) {
    const RunRequest first = run_config(scenario, 0, 0, 0);
    std::printf("stress: %s frames each way\n", grouped(frames).c_str());
    try {
        stress_blocks(first, frames, {});
        return true;
    } catch (const RtlFault& fault) { std::printf("stress: %s\n", fault.what()); }
    if (wave.file.empty()) return false;
    try {
        stress_blocks(first, frames, wave);
    } catch (const RtlFault&) {}  // the same
    return false;
}

}  // namespace

void check_has_drp(const Scenario& scenario) {
    if (!has_drp(scenario.points.front().configs.front())) {
        throw ScenarioError(
            scenario.file.string() +
            ": no host has a DRP RNIC, expected one, or of a RoCEv2 card system.rnic.rc.simulated_by: {icrc: rtl}, or "
            "another block that it names");
    }
}

bool has_verilog(const Scenario& scenario) {
    const auto of_end = [](const DrpEndConfig& end) { return end.rnic.blocks != BlockNames(); };
    const auto of_card = [](const VerbsEndConfig& end) { return end.card.in_verilog != rc::InVerilog(); };
    const auto of_run = [&](const RunConfig& config) {
        return std::ranges::any_of(drp_ends(config), of_end) || std::ranges::any_of(verbs_ends(config), of_card);
    };
    return std::ranges::any_of(scenario.points,
                               [&](const SweepPoint& point) { return std::ranges::any_of(point.configs, of_run); });
}

ExitCode cosimulate(const Scenario& scenario, const Record& record, const WaveRequest& wave,
                    const std::string& wave_run, const StreamOptions& streams) {
    check_streams(run_config(scenario, 0, 0, 0), streams);
    if (streams.stress != 0 && !stressed(scenario, streams.stress, wave)) return kSimulationFailed;
    const std::string drawn = run_label(scenario, chosen_run(scenario, wave_run, "--wave-run"));
    std::uint64_t events = 0;
    std::size_t runs = 0;
    bool all_by_events = true;
    Transactions transactions;
    std::string blocks;
    for (std::size_t point = 0; point < scenario.points.size(); ++point) {
        for (std::size_t variant = 0; variant < scenario.variants.names.size(); ++variant) {
            for (std::uint32_t repetition = 0; repetition < scenario.repetitions; ++repetition) {
                RunRequest verilog = run_config(scenario, point, variant, repetition);
                RunConfig model(static_cast<const RunConfig&>(verilog));
                for (DrpEndConfig& end : drp_ends(model)) end.rnic.blocks = BlockNames("model");
                for (VerbsEndConfig& end : verbs_ends(model)) end.card.in_verilog = {};
                const std::string label = run_label(scenario, {point, variant, repetition});
                const bool draws = !wave.file.empty() && label == drawn;
                if (draws) verilog.wave = wave;
                if (label == drawn) verilog.transactions = streams.dump;
                blocks = blocks_of(verilog);
                const bool by_events = !has_streams(verilog);
                all_by_events = all_by_events && by_events;
                std::optional<Comparison> comparison;
                if (by_events) comparison.emplace(model, verilog, record);
                const ExitCode result =
                    by_events ? comparison->compare() : compare_transactions(model, verilog, record, transactions);
                if (draws) std::printf("%s: of run %s\n", wave.file.c_str(), drawn.c_str());
                if (result == kSimulationFailed && !wave.file.empty() && !draws) {
                    if (wave_run.empty()) {
                        verilog.wave = wave;
                        draw(verilog, record, by_events ? comparison->until_divergence() : kAllEvents);
                        std::printf("%s: of run %s\n", wave.file.c_str(), label.c_str());
                    } else {
                        std::printf("%s: not of this run, expected --wave-run %s\n", wave.file.c_str(), label.c_str());
                    }
                }
                events += by_events ? comparison->events() : 0;
                ++runs;
                if (result == kOk) continue;
                std::printf("in run: point %zu (%s), %s, repetition %u; %s\n", point,
                            point_label(scenario.points[point].values).c_str(),
                            scenario.variants.names[variant].c_str(), repetition + 1, blocks.c_str());
                return result;
            }
        }
    }
    if (all_by_events) {
        std::printf("%s: %s events equal in %zu runs; %s\n", scenario.name.c_str(), grouped(events).c_str(), runs,
                    blocks.c_str());
    } else {
        std::printf("%s: transactions equal in %zu runs; %s\n", scenario.name.c_str(), runs, blocks.c_str());
        transactions.print();
    }
    return kOk;
}

}  // namespace rnicsim::runner
