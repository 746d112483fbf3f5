// SPDX-License-Identifier: Apache-2.0
// What Plasma's owner lends to a user that reads an object: until FIN, until the lease ends, until one of both has
// failed.
#include "testbench/events/event_log.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/applications/pair_of.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr Time kHostCycle{400};  // of cx5_100g

/// Of the last get; counts are of all.
struct Lent {
    Time info, fin, back;  ///< the owner posts INFO, is told of FIN, begins to give the memory up; 0: it does not
    std::array<unsigned, 2> registered{}, given_up{};  ///< by the user, by the owner
    unsigned user_calls = 0;
    bool failed = false;  ///< the last get
};

class Watch final : public EventSink {
  public:
    Lent seen;

  private:
    void event(const LoggedEvent& event, std::span<const std::uint8_t> /*frame*/) override {
        const auto* const step = std::get_if<EndStep>(&event.what);
        if (step == nullptr) return;
        using enum EndStep::What;
        seen.registered.at(event.end) += step->what == registers ? 1 : 0;
        seen.given_up.at(event.end) += step->what == deregisters ? 1 : 0;
        if (event.end == 0) {
            seen.user_calls += step->what == calls ? 1 : 0;
            return;
        }
        if (step->what == posts) seen.info = event.at;
        if (step->what == received) seen.fin = event.at;
        if (step->what == deregisters) seen.back = event.at;
    }
};

/// By READ; `lease` as a key has it.
Lent lent(const std::string& lease, const std::string& system = {}, const std::string& item = "transfers: 1",
          std::uint64_t seed = 1) {
    const std::optional<Lent> found = in_child([&] {
        Watch watch;
        RunConfig config = pair_config(
            "application: plasma, size: 50000 B, plasma: {protocol: read, lease: " + lease + "}, " + item, system);
        config.seed = seed;
        const RunResult result = simulate_recorded(config, watch);
        watch.seen.failed = result.samples.back().failed();
        return watch.seen;
    });
    REQUIRE(found);
    return *found;
}
std::string text(Time of) { return fmt::format("{} ps", of.ps); }

}  // namespace

TEST_CASE("a lease ends at its time, if FIN has not come before", "[applications]") {
    // The user is late with FIN: its processor takes 20 us for a completion, the READ's among them.
    const std::string slow = "  hosts.client.host.verbs.poll: 20 us\n";
    const Lent in_time = lent("1 s", slow);
    REQUIRE(in_time.fin != Time{});
    const Time again = in_time.back - in_time.fin;  // its WQE is posted first
    CHECK(again > Time{});
    const Time longest = in_time.fin - in_time.info;
    for (const Time more : {Time{}, kHostCycle}) {
        const Lent kept = lent(text(longest + more), slow);
        CHECK(kept.back == kept.fin + again);
        CHECK(kept.given_up[1] == 1);
        CHECK_FALSE(kept.failed);
    }
    // The owner's thread is at FIN's completion already: what the lease asks for comes behind that.
    const Lent late = lent(text(longest - kHostCycle), slow), early = lent(text(longest - kMicrosecond), slow);
    CHECK(late.back == late.fin);
    CHECK(early.back == early.info + longest - kMicrosecond);
    for (const Lent& of : {late, early}) {
        CHECK(of.given_up[1] == 1);  // FIN has nothing to end
        CHECK_FALSE(of.failed);
    }
}
TEST_CASE("a READ behind the end of its lease is refused, and the get fails", "[applications]") {
    const Lent seen =
        lent("1 us", "  host: {cpu: {profile: xeon_2018}}\n  hosts.client.host.cpu.registration.base: 1 ms\n");
    CHECK(seen.failed);
    CHECK(seen.given_up[1] == 1);
    CHECK(seen.given_up[0] == 1);
    CHECK(seen.user_calls == 2);  // create, and delete what is not sealed
}
TEST_CASE("behind a link that goes down neither end keeps memory registered", "[applications]") {
    // Within 0.5 ms, in the middle of the one or the other part of a get.
    const std::string down = "  link.down: {probability: 99.99 %, period: 100 s, duration: 99.9995 s}\n";
    unsigned by_lease = 0, by_card = 0;  // the owner's has given up, at 537 ms
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const bool soon = seed % 2 == 0;
        const Lent seen = lent(soon ? "100 ms" : "1 s", down, "transfers: 100", seed);
        CHECK(seen.failed);
        CHECK(seen.registered == seen.given_up);
        by_lease += seen.back == seen.info + kMillisecond * (soon ? 100 : 1000) ? 1 : 0;
        by_card += seen.back > seen.info + kMillisecond * 400 && seen.back < seen.info + kMillisecond * 600 ? 1 : 0;
    }
    CHECK(by_lease > 0);
    CHECK(by_card > 0);
}
TEST_CASE("a lease has no effect where no object is read", "[applications]") {
    for (const char* const keys : {"protocol: sendrecv", "protocol: socket", "threshold: 64 KiB"})
        CHECK_THAT(rejection(pair_text(std::string("application: plasma, size: 20000 B, plasma: {lease: 1 ms, ") +
                                       keys + "}")),
                   ContainsSubstring("no object is read"));
}
