// SPDX-License-Identifier: Apache-2.0
// What is durable when an initiator has crashed: by which of its frames have left, or which doorbells it has rung.
#include "model/rnic/rc/end/end_config.h"
#include "testbench/events/event_log.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

namespace rnicsim {
namespace {

struct HostCase {
    bool ddio = false, until_pushed = false;
};
constexpr HostCase kEager{}, kPushed{false, true}, kCached{true, false};

RunConfig three_items(const std::string& scheme, const HostCase& host, const std::string& size = "200 B",
                      const std::string& link = "") {
    RunConfig config = pair_of("transfers: 3, depth: 1, unsafe: true, size: " + size + ", scheme: " + scheme,
                               "personality: rc, rc: {inline: 0 B}", link);
    for (VerbsEndConfig& end : verbs_ends(config)) {
        end.host.posting = Posting::doorbell;
        end.host.persistence->ddio = host.ddio;
        end.host.persistence->iio.until_pushed = host.until_pushed;
    }
    return config;
}

/// When frames of a leave it.
struct Frames final : EventSink {
    std::array<Time, 16> left{};
    std::size_t n = 0;
    void event(const LoggedEvent& event, std::span<const std::uint8_t> /*frame*/) override {
        const auto* const wire = std::get_if<WireFrame>(&event.what);
        if (wire != nullptr && wire->step == WireFrame::Step::sent && event.end == 0) left.at(n++) = event.at;
    }
};

std::array<Time, 16> frames_of(const RunConfig& config) {
    const auto all = in_child([&] {
        Frames frames;
        simulate_recorded(config, frames);
        return frames.left;
    });
    REQUIRE(all);
    return *all;
}

CrashLeft left_by(const RunConfig& config, Time at, CrashOf of) {
    const auto left = in_child([&] {
        RunRequest request(config);
        request.crash = {.of = of, .at = {at}};
        CrashLeft found = simulate(request).cuts.crashed.at(0);
        found.at = {};
        return found;
    });
    REQUIRE(left);
    return *left;
}

/// Of three items, the second is under way.
constexpr CrashLeft kLost{{}, 2, 1, 1, 0, 0}, kDurable{{}, 2, 1, 2, 0, 0};

}  // namespace

TEST_CASE("P11: an item is durable from the instant at which its trigger has left its initiator") {
    struct Case {
        const char* scheme = nullptr;
        HostCase host;
        std::size_t frames = 0;  // of a, an item
        std::size_t data = 0, trigger = 0;
    };
    for (const Case& c :
         {Case{"fig2", kPushed, 2, 0, 1}, Case{"apm", kPushed, 2, 0, 1}, Case{"flush", kPushed, 2, 0, 1},
          Case{"fig3", kCached, 3, 0, 1}, Case{"gpspm", kCached, 3, 0, 1}, Case{"fig10", kPushed, 1, 0, 0}}) {
        INFO(c.scheme);
        const RunConfig config = three_items(c.scheme, c.host);
        const std::array<Time, 16> left = frames_of(config);
        const Time data = left.at(c.frames + c.data), trigger = left.at(c.frames + c.trigger);
        CHECK(left_by(config, data, CrashOf::system) == kLost);
        CHECK(left_by(config, trigger, CrashOf::system) == kLost);  // what is due at the instant has not happened
        CHECK(left_by(config, trigger + kPicosecond, CrashOf::system) == kDurable);
        if (c.data == c.trigger) continue;
        CHECK(left_by(config, data + kPicosecond, CrashOf::system) == kLost);
        CHECK(left_by(config, Time{(data.ps + trigger.ps) / 2}, CrashOf::system) == kLost);
    }
}

TEST_CASE("P11: where data pass on by themselves, an item is durable once they have left its initiator") {
    for (const char* const scheme : {"fig2", "apm", "flush", "fig10"}) {
        INFO(scheme);
        const RunConfig config = three_items(scheme, kEager);
        const std::size_t frames = std::string(scheme) == "fig10" ? 1 : 2;
        const Time data = frames_of(config).at(frames);
        CHECK(left_by(config, data, CrashOf::system) == kLost);
        CHECK(left_by(config, data + kPicosecond, CrashOf::system) == kDurable);
    }
}

TEST_CASE("P11: data in several packets of which some have left are torn, and stay so") {
    constexpr CrashLeft kTorn{{}, 2, 1, 1, 1, 0};
    const RunConfig config = three_items("fig10", kEager, "3000 B");
    const std::array<Time, 16> left = frames_of(config);  // three packets an item
    CHECK(left_by(config, left[3], CrashOf::system) == kLost);
    CHECK(left_by(config, left[3] + kPicosecond, CrashOf::system) == kTorn);
    CHECK(left_by(config, left[5], CrashOf::system) == kTorn);
    CHECK(left_by(config, left[5] + kPicosecond, CrashOf::system) == kDurable);
}

TEST_CASE("P11: a card goes on when its host's processor has crashed: both are posted, or one") {
    for (const char* const scheme : {"apm", "fig2"}) {
        INFO(scheme);
        const RunConfig config = three_items(scheme, kPushed);
        const Time data = frames_of(config).at(2);
        CHECK(left_by(config, data, CrashOf::host) == (std::string(scheme) == "apm" ? kDurable : kLost));
        CHECK(left_by(config, data, CrashOf::system) == kLost);
    }
}

TEST_CASE("A card whose host has crashed sends again what is lost") {
    const Time data = frames_of(three_items("apm", kPushed)).at(2);
    RunConfig lossy = three_items("apm", kPushed, "200 B", "loss: 30 %");
    std::uint64_t again = 0;
    for (lossy.seed = 1; lossy.seed <= 8; ++lossy.seed) {
        const CrashLeft host = left_by(lossy, data, CrashOf::host);
        CHECK(host.durable == host.posted);
        again += left_by(lossy, data, CrashOf::system).durable < host.durable ? 1 : 0;
    }
    CHECK(again > 0);
}

namespace {

constexpr std::size_t kInstants = 20;  // of a run
using Instants = std::array<Time, kInstants>;

RunConfig ten_items(const std::string& scheme, const HostCase& host) {
    const std::string timer =
        scheme.starts_with("fig1") ? ", pm: {timer: 50 us}" : "";  // of those that wait for a PACK
    RunConfig config = pair_of("transfers: 10, depth: 3, unsafe: true, size: 2500 B, scheme: " + scheme,
                               "personality: rc, rc: {inline: 0 B, timeout: 4" + timer + "}", "loss: 3 %");
    verbs_of(config, 1).host.persistence->ddio = host.ddio;
    verbs_of(config, 1).host.persistence->iio.until_pushed = host.until_pushed;
    return config;
}

struct Pieces {
    Instants at{}, ends{};  // of random instants the pieces' ends
    Time lead;
};

Pieces pieces_of(const RunConfig& config, CrashOf of) {
    const auto all = in_child([&] {
        RunRequest request(config);
        request.crash = {.of = of, .lists = true};
        const CrashActs acts = simulate(request).cuts.acts;
        std::mt19937_64 draw(config.seed);
        Pieces pieces;
        pieces.lead = acts.lead;
        for (Time& at : pieces.at) at = Time{1 + static_cast<std::int64_t>(draw() % acts.at.back().ps)};
        std::ranges::sort(pieces.at);
        for (std::size_t i = 0; i < kInstants; ++i) pieces.ends[i] = *std::ranges::lower_bound(acts.at, pieces.at[i]);
        return pieces;
    });
    REQUIRE(all);
    return *all;
}

/// One run, whose copies crash at all of them.
std::array<CrashLeft, kInstants> left_by_all(const RunConfig& config, CrashOf of, const Pieces& pieces) {
    const auto all = in_child([&] {
        RunRequest request(config);
        request.crash = {.of = of, .at = {pieces.ends.begin(), pieces.ends.end()}, .lead = pieces.lead, .jobs = 2};
        std::array<CrashLeft, kInstants> found{};
        std::ranges::copy(simulate(request).cuts.crashed, found.begin());
        for (CrashLeft& left : found) left.at = {};
        return found;
    });
    REQUIRE(all);
    return *all;
}

}  // namespace

TEST_CASE("oracle: crashes at all instants, from one run, beside runs that crash at random ones") {
    const char* const asked = std::getenv("RNICSIM_ALL");
    const bool all_seeds = asked != nullptr && *asked != '\0' && std::string_view(asked) != "0";
    for (const char* const scheme : {"fig2", "fig3", "fig10", "fig10, acks: 2", "fig11", "apm", "flush", "gpspm"}) {
        for (const HostCase& host : {kEager, kPushed, kCached}) {
            RunConfig config = ten_items(scheme, host);
            for (config.seed = 1; config.seed <= (all_seeds ? 5 : 1); ++config.seed) {
                for (const CrashOf of : {CrashOf::host, CrashOf::system}) {
                    INFO(scheme << ", " << kCrashNames.at(static_cast<std::size_t>(of)) << ", seed " << config.seed);
                    const Pieces pieces = pieces_of(config, of);
                    const std::array<CrashLeft, kInstants> all = left_by_all(config, of, pieces);
                    for (std::size_t i = 0; i < kInstants; ++i) {
                        INFO("at " << pieces.at[i].ps << " ps, piece until " << pieces.ends[i].ps << " ps");
                        CHECK(all[i] == left_by(config, pieces.at[i], of));
                    }
                }
            }
        }
    }
}

}  // namespace rnicsim
