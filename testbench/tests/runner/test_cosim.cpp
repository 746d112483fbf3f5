// What `rnicsim cosim` says of a side that does not come to an end by itself.
#include "testbench/runner/cosim.h"
#include "testbench/tests/runner/fixture.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>

namespace rnicsim::runner {
namespace {

using Catch::Matchers::ContainsSubstring;

/// What the process writes while this lives, both streams in one file.
class Captured {
  public:
    explicit Captured(std::filesystem::path file) : file_(std::move(file)) {
        std::fflush(nullptr);
        const int fd = open(file_.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
        if (fd < 0) throw std::runtime_error("open");
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
        close(fd);
    }
    ~Captured() {
        std::fflush(nullptr);
        dup2(out_, STDOUT_FILENO);
        dup2(error_, STDERR_FILENO);
    }
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;
    std::string text() {
        std::fflush(nullptr);
        return test::content(file_);
    }

  private:
    std::filesystem::path file_;
    int out_ = dup(STDOUT_FILENO), error_ = dup(STDERR_FILENO);
};

bool in_verilog(const RunConfig& config) { return config.ends[0].rnic.blocks != BlockNames(); }

Scenario in_verilog_at_a() {
    Scenario scenario = test::small_scenario();
    for (SweepPoint& point : scenario.points) point.config.ends[0].rnic.blocks = BlockNames("rtl");
    return scenario;
}

/// Ten events, and then `end` of the side in Verilog.
Record ends_by(void (*end)()) {
    return [end](const RunConfig& config, EventSink& sink) -> RunResult {
        for (int i = 0; i < 10; ++i) sink.event({}, {});
        if (in_verilog(config)) end();
        for (int i = 0; i < 10; ++i) sink.event({}, {});
        return {};
    };
}

TEST_CASE("a crash is called a crash and no divergence", "[runner]") {
    const test::TemporaryFolder folder;
    Captured said(folder.path() / "said");
    CHECK(cosimulate(in_verilog_at_a(), ends_by([] {
                         std::signal(SIGSEGV, SIG_DFL);  // past the handler of a sanitizer or of the test
                         std::raise(SIGSEGV);
                     })) == kIncomplete);
    CHECK_THAT(said.text(), ContainsSubstring("with Verilog crashed: killed by signal 11 (Segmentation fault)"));
    CHECK_THAT(said.text(), ContainsSubstring("preset asan"));
    CHECK_THAT(said.text(), !ContainsSubstring("divergence"));
}

TEST_CASE("a side that was killed is said to have been killed", "[runner]") {
    const test::TemporaryFolder folder;
    Captured said(folder.path() / "said");
    CHECK(cosimulate(in_verilog_at_a(), ends_by([] { std::raise(SIGKILL); })) == kIncomplete);
    CHECK_THAT(said.text(), ContainsSubstring("with Verilog crashed: killed by signal 9 (Killed)"));
    CHECK_THAT(said.text(), ContainsSubstring("memory ran out"));
}

TEST_CASE("a side that fails with a message differs", "[runner]") {
    const test::TemporaryFolder folder;
    Captured said(folder.path() / "said");
    CHECK(cosimulate(in_verilog_at_a(), ends_by([] { throw RunError("gmac_tx (Verilog): a hole in a frame"); })) ==
          kSimulationFailed);
    CHECK_THAT(said.text(), ContainsSubstring("divergence after 10 equal events"));
    CHECK_THAT(said.text(), ContainsSubstring("gmac_tx (Verilog): a hole in a frame"));
}

}  // namespace
}  // namespace rnicsim::runner
