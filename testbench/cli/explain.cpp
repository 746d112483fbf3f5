// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/explain.h"

#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/drp/policies/retransmission.h"
#include "testbench/cli/axes.h"
#include "testbench/cli/chosen_message.h"
#include "testbench/cli/look_options.h"
#include "testbench/cli/watched.h"
#include "testbench/observe/drp_ladder.h"
#include "testbench/observe/ladder_svg.h"
#include "testbench/observe/ladder_text.h"
#include "testbench/observe/message_ladder.h"
#include "testbench/observe/operation_ladder.h"
#include "testbench/observe/persist_ladder.h"
#include "testbench/records/output_file.h"
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
    for (const unsigned host : drp_hosts(config)) {
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
        drp_ends(config), [](const DrpEndConfig& end) { return !end.rnic.transport.retransmission->takes_ahead(); });
}

/// "dynamic method", or of two that differ "traditional method, of b dynamic".
std::string methods_of(const RunConfig& config, unsigned initiator, unsigned responder) {
    const auto of = [&](unsigned host) { return std::string(method_name(drp_of(config, host).rnic.transport.method)); };
    const std::string text = of(initiator) + " method";
    return of(initiator) == of(responder) ? text : text + ", of " + config.names[responder] + ' ' + of(responder);
}

}  // namespace

std::string title_of(const Scenario& scenario, const RunKey& key, const Ladder& ladder) {
    std::string title = fmt::format("{}: {}", scenario.name, ladder.what);
    if (const auto& values = scenario.points.at(key.point).values; !values.empty()) title += ", " + point_label(values);
    title += fmt::format(", run {}", run_label(scenario, key)) + outcome(ladder);
    return title;
}

void show(const Ladder& ladder, const std::string& file) {
    std::fputs(draw_text(ladder).c_str(), stdout);
    if (file.empty()) return;
    try {
        OutputFile out(file);
        out.write(file.ends_with(".svg") ? draw_svg(ladder) : draw_html(ladder));
        out.close();
    } catch (const RunError& error) { throw OutputError(error.what()); }
}

ExitCode explain(const Scenario& scenario, const ExplainOptions& options, const Record& record) {
    check_file("--draw", options.file, {".svg", ".html"});
    if (!options.recording.empty()) return explain_recorded(scenario, options);
    if (!options.program.empty())
        throw ScenarioError("--program " + options.program +
                            ": expected --recorded FILE.run with it, of `rnicsim exec --record`");
    if (options.transfer.empty()) throw ScenarioError("explain: expected --transfer N");
    const RunKey key = chosen_run(scenario, options.run, "--run");
    const RunConfig config = run_config(scenario, key.point, key.variant, key.repetition);
    const std::optional<MessageName> message = chosen_message(config, options.transfer);
    const TransferName transfer = message ? TransferName{} : chosen_transfer(config, options.transfer);
    const std::string name = message ? message->text(config.names) : transfer.text(config.names);
    EventPipe events(config, record);
    const auto built = [&] {
        if (!message) return watched(DrpLadder(transfer, config, options.every_frame, some_go_back_n(config)), events);
        if (const applications::Application* const of = application_of(config, *message))
            return watched(OperationLadder(*message, config, of->parts(), options.every_frame), events);
        if (is_of_scheme(config, *message))
            return watched(PersistLadder(*message, config, options.every_frame), events);
        return watched(MessageLadder(*message, config, options.every_frame), events);
    };
    Ladder ladder = built();
    if (!events.error().empty()) spdlog::error("the run failed:\n{}", events.error());
    if (!ladder.found) {
        if (events.error().empty()) spdlog::error("the run ended before {} was asked for", name);
        return kSimulationFailed;
    }
    if (!message) {
        const bool of_variant = scenario.variants.word != "method";
        ladder.what = fmt::format("transfer {}, {}, {}", name, ladder.what,
                                  of_variant ? scenario.variants.names.at(key.variant) + ' ' + scenario.variants.word
                                             : methods_of(config, transfer.initiator, ladder.responder_host));
    }
    ladder.initiator = config.names[message ? message->sender : transfer.initiator];
    ladder.responder = config.names[ladder.responder_host];
    ladder.title = title_of(scenario, key, ladder);
    show(ladder, options.file);
    return events.error().empty() ? kOk : kSimulationFailed;
}

}  // namespace rnicsim::runner
