// SPDX-License-Identifier: Apache-2.0
#include "testbench/sweep/merge.h"

#include "testbench/results/journal.h"
#include "testbench/results/output_folder.h"
#include "testbench/results/shard_record.h"
#include "testbench/results/text.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace rnicsim::runner {
namespace {

/// The records of this sweep's shards in a folder. A folder that has nothing but other sweeps' is refused.
std::vector<ShardRecord> records_of(const Scenario& scenario, const std::filesystem::path& folder) {
    std::vector<ShardRecord> all = read_records(folder);
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error))
        throw ScenarioError(folder.string() + ": no such folder, expected one that `rnicsim run --shard` has left");
    if (all.empty() && !std::filesystem::is_directory(folder / "runs", error)) {
        throw ScenarioError(folder.string() + ": holds no runs, expected a folder that `rnicsim run --shard` has left");
    }
    std::vector<ShardRecord> records;
    for (const ShardRecord& record : all) {
        if (difference(record, scenario).empty()) records.push_back(record);
    }
    if (records.empty() && !all.empty()) {
        throw ScenarioError(folder.string() + ": shard " + all.front().shard.label() + " is not of this sweep: found " +
                            difference(all.front(), scenario));
    }
    return records;
}

/// A shard that was simulated in several folders counts once, with the cost of all.
void add_records(std::vector<ShardRecord>& records, const std::vector<ShardRecord>& more) {
    for (const ShardRecord& record : more) {
        const auto same = std::ranges::find(records, record.shard, &ShardRecord::shard);
        if (same == records.end()) {
            records.push_back(record);
        } else {
            same->wall_seconds += record.wall_seconds;
        }
    }
    std::ranges::sort(records, {}, [](const ShardRecord& r) { return std::pair(r.shard.count, r.shard.index); });
}

/// The first items, and how many more there are.
std::string shortened(const std::vector<std::string>& items) {
    constexpr std::size_t kShown = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(items.size(), kShown); ++i) text += (i == 0 ? "" : ", ") + items[i];
    if (items.size() > kShown) text += " and " + std::to_string(items.size() - kShown) + " more";
    return text;
}

/// By shard, if all records agree on their number; else by run.
std::string describe_missing(const Scenario& scenario, const std::vector<std::size_t>& missing,
                             const std::vector<RunKey>& keys, const std::vector<ShardRecord>& records) {
    std::vector<std::string> items;
    if (records.empty() || records.front().shard.count != records.back().shard.count) {
        for (const std::size_t run : missing) items.push_back(run_label(scenario, keys[run]));
        return shortened(items);
    }
    std::map<std::size_t, std::size_t> lacking;  // by shard
    const std::size_t count = records.front().shard.count;
    for (const std::size_t run : missing) ++lacking[shard_of(run, count).index];
    for (const auto& [index, runs] : lacking) {
        const Shard shard{index, count};
        items.push_back("shard " + shard.label() + " lacks " + std::to_string(runs) + " of " +
                        std::to_string(shard.share(keys.size())));
    }
    return shortened(items);
}

CallInfo call_info(const ProductOptions& options, const std::vector<ShardRecord>& records, const std::size_t runs) {
    CallInfo call{.overrides = options.overrides, .jobs = 0, .resumed_runs = runs, .shards = records};
    for (const ShardRecord& record : records) {
        call.jobs += record.jobs;
        call.wall_seconds += record.wall_seconds;
    }
    return call;
}

}  // namespace

ExitCode merge_shards(const Scenario& scenario, const ProductOptions& options,
                      const std::vector<std::filesystem::path>& folders) {
    const std::vector<std::filesystem::path> sources =
        folders.empty() ? std::vector<std::filesystem::path>{options.out} : folders;
    std::vector<ShardRecord> records;
    std::vector<Journal> journals;
    for (const std::filesystem::path& source : sources) {
        add_records(records, records_of(scenario, source));
        journals.emplace_back(scenario, source);
    }
    const std::vector<RunKey> keys = all_runs(scenario);
    std::vector<const Journal*> found;  // where each run is
    std::vector<std::size_t> missing;
    for (std::size_t run = 0; run < keys.size(); ++run) {
        const auto has = [&](const Journal& journal) {
            return journal.read(keys[run], "it counts as missing here").has_value();
        };
        const auto journal = std::ranges::find_if(journals, has);
        found.push_back(journal == journals.end() ? nullptr : &*journal);
        if (journal == journals.end()) missing.push_back(run);
    }
    if (!missing.empty()) {
        spdlog::error("{} of {} runs are missing: {}; nothing was written, the shard's own command continues it",
                      missing.size(), keys.size(), describe_missing(scenario, missing, keys, records));
        return kIncomplete;
    }

    const OutputFolder folder(options.out);  // only now: a merge that fails leaves no trace
    set_products_aside(folder.path());
    const Journal journal(scenario, folder.path());
    for (std::size_t run = 0; run < keys.size(); ++run) {
        std::error_code ignored;
        if (std::filesystem::equivalent(found[run]->file(keys[run]), journal.file(keys[run]), ignored)) continue;
        journal.copy(keys[run], *found[run]);
    }
    const CallInfo call = call_info(options, records, keys.size());
    std::string cost = counted(keys.size(), "run") + " merged";
    if (!records.empty()) {
        cost += ", of " + counted(records.size(), "shard") + " that took " + duration(call.wall_seconds) + " together";
    }
    return show_products(scenario, options, write_products(scenario, options, journal, call), cost);
}

}  // namespace rnicsim::runner
