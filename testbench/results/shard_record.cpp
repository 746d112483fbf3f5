// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/shard_record.h"

#include "testbench/results/build_info.h"
#include "testbench/results/output_folder.h"
#include "testbench/results/text.h"
#include "testbench/results/whole_number.h"

#include <spdlog/spdlog.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <system_error>
#include <tuple>
#include <utility>

namespace rnicsim::runner {
namespace {

using nlohmann::ordered_json;

/// The keys of a resolved listing with their values: "system.link.loss" and "0 %". An axis is a value of run.sweep.
std::vector<std::pair<std::string, std::string>> keys_of(const std::string& listing) {
    constexpr std::size_t kIndent = 2;
    std::vector<std::pair<std::string, std::string>> keys;
    std::vector<std::string> sections;
    std::istringstream lines(listing);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t start = line.find_first_not_of(' ');
        if (start == std::string::npos) continue;
        sections.resize(std::min(sections.size(), start / kIndent));
        std::string path;
        for (const std::string& section : sections) path += (path.empty() ? "" : ".") + section;
        const std::string text = line.substr(start);
        const std::size_t colon = text.find(':');
        if (text.starts_with("- ") || colon == std::string::npos) {
            keys.emplace_back(path, text);
        } else if (colon + 1 == text.size()) {
            sections.push_back(text.substr(0, colon));
        } else {
            keys.emplace_back(path + '.' + text.substr(0, colon), text.substr(colon + 2));
        }
    }
    return keys;
}

ShardRecord decode(const std::string& text) {
    const ordered_json all = ordered_json::parse(text);
    ShardRecord record;
    record.shard = parse_shard(all.at("shard").get<std::string>());
    record.identity = all.at("identity").get<std::string>();
    record.source_hash = all.at("source_hash").get<std::string>();
    record.resolved = all.at("resolved").get<std::string>();
    record.profiles = all.value("profiles", "");
    record.machine.cpu = all.at("machine").at("cpu").get<std::string>();
    record.machine.cores = whole_number<unsigned>(all.at("machine").at("cores"));
    record.jobs = whole_number<unsigned>(all.at("jobs"));
    record.wall_seconds = all.at("wall_seconds").get<double>();
    return record;
}

}  // namespace

std::string sweep_identity(const Scenario& scenario) {
    std::string text = "sweep 1\n";
    text += std::string(build_info().version) + '\n' + std::string(build_info().source_hash) + '\n';
    text += scenario.resolved + '\n';
    for (const SweepPoint& point : scenario.points) {
        text += point_label(point.values) + '\n' + std::to_string(point.configs.front().seed) + '\n';
    }
    text += profiles_listing(scenario);
    return text_hash(text);
}

ShardRecord make_record(const Scenario& scenario, const Shard& shard, const unsigned jobs) {
    return {shard,
            sweep_identity(scenario),
            std::string(build_info().source_hash),
            scenario.resolved,
            profiles_listing(scenario),
            this_machine(),
            jobs,
            0};
}

std::filesystem::path record_file(const std::filesystem::path& out, const ShardRecord& record) {
    return out / "shards" / (record.shard.file_name() + "_" + record.identity + ".json");
}

void write_record(const std::filesystem::path& out, const ShardRecord& record) {
    ordered_json all = {{"shard", record.shard.label()},
                        {"identity", record.identity},
                        {"source_hash", record.source_hash},
                        {"machine", {{"cpu", record.machine.cpu}, {"cores", record.machine.cores}}},
                        {"jobs", record.jobs},
                        {"wall_seconds", record.wall_seconds},
                        {"resolved", record.resolved}};
    if (!record.profiles.empty()) all["profiles"] = record.profiles;
    write_atomically(record_file(out, record), all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n');
}

std::vector<ShardRecord> read_records(const std::filesystem::path& out) {
    std::vector<ShardRecord> records;
    std::error_code none;  // a folder without shards/ has no records
    for (const auto& entry : std::filesystem::directory_iterator(out / "shards", none)) {
        if (entry.path().extension() != ".json") continue;
        std::ifstream stream(entry.path(), std::ios::binary);
        std::ostringstream content;
        content << stream.rdbuf();
        try {
            records.push_back(decode(content.str()));
        } catch (const std::exception&) {
            spdlog::warn("{}: damaged; the record of this shard is not used", entry.path().string());
        }
    }
    std::ranges::sort(records, {},
                      [](const ShardRecord& r) { return std::tuple(r.shard.count, r.shard.index, r.identity); });
    return records;
}

std::string difference(const ShardRecord& record, const Scenario& scenario) {
    if (record.identity == sweep_identity(scenario)) return {};
    if (record.source_hash != build_info().source_hash) {
        return "a program of sources " + record.source_hash + ", expected " + std::string(build_info().source_hash);
    }
    const auto theirs = keys_of(record.resolved + record.profiles);
    const auto ours = keys_of(scenario.resolved + profiles_listing(scenario));
    const auto [their, our] = std::ranges::mismatch(theirs, ours);
    const auto text = [](const auto& key, const auto& all) {
        return key == all.end() ? std::string("nothing") : "'" + key->first + ": " + key->second + "'";
    };
    if (their == theirs.end() && our == ours.end()) return "other points";
    return text(their, theirs) + ", expected " + text(our, ours);
}

}  // namespace rnicsim::runner
