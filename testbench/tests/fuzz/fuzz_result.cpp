// SPDX-License-Identifier: Apache-2.0
// Any text in place of a file of the program itself: a result from a worker, a finished run in the journal, the record
// of a shard. Each reader accepts the whole text or nothing; what is accepted is written as it was read. There are no
// files of records beside it.
#include "testbench/results/journal.h"
#include "testbench/results/output_folder.h"
#include "testbench/results/result_codec.h"
#include "testbench/results/shard_record.h"
#include "testbench/results/text.h"
#include "testbench/tests/fuzz/fuzz.h"
#include "testbench/tests/runner/fixture.h"

#include <spdlog/spdlog.h>
#include <nlohmann/json.hpp>

#include <optional>

namespace rnicsim::fuzz {
namespace {

using namespace runner;

constexpr RunKey kKey{0, 0, 1};
const std::filesystem::path kNowhere = "/nowhere/run";

std::optional<RunResult> decoded(std::string_view text) {
    try {
        return decode_result(text, kNowhere);
    } catch (const CodecError&) { return std::nullopt; }
}

/// The same result, except for blanks, the order of keys and the notation of numbers and characters.
void require_same(std::string_view written, std::string_view read) {
    require(nlohmann::json::parse(written) == nlohmann::json::parse(read), "a result is written as it was read");
}

class Files {
  public:
    /// A file of the journal: whole, or none. `text` has or has not an end marker.
    void check_journal(std::string_view text) {
        write(journal_.file(kKey), text);
        const std::optional<RunResult> found = journal_.read(kKey);
        if (!found) return;
        require(text.find("\nend ") != std::string_view::npos && text.ends_with('\n'), "a run has its end marker");
        require_same(encode_result(*found, kNowhere), text.substr(0, text.find('\n')));
    }
    void check_journal_with_marker(std::string_view text) {
        const bool good = text.find('\n') == std::string_view::npos && decoded(text).has_value();
        write(journal_.file(kKey), std::string(text) + "\nend " + text_hash(text) + '\n');
        require(journal_.read(kKey).has_value() == good, "the journal takes what the codec takes");
    }
    void check_record(std::string_view text) {
        const std::filesystem::path file = folder_.path() / "shards" / "any.json";
        write(file, text);
        const std::vector<ShardRecord> found = read_records(folder_.path());
        std::filesystem::remove(file);
        if (found.empty()) return;
        const ShardRecord& record = found.front();
        require(found.size() == 1 && 1 <= record.shard.index && record.shard.index <= record.shard.count, "one shard");
        require(!difference(record, scenario_).empty(), "another sweep's record differs");
        // As it would be written, but under a name that a file system accepts.
        ShardRecord renamed = record;
        renamed.identity = "any";
        write_record(folder_.path(), renamed);
        const std::vector<ShardRecord> again = read_records(folder_.path());
        std::filesystem::remove(record_file(folder_.path(), renamed));
        require(again.size() == 1 && again.front().shard == record.shard, "the same shard");
        require(again.front().source_hash == record.source_hash && again.front().resolved == record.resolved &&
                    again.front().profiles == record.profiles && again.front().machine.cpu == record.machine.cpu,
                "the same texts");
        require(again.front().machine.cores == record.machine.cores && again.front().jobs == record.jobs &&
                    again.front().wall_seconds == record.wall_seconds,
                "the same numbers");
    }

  private:
    static void write(const std::filesystem::path& file, std::string_view text) {
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
    }

    const test::TemporaryFolder folder_;
    const Scenario scenario_ = test::small_scenario();
    const Journal journal_{scenario_, folder_.path()};
};

void check(std::string_view text) {
    spdlog::set_level(spdlog::level::off);  // else one warning per input
    if (const std::optional<RunResult> result = decoded(text)) { require_same(encode_result(*result, kNowhere), text); }
    static Files files;  // one folder per process, removed at its end
    files.check_journal(text);
    files.check_journal_with_marker(text);
    files.check_record(text);
}

}  // namespace
}  // namespace rnicsim::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rnicsim::fuzz::check(rnicsim::fuzz::as_text({data, size}));
    return 0;
}
