#include "testbench/runner/wave_options.h"

#include "testbench/scenario/decimal.h"
#include "testbench/scenario/scenario.h"

namespace rnicsim::runner {
namespace {

constexpr std::string_view kSuffix = ".fst";
constexpr std::int64_t kNsPerCycle = kPsPerCycle / 1000;

[[noreturn]] void refuse_window(const std::string& window, const std::string& expected) {
    throw ScenarioError("--wave-window " + window + ": expected " + expected);
}

}  // namespace

WaveRequest wave_request(const WaveOptions& options) {
    WaveRequest request;
    if (options.file.empty()) {
        if (options.blocks.empty() && options.window.empty()) return request;
        throw ScenarioError(std::string(options.blocks.empty() ? "--wave-window" : "--wave-blocks") +
                            ": expected --wave FILE.fst with it");
    }
    if (!options.file.ends_with(kSuffix) || options.file.ends_with("/.fst") || options.file == kSuffix) {
        throw ScenarioError("--wave " + options.file + ": expected the name of a file that ends with .fst");
    }
    request.file = options.file;
    request.blocks = options.blocks;
    if (options.window.empty()) return request;

    const std::size_t dots = options.window.find("..");
    const auto time = [&](std::string_view text) {
        while (text.starts_with(' ')) text.remove_prefix(1);
        while (text.ends_with(' ')) text.remove_suffix(1);
        const std::optional<std::int64_t> ns = in_smallest(text, Kind::time);
        if (!ns) refuse_window(options.window, "FROM..TO, two times with units such as \"1 ms..1.2 ms\"");
        return *ns;
    };
    const std::string_view window = options.window;
    const std::int64_t from = time(window.substr(0, dots));
    const std::int64_t to = time(dots == std::string_view::npos ? "" : window.substr(dots + 2));
    // Cycles that lie inside from their first picosecond to their last.
    request.from = {(from + kNsPerCycle - 1) / kNsPerCycle};
    request.to = {to / kNsPerCycle};
    if (request.from >= request.to) refuse_window(options.window, "at least a cycle of 8 ns between FROM and TO");
    return request;
}

}  // namespace rnicsim::runner
