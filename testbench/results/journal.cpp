// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/journal.h"

#include "testbench/records/record_files.h"
#include "testbench/results/build_info.h"
#include "testbench/results/output_folder.h"
#include "testbench/results/result_codec.h"
#include "testbench/results/text.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace rnicsim::runner {
namespace {

constexpr std::string_view kEndMarker = "end ";
constexpr std::array<std::string_view, 2> kEndings{".json", ".samples"};

/// Splits "<body>\nend <hash>\n" and checks it; throws CodecError.
std::string_view checked_body(const std::string_view content) {
    const std::size_t line_end = content.find('\n');
    if (line_end == std::string_view::npos) throw CodecError("it ends early");
    const std::string_view body = content.substr(0, line_end);
    const std::string expected = std::string(kEndMarker) + text_hash(body) + "\n";
    if (content.substr(line_end + 1) != expected) throw CodecError("its end marker is missing or does not fit");
    return body;
}

/// Of the names of all files of a run.
std::filesystem::path base(std::filesystem::path file) { return file.replace_extension(); }

/// The same of a run that has not finished, in this process.
std::filesystem::path under_way(std::filesystem::path file) { return base(std::move(file)) += unique_suffix(); }

/// Throws OutputError.
std::string encoded(const RunResult& result, const std::filesystem::path& records) {
    try {
        return encode_result(result, records);
    } catch (const std::system_error& failure) {
        throw output_error(records.parent_path(), "records cannot be written", failure.code().value());
    }
}

std::optional<std::string> content(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return std::nullopt;
    std::ostringstream text;
    text << stream.rdbuf();
    return std::move(text).str();
}

}  // namespace

std::vector<RunKey> all_runs(const Scenario& scenario) {
    std::vector<RunKey> keys;
    for (std::size_t point = 0; point < scenario.points.size(); ++point) {
        for (std::size_t variant = 0; variant < scenario.variants.names.size(); ++variant) {
            for (std::uint32_t r = 0; r < scenario.repetitions; ++r) keys.push_back({point, variant, r});
        }
    }
    return keys;
}

std::string run_label(const Scenario& scenario, const RunKey& key) {
    return fmt::format("p{:03}_{}_r{}", key.point, scenario.variants.names.at(key.variant), key.repetition);
}

const RunKey& run_to_look_at(const Scenario& scenario, const std::vector<RunKey>& keys) {
    const std::size_t variant = scenario.variants.compare ? scenario.variants.compare->against : 0;
    const auto found = std::ranges::find(keys, variant, &RunKey::variant);
    return found == keys.end() ? keys.front() : *found;
}

std::optional<RunKey> find_run(const Scenario& scenario, const std::vector<RunKey>& keys, const std::string& label) {
    const auto found = std::ranges::find_if(keys, [&](const RunKey& key) { return run_label(scenario, key) == label; });
    return found == keys.end() ? std::nullopt : std::optional(*found);
}

RunKey chosen_run(const Scenario& scenario, const std::string& label, const std::string& option) {
    const std::vector<RunKey> keys = all_runs(scenario);
    if (label.empty()) return run_to_look_at(scenario, keys);
    if (const std::optional<RunKey> found = find_run(scenario, keys, label)) return *found;
    throw ScenarioError(option + ' ' + label + ": there is no such run; expected one of " +
                        run_label(scenario, keys.front()) + " .. " + run_label(scenario, keys.back()));
}

std::string run_identity(const Scenario& scenario, const RunKey& key) {
    const SweepPoint& point = scenario.points.at(key.point);
    std::string text = "journal 1\n";
    text += std::string(build_info().version) + '\n' + std::string(build_info().source_hash) + '\n';
    text += scenario.resolved + '\n';
    for (const auto& [axis, value] : point.values) text += fmt::format("{}={}\n", axis, value);
    text += std::to_string(point.configs.front().seed) + '\n' + run_label(scenario, key) + '\n' + scenario.tape;
    text += profiles_listing(scenario);
    return text_hash(text);
}

void Journal::create_folder() const {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) throw output_error(folder_, "cannot be created", error.value());
}

std::filesystem::path Journal::file(const RunKey& key) const {
    return folder_ / (run_label(scenario_, key) + "_" + run_identity(scenario_, key) + ".json");
}

std::filesystem::path Journal::records(const RunKey& key) const {
    create_folder();
    return under_way(file(key));
}

void Journal::clear_unfinished() const {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
        if (base(entry.path()).extension() == ".tmp") std::filesystem::remove(entry.path(), ignored);
    }
}

void Journal::forget_records(const RunKey& key) const {
    std::error_code ignored;
    std::filesystem::remove(samples_file(under_way(file(key))), ignored);
}

std::optional<RunResult> Journal::read(const RunKey& key, const std::string_view consequence) const {
    const std::filesystem::path path = file(key);
    const std::optional<std::string> text = content(path);
    if (!text) return std::nullopt;
    try {
        return decode_result(checked_body(*text), base(path));
    } catch (const CodecError& e) {
        spdlog::warn("{}: damaged ({}); {}", path.string(), e.what(), consequence);
        return std::nullopt;
    }
}

void Journal::write(const RunKey& key, const RunResult& result) const {
    create_folder();
    const std::string body = encoded(result, base(file(key)));
    write_atomically(file(key), body + '\n' + std::string(kEndMarker) + text_hash(body) + '\n');
}

void Journal::copy(const RunKey& key, const Journal& other) const {
    const std::optional<std::string> text = content(other.file(key));
    if (!text) throw OutputError(other.file(key).string() + ": vanished while it was copied");
    create_folder();
    std::error_code error;
    const std::filesystem::path from = samples_file(base(other.file(key))), to = samples_file(base(file(key)));
    if (std::filesystem::exists(from, error)) {
        std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing, error);
        if (error) throw output_error(to, "cannot be written", error.value());
    }
    write_atomically(file(key), *text);
}

void Journal::clear() const {
    std::error_code error;
    if (!std::filesystem::exists(folder_, error)) return;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
        const std::string ending = entry.path().extension().string();
        if (!entry.path().filename().string().starts_with('p') || std::ranges::find(kEndings, ending) == kEndings.end())
            continue;
        std::filesystem::remove(entry.path(), error);
        if (error) throw OutputError(entry.path().string() + ": cannot be removed: " + error.message());
    }
    if (error) throw OutputError(folder_.string() + ": cannot be read: " + error.message());
}

void Journal::remove(const RunKey& key) const {
    std::error_code error;
    for (const std::filesystem::path& path : {file(key), samples_file(base(file(key)))}) {
        std::filesystem::remove(path, error);
        if (error) throw OutputError(path.string() + ": cannot be removed: " + error.message());
    }
}

}  // namespace rnicsim::runner
