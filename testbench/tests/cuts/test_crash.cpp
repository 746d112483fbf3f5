// What is durable when an initiator has crashed: by which of its frames have left, or which doorbells it has rung.
#include "testbench/event_log.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

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
    for (VerbsEndConfig& end : config.verbs) {
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
        if (wire != nullptr && wire->step == WireFrame::Step::sent && event.end == 0) left.at(n++) = event.time;
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

struct Left {
    std::uint64_t posted = 0, told = 0, durable = 0, torn = 0, wrong = 0;
    friend bool operator==(const Left&, const Left&) = default;
};

Left left_by(const RunConfig& config, Time at, CrashOf of) {
    const auto left = in_child([&] {
        RunRequest request(config);
        request.crash = {at, 0, of};
        const RunResult r = simulate(request);
        return Left{counter(r, "b.crash.posted"), counter(r, "b.crash.told"), counter(r, "b.crash.durable"),
                    counter(r, "b.crash.torn"), counter(r, "b.crash.false")};
    });
    REQUIRE(left);
    return *left;
}

/// Of three items, the second is under way.
constexpr Left kLost{2, 1, 1, 0, 0}, kDurable{2, 1, 2, 0, 0};

}  // namespace

TEST_CASE("P11: an item is durable from the instant at which its trigger has left its initiator") {
    struct Case {
        const char* scheme;
        HostCase host;
        std::size_t frames;  // of a, an item
        std::size_t data, trigger;
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
    const RunConfig config = three_items("fig10", kEager, "3000 B");
    const std::array<Time, 16> left = frames_of(config);  // three packets an item
    CHECK(left_by(config, left[3], CrashOf::system) == kLost);
    CHECK(left_by(config, left[3] + kPicosecond, CrashOf::system) == Left{2, 1, 1, 1, 0});
    CHECK(left_by(config, left[5], CrashOf::system) == Left{2, 1, 1, 1, 0});
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
        const Left host = left_by(lossy, data, CrashOf::host);
        CHECK(host.durable == host.posted);
        again += left_by(lossy, data, CrashOf::system).durable < host.durable ? 1 : 0;
    }
    CHECK(again > 0);
}

}  // namespace rnicsim
