// SPDX-License-Identifier: Apache-2.0
// A simulation whose events are no longer read, and one that refuses a request.
#include "testbench/sweep/event_pipe.h"

#include "model/request_error.h"
#include "testbench/tests/runner/fixture.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <filesystem>
#include <fstream>

namespace rnicsim::runner {
namespace {

/// Something that is complete only when its destructor has run, such as a file of waveforms.
struct Product {
    std::filesystem::path file;
    ~Product() { std::ofstream(file) << "complete"; }
};

TEST_CASE("a simulation whose reader leaves ends properly", "[runner]") {
    const test::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "product";
    const Record record = [&file](const RunConfig&, EventSink& sink) -> RunResult {
        const Product product{file};
        while (true) sink.event({}, {});  // without an end
    };
    {
        EventPipe pipe({}, record);
        REQUIRE(pipe.next());
        pipe.leave();
        CHECK(!pipe.next());
        CHECK(std::filesystem::exists(file));
        std::filesystem::remove(file);
    }
    {
        EventPipe pipe({}, record);  // killed at once
        REQUIRE(pipe.next());
    }
    CHECK(!std::filesystem::exists(file));
}

TEST_CASE("a refused waveform is bad input, not a difference", "[runner]") {
    EventPipe pipe({}, [](const RunConfig&, EventSink&) -> RunResult { throw RequestError("--wave: no"); });
    CHECK_THROWS_MATCHES(pipe.next(), ScenarioError, Catch::Matchers::Message("--wave: no"));
}

}  // namespace
}  // namespace rnicsim::runner
