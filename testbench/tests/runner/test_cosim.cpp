// SPDX-License-Identifier: Apache-2.0
// The report of `rnicsim cosim` on a side that crashes, and on events that differ.
#include "model/rnic/drp/end/end_config.h"
#include "testbench/cli/cosim.h"
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

/// The output of the process while this exists, both streams in one file.
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

bool in_verilog(const RunConfig& config) { return drp_of(config, 0).rnic.blocks != BlockNames(); }

Scenario in_verilog_at_a() {
    Scenario scenario = test::small_scenario();
    for (SweepPoint& point : scenario.points) drp_of(point.configs.front(), 0).rnic.blocks = BlockNames("rtl");
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

TEST_CASE("a side that was killed is reported as killed", "[runner]") {
    const test::TemporaryFolder folder;
    Captured said(folder.path() / "said");
    CHECK(cosimulate(in_verilog_at_a(), ends_by([] { std::raise(SIGKILL); })) == kIncomplete);
    CHECK_THAT(said.text(), ContainsSubstring("with Verilog crashed: killed by signal 9 (Killed)"));
    CHECK_THAT(said.text(), ContainsSubstring("memory ran out"));
}

/// Interrupts that take effect in these cycles, decided on in this order.
std::vector<LoggedEvent> in_cycles(const std::vector<std::int64_t>& cycles) {
    std::vector<LoggedEvent> events;
    for (const std::int64_t cycle : cycles) {
        LoggedEvent& event = events.emplace_back();
        event.at = kGmiiClock.time(Cycle{cycle});
        event.what = DmaRequest{.kind = TlpKind::message_signalled_interrupt};
    }
    return events;
}

/// The report for these events of the models and of the Verilog.
std::string said_of(const std::vector<std::int64_t>& models, const std::vector<std::int64_t>& verilog) {
    const test::TemporaryFolder folder;
    Captured said(folder.path() / "said");
    const Record record = [&](const RunConfig& config, EventSink& sink) -> RunResult {
        for (const LoggedEvent& event : in_cycles(in_verilog(config) ? verilog : models)) sink.event(event, {});
        return {};
    };
    CHECK(cosimulate(in_verilog_at_a(), record) == kSimulationFailed);
    return said.text();
}

/// Lines for the events of one side only.
std::string lines(const std::string& who, const std::vector<std::int64_t>& cycles) {
    std::string text;
    for (const LoggedEvent& event : in_cycles(cycles)) text += "  " + who + "  " + describe(event, {}) + "\n";
    return text;
}

TEST_CASE("events that differ are shown in order of time, and the first of them is named", "[runner]") {
    const std::string text = said_of({5, 7, 300, 100, 200}, {5, 7, 310, 200, 110});  // 200 on both sides
    CHECK_THAT(text, ContainsSubstring("divergence after 2 equal events\n" + lines("both   ", {5, 7}) +
                                       lines("model  ", {100}) + lines("Verilog", {110}) + lines("model  ", {300}) +
                                       lines("Verilog", {310})));
    CHECK_THAT(text, ContainsSubstring("the first that differs takes effect at 0.800 us, 800000 ps in a waveform"));
}

TEST_CASE("of many events that differ the first by time are printed", "[runner]") {
    const std::string text = said_of({}, {99, 98, 97, 96, 95, 94, 93, 92, 91});
    CHECK_THAT(text, ContainsSubstring("divergence after 0 equal events\n" +
                                       lines("Verilog", {91, 92, 93, 94, 95, 96}) + "  model    end of the run\n"));
    CHECK_THAT(text, ContainsSubstring("takes effect at 0.728 us, "));
}

TEST_CASE("the same events in another order differ, and all are shown", "[runner]") {
    CHECK_THAT(said_of({20, 10}, {10, 20}),
               ContainsSubstring("divergence after 0 equal events\n" + lines("model  ", {10}) + lines("Verilog", {10}) +
                                 lines("model  ", {20}) + lines("Verilog", {20})));
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
