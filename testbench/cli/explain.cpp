#include "testbench/cli/explain.h"

#include "testbench/cli/axes.h"
#include "testbench/cli/look_options.h"
#include "testbench/observe/ladder.h"
#include "testbench/observe/ladder_svg.h"
#include "testbench/observe/ladder_text.h"
#include "testbench/observe/microseconds.h"
#include "testbench/observe/output_file.h"
#include "testbench/results/journal.h"
#include "testbench/results/output_folder.h"
#include "testbench/results/text.h"
#include "testbench/sweep/event_pipe.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace rnicsim::runner {
namespace {

/// "7" of the first host that asks for transfers, or "b7"; in a network "client3.7".
TransferName chosen_transfer(const RunConfig& config, const std::string& text) {
    const auto asked_by = [&](unsigned host) {
        std::uint64_t all = 0;
        for (const TrafficConfig& item : config.traffic) {
            if (item.workload == Workload::transfers && !item.responders(host).empty()) all += item.transfers;
        }
        return all;
    };
    std::vector<unsigned> initiators;
    for (unsigned host = 0; host < config.ends.size(); ++host) {
        if (asked_by(host) != 0) initiators.push_back(host);
    }
    if (initiators.empty()) {
        throw ScenarioError("--transfer " + text +
                            ": nobody has transfers: plain hosts send frames, expected `rnicsim run --events`");
    }
    TransferName name;
    name.initiator = initiators.front();
    std::string_view digits = text;
    if (const auto [initiator, rest] = config.names.split(text); initiator) {
        name.initiator = *initiator;
        digits = rest;
    }
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), name.number);
    if (error != std::errc{} || end != digits.data() + digits.size() || name.number >= asked_by(name.initiator)) {
        const bool known = asked_by(name.initiator) != 0;
        const unsigned example = known ? name.initiator : initiators.back();
        const std::uint64_t all = asked_by(example);
        throw ScenarioError(fmt::format("--transfer {}: expected a number of 0 .. {}{}", text, all - 1,
                                        initiators.size() == 1 && known
                                            ? ""
                                            : ", with the end that asks for it, such as " +
                                                  config.names.transfer(example, std::min<std::uint64_t>(7, all - 1))));
    }
    return name;
}

/// A receiver's mode is that of its own end.
bool some_go_back_n(const RunConfig& config) {
    return std::ranges::any_of(
        config.ends, [](const EndSystemConfig& end) { return !end.rnic.transport.retransmission->takes_ahead(); });
}

std::string title_of(const Scenario& scenario, const RunKey& key, const Ladder& ladder) {
    const std::string point = point_label(scenario.points.at(key.point).values);
    const char* const operation = ladder.operation == Operation::write ? "write" : "read";
    std::string title = fmt::format("{}: transfer {}, {} of {} B, {} method", scenario.name,
                                    ladder.transfer.text(scenario.points.at(key.point).config.names), operation,
                                    ladder.bytes, method_name(key.method));
    if (!scenario.points.at(key.point).values.empty()) title += ", " + point;
    title += fmt::format(", run {}", run_label(key));
    if (ladder.end != kNever) {
        title += fmt::format(": {} after {} \u00B5s", ladder.failed ? "failed" : "completed",
                             microseconds(ladder.end - ladder.start));
        if (ladder.in_memory != kNever && !ladder.failed) {
            const bool later = ladder.in_memory > ladder.end;
            title += fmt::format(", the last byte in memory {} \u00B5s {}",
                                 microseconds(later ? ladder.in_memory - ladder.end : ladder.end - ladder.in_memory),
                                 later ? "later" : "before");
        }
    }
    return title;
}

}  // namespace

ExitCode explain(const Scenario& scenario, const ExplainOptions& options, const Record& record) {
    check_file("--draw", options.file, {".svg", ".html"});
    const RunKey key = chosen_run(scenario, options.run, "--run");
    const RunConfig config = run_config(scenario, key.point, key.method, key.repetition);
    const TransferName transfer = chosen_transfer(config, options.transfer);
    LadderBuilder builder(transfer, config, options.every_frame, some_go_back_n(config));
    EventPipe events(config, record);
    while (!builder.complete()) {
        const std::optional<LoggedEvent> event = events.next();
        if (!event) break;
        builder.add(*event);
    }
    Ladder ladder = builder.finish();
    if (!events.error().empty()) spdlog::error("the run failed:\n{}", events.error());
    if (!ladder.found) {
        if (events.error().empty()) spdlog::error("the run ended before {} was asked for", transfer.text(config.names));
        return kSimulationFailed;
    }
    ladder.initiator = config.names[transfer.initiator];
    ladder.responder = config.names[ladder.responder_host];
    ladder.title = title_of(scenario, key, ladder);
    std::fputs(draw_text(ladder).c_str(), stdout);
    if (!options.file.empty()) {
        try {
            OutputFile file(options.file);
            file.write(options.file.ends_with(".svg") ? draw_svg(ladder) : draw_html(ladder));
            file.close();
        } catch (const RunError& error) { throw OutputError(error.what()); }
    }
    return events.error().empty() ? kOk : kSimulationFailed;
}

}  // namespace rnicsim::runner
