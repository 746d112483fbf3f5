// SPDX-License-Identifier: Apache-2.0
// `rnicsim explain --recorded`: what programs of the machine have called, and what became of it.
#include "model/request_error.h"
#include "testbench/cli/explain.h"
#include "testbench/events/microseconds.h"
#include "testbench/observe/ladder_text.h"
#include "testbench/observe/message_ladder.h"
#include "testbench/observe/program_ladder.h"
#include "testbench/observe/recording.h"
#include "testbench/tape/tape_names.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

namespace rnicsim::runner {
namespace {

std::vector<RecordedProgram> programs_in(const std::string& file, const RunConfig& run) {
    std::vector<RecordedProgram> all;
    Recording events(file, run);
    while (const auto event = events.next()) {
        if (const auto* const begins = std::get_if<ProgramBegins>(&event->what))
            all.push_back({event->end, begins->program, std::string(begins->name())});
    }
    // Which host's comes first depends on the machine.
    std::ranges::sort(all, {}, [](const RecordedProgram& program) { return std::pair(program.host, program.number); });
    return all;
}

RecordedProgram chosen_program(const ExplainOptions& options, const RunConfig& run) {
    const std::vector<RecordedProgram> all = programs_in(options.recording, run);
    std::vector<RecordedProgram> fits;
    std::string those;
    for (const RecordedProgram& program : all) {
        those += fmt::format("{}{} ({})", those.empty() ? "" : ", ", program.text(run.names), program.name);
        if (options.program == program.text(run.names) || options.program == program.name) fits.push_back(program);
    }
    if (fits.size() != 1)
        throw ScenarioError(
            fmt::format("--program {}: expected one of {}", options.program,
                        those.empty() ? "its programs, but there is none in " + options.recording : those));
    return fits.front();
}

/// "a.q0.7".
MessageName message_of(const std::string& text, const RunConfig& run) {
    const auto refuse = [&] {
        throw ScenarioError("--transfer " + text + ": expected a message by host, QP and number, such as " +
                            run.names.message(0, 0, 7));
    };
    MessageName name;
    const auto found = TapeNames(run).find_qp(text);
    if (!found) refuse();
    name.sender = found->host;
    const char* const end = found->number.data() + found->number.size();
    const auto [dot, error] = std::from_chars(found->number.data(), end, name.qp);
    if (error != std::errc{} || dot == end || *dot != '.') refuse();
    const auto [last, wrong] = std::from_chars(dot + 1, end, name.number);
    if (wrong != std::errc{} || last != end) refuse();
    return name;
}

/// Which messages there are.
[[noreturn]] void refuse_message(const ExplainOptions& options, const RunConfig& run) {
    std::map<std::string, std::uint32_t> last;  // by QP
    Recording events(options.recording, run);
    while (const auto event = events.next()) {
        const auto* const step = std::get_if<MessageStep>(&event->what);
        if (step == nullptr || step->step != MessageStep::Step::posted) continue;
        std::uint32_t& number = last[run.names.qp(step->sender, step->qp)];
        number = std::max(number, step->number);
    }
    std::string those;
    for (const auto& [qp, number] : last) those += fmt::format("{}{}.0 .. {}", those.empty() ? "" : ", ", qp, number);
    throw ScenarioError(fmt::format("--transfer {}: expected one of {}", options.transfer,
                                    those.empty() ? "its messages, but there is none in " + options.recording : those));
}

void explain_message(const ExplainOptions& options, const RunConfig& run) {
    const MessageName name = message_of(options.transfer, run);
    MessageLadder builder(name, run, options.every_frame);
    Recording events(options.recording, run);
    while (const auto event = events.next()) builder.add(*event);
    Ladder ladder = builder.finish();
    if (!ladder.found) refuse_message(options, run);
    ladder.initiator = run.names[name.sender];
    ladder.responder = run.names[ladder.responder_host];
    ladder.title = ladder.what;
    if (ladder.end != kEndOfTime)
        ladder.title += fmt::format(": {} after {} \u00B5s", ladder.failed ? "failed" : "completed",
                                    microseconds(ladder.end - ladder.start));
    show(ladder, options.file);
}

void explain_program(const ExplainOptions& options, const RunConfig& run) {
    ProgramLadder builder(chosen_program(options, run), run, options.every_frame);
    Recording events(options.recording, run);
    while (const auto event = events.next()) builder.add(*event);
    const std::string counted = builder.counted();
    show(builder.finish(), options.file);
    if (!counted.empty()) std::fputs(("\nThe cards have counted\n" + counted).c_str(), stdout);
}

}  // namespace

ExitCode explain_recorded(const Scenario& scenario, const ExplainOptions& options) {
    if (options.transfer.empty() == options.program.empty())
        throw ScenarioError("--recorded " + options.recording + ": expected --program NAME or --transfer NAME with it");
    const RunConfig& run = scenario.points.front().configs.front();
    try {
        if (!Recording(options.recording, run).has_same_settings())
            spdlog::info("{} was recorded with other settings than these; what it tells is of its own",
                         options.recording);
        options.program.empty() ? explain_message(options, run) : explain_program(options, run);
    } catch (const RequestError& error) { throw ScenarioError(error.what()); }
    return kOk;
}

}  // namespace rnicsim::runner
