#include "testbench/runner/journal.h"

#include "testbench/runner/build_info.h"
#include "testbench/runner/output_folder.h"
#include "testbench/runner/result_codec.h"
#include "testbench/runner/text.h"

#include <spdlog/spdlog.h>

#include <fstream>
#include <sstream>
#include <system_error>

namespace rnicsim::runner {
namespace {

constexpr std::string_view kEndMarker = "end ";

/// Splits "<body>\nend <hash>\n" and checks it; throws CodecError.
std::string_view checked_body(const std::string_view content) {
    const std::size_t line_end = content.find('\n');
    if (line_end == std::string_view::npos) throw CodecError("it ends early");
    const std::string_view body = content.substr(0, line_end);
    const std::string expected = std::string(kEndMarker) + text_hash(body) + "\n";
    if (content.substr(line_end + 1) != expected) throw CodecError("its end marker is missing or does not fit");
    return body;
}

}  // namespace

std::vector<RunKey> all_runs(const Scenario& scenario) {
    std::vector<RunKey> keys;
    for (std::size_t point = 0; point < scenario.points.size(); ++point) {
        for (const Method method : scenario.methods) {
            for (std::uint32_t r = 0; r < scenario.repetitions; ++r) keys.push_back({point, method, r});
        }
    }
    return keys;
}

std::string run_label(const RunKey& key) {
    return fmt::format("p{:03}_{}_r{}", key.point, method_name(key.method), key.repetition);
}

std::string run_identity(const Scenario& scenario, const RunKey& key) {
    const SweepPoint& point = scenario.points.at(key.point);
    std::string text = "journal 1\n";
    text += std::string(build_info().version) + '\n' + std::string(build_info().source_hash) + '\n';
    text += scenario.resolved + '\n';
    for (const auto& [axis, value] : point.values) text += fmt::format("{}={}\n", axis, value);
    text += std::to_string(point.config.seed) + '\n' + run_label(key) + '\n';
    return text_hash(text);
}

Journal::Journal(const Scenario& scenario, const std::filesystem::path& out)
    : scenario_(scenario), folder_(out / "runs") {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) throw OutputError(folder_.string() + ": cannot be created: " + error.message());
}

std::filesystem::path Journal::file(const RunKey& key) const {
    return folder_ / (run_label(key) + "_" + run_identity(scenario_, key) + ".json");
}

std::optional<RunResult> Journal::read(const RunKey& key) const {
    const std::filesystem::path path = file(key);
    std::ifstream stream(path, std::ios::binary);
    if (!stream) return std::nullopt;
    std::ostringstream content;
    content << stream.rdbuf();
    try {
        return decode_result(checked_body(content.view()));
    } catch (const CodecError& e) {
        spdlog::warn("{}: damaged ({}); this run is simulated again", path.string(), e.what());
        return std::nullopt;
    }
}

void Journal::write(const RunKey& key, const RunResult& result) const {
    const std::string body = encode_result(result);
    write_atomically(file(key), body + '\n' + std::string(kEndMarker) + text_hash(body) + '\n');
}

void Journal::clear() const {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
        std::filesystem::remove(entry.path(), error);
        if (error) throw OutputError(entry.path().string() + ": cannot be removed: " + error.message());
    }
    if (error) throw OutputError(folder_.string() + ": cannot be read: " + error.message());
}

}  // namespace rnicsim::runner
