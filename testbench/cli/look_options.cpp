// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/look_options.h"

#include "testbench/records/report_clock.h"
#include "testbench/scenario/decimal.h"
#include "testbench/scenario/scenario.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string_view>
#include <system_error>

namespace rnicsim::runner {
namespace {

constexpr std::string_view kSuffix = ".fst";
struct Window {
    Time from, to = kEndOfTime;
};

/// "FROM..TO", two times. Empty = all.
Window window_of(const std::string& option, const std::string& text) {
    if (text.empty()) return {};
    const auto refuse = [&](const char* expected) {
        throw ScenarioError(option + " " + text + ": expected " + expected);
    };
    const std::size_t dots = text.find("..");
    const auto time = [&](std::string_view part) {
        while (part.starts_with(' ')) part.remove_prefix(1);
        while (part.ends_with(' ')) part.remove_suffix(1);
        const std::optional<std::int64_t> ps = in_smallest(part, Kind::picoseconds);
        if (!ps) refuse("FROM..TO, two times with units such as \"1 ms..1.2 ms\"");
        return Time{ps.value_or(0)};
    };
    const std::string_view window = text;
    const Time from = time(window.substr(0, dots));
    const Time to = time(dots == std::string_view::npos ? "" : window.substr(dots + 2));
    if (from >= to) refuse("a time FROM that is before TO");
    return {from, to};
}

}  // namespace

std::filesystem::path check_file(const std::string& option, const std::string& name,
                                 std::initializer_list<std::string_view> suffixes) {
    if (name.empty()) return {};
    const auto ends = [&](std::string_view suffix) {
        return name.ends_with(suffix) && std::filesystem::path(name).filename() != suffix;
    };
    if (std::ranges::none_of(suffixes, ends)) {
        std::string expected;
        for (const std::string_view suffix : suffixes) expected.append(expected.empty() ? "" : " or ").append(suffix);
        throw ScenarioError(option + " " + name + ": expected the name of a file that ends with " + expected);
    }
    std::error_code unknown;  // the attempt to open it says what is wrong
    const bool was_there = std::filesystem::exists(name, unknown);
    if (!std::ofstream(name, std::ios::app)) {
        throw ScenarioError(option + " " + name + ": cannot be created: " + std::strerror(errno));
    }
    std::filesystem::path file = std::filesystem::canonical(name, unknown);
    if (file.empty()) file = name;  // a pipe has no path
    // The command may yet be refused. Not the name: that may be a link to a file that was not there.
    if (!was_there) std::filesystem::remove(file, unknown);
    return file;
}

WaveRequest wave_request(const WaveOptions& options) {
    WaveRequest request;
    if (options.file.empty()) {
        const char* const alone = !options.blocks.empty()   ? "--wave-blocks"
                                  : !options.window.empty() ? "--wave-window"
                                                            : "--wave-run";
        if (options.blocks.empty() && options.window.empty() && options.run.empty()) return request;
        throw ScenarioError(std::string(alone) + ": expected --wave FILE.fst with it");
    }
    if (!options.file.ends_with(kSuffix) || options.file.ends_with("/.fst") || options.file == kSuffix) {
        throw ScenarioError("--wave " + options.file + ": expected the name of a file that ends with .fst");
    }
    request.file = options.file;
    request.blocks = options.blocks;
    const Window window = window_of("--wave-window", options.window);
    request.from = window.from;
    request.to = window.to;
    if (request.to != kEndOfTime && kReportClock.edge(window.from) >= kReportClock.cycle(window.to))
        throw ScenarioError("--wave-window " + options.window +
                            ": expected at least a cycle of 8 ns between FROM and TO");
    return request;
}

namespace {

ObserveRequest::At capture_at(const ObserveRequest& request, const std::string& word) {
    if (request.capture.empty()) throw ScenarioError("--pcap-at: expected --pcap FILE with it");
    const auto found = std::ranges::find(kCaptureAtNames, word);
    if (found == kCaptureAtNames.end()) throw ScenarioError("--pcap-at " + word + ": expected sent, received or both");
    return static_cast<ObserveRequest::At>(found - kCaptureAtNames.begin());
}

}  // namespace

ObserveRequest observe_request(const ObserveOptions& options) {
    ObserveRequest request = options.request;
    if (!request.any()) {
        const char* const alone = !options.window.empty() ? "--observe-window" : "--observe-run";
        if (request.tlps) throw ScenarioError("--pcap-tlps: expected --pcap FILE with it");
        if (!options.capture_at.empty()) throw ScenarioError("--pcap-at: expected --pcap FILE with it");
        if (!options.interval.empty()) throw ScenarioError("--series-interval: expected --series FILE with it");
        if (options.window.empty() && options.run.empty()) return request;
        throw ScenarioError(std::string(alone) +
                            ": expected --pcap, --events, --trace, --series, --vcd or --record-tape with it");
    }
    if (!options.interval.empty()) {
        if (request.series.empty()) throw ScenarioError("--series-interval: expected --series FILE with it");
        const std::optional<std::int64_t> ps = in_smallest(options.interval, Kind::picoseconds);
        if (!ps || *ps < kNanosecond.ps)
            throw ScenarioError("--series-interval " + options.interval +
                                ": expected a time from 1 ns on, such as \"10 us\"");
        request.series_interval = Time{*ps};
    }
    if (request.tlps && request.capture.empty()) throw ScenarioError("--pcap-tlps: expected --pcap FILE with it");
    if (!options.capture_at.empty()) request.capture_at = capture_at(request, options.capture_at);
    const Window window = window_of("--observe-window", options.window);
    request.from = window.from;
    request.to = window.to;
    std::vector<std::filesystem::path> files;
    const auto check = [&](const char* option, const std::string& name,
                           std::initializer_list<std::string_view> suffixes) {
        const std::filesystem::path file = check_file(option, name, suffixes);
        if (file.empty()) return;
        if (std::ranges::find(files, file) != files.end()) {
            throw ScenarioError(name + ": is one file with another one that is asked for");
        }
        files.push_back(file);
    };
    check("--pcap", request.capture, {".pcapng"});
    check("--events", request.events, {".csv", ".jsonl"});
    check("--trace", request.trace, {".json"});
    check("--series", request.series, {".csv"});
    check("--vcd", request.signals, {".vcd"});
    check("--record", request.recording, {".run"});
    check("--record-tape", request.tape, {".tape"});
    return request;
}

}  // namespace rnicsim::runner
