// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/first_offence.h"

#include "testbench/cli/chosen_message.h"
#include "testbench/cli/explain.h"
#include "testbench/cli/watched.h"
#include "testbench/observe/ladder_text.h"
#include "testbench/observe/persist_ladder.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace rnicsim::runner {
namespace {

bool has_schemes(const RunConfig& config) {
    return std::ranges::any_of(config.traffic,
                               [](const TrafficConfig& item) { return item.verbs.scheme != PersistScheme::none; });
}

/// The one that has waited longest, in a run that ends because nothing goes on any more.
std::optional<MessageName> waiting_item(const RunConfig& config, const Record& record) {
    std::map<std::tuple<unsigned, std::uint32_t, std::uint32_t>, Time> waiting;  // by name, since when
    EventPipe events(config, record);
    while (const std::optional<LoggedEvent> event = events.next()) {
        const auto* const step = std::get_if<PersistStep>(&event->what);
        if (step == nullptr) continue;
        const std::tuple name{unsigned{step->sender}, step->qp, step->number};
        if (step->step == PersistStep::Step::posted) waiting.emplace(name, event->at);
        if (step->step == PersistStep::Step::persisted || step->step == PersistStep::Step::failed) waiting.erase(name);
    }
    if (waiting.empty() || !events.error().starts_with("watchdog: ")) return {};
    const auto longest = std::ranges::min_element(waiting, {}, [](const auto& one) { return one.second; });
    const auto& [sender, qp, number] = longest->first;
    return MessageName{sender, qp, number};
}

}  // namespace

void show_first_offence(const Scenario& scenario, const Journal& journal, const Record& record) {
    for (const RunKey& key : all_runs(scenario)) {
        const RunConfig config = run_config(scenario, key.point, key.variant, key.repetition);
        if (!has_schemes(config)) continue;
        const std::optional<RunResult> result = journal.read(key);
        if (result && result->false_item.empty()) continue;
        const std::optional<MessageName> item =
            result ? chosen_message(config, result->false_item) : waiting_item(config, record);
        if (!item) continue;
        EventPipe events(config, record);
        Ladder ladder = watched(PersistLadder(*item, config, false), events);
        ladder.initiator = config.names[item->sender];
        ladder.responder = config.names[ladder.responder_host];
        ladder.title = title_of(scenario, key, ladder);
        std::fputs(draw_text(ladder).c_str(), stderr);
        return;
    }
}

}  // namespace rnicsim::runner
