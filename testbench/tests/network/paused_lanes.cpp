// SPDX-License-Identifier: Apache-2.0
// A pause stops one class of a RoCEv2 RNIC, and with it the lane whose frames have that class, no other.
#include "model/rnic/rc/end/end_config.h"
#include "testbench/events/event_log.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "tlm/ethernet/pause_frame.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

constexpr unsigned kPaused = 3, kOtherClass = 6;  // classes of DSCP 26, of requests and ACKs, and 48, of CNPs
constexpr std::uint16_t kA = 0;
/// As below, and at most a cycle of the card until it hears of what has come.
constexpr Time kReaction = kPicosecond * (156'800 + 3'200);

/// From a marked packet to the CNP that it brings, at most: the card's receive and send paths.
constexpr Time kToCnp = kMicrosecond;

/// What host a sends while kPaused is paused, by class.
class PausedSends : public EventSink {
  public:
    void event(const LoggedEvent& event, std::span<const std::uint8_t> bytes) override {
        const auto* const frame = std::get_if<WireFrame>(&event.what);
        if (frame == nullptr) return;
        if (frame->step == WireFrame::Step::arrives && frame->next == kA) hear(event.at, bytes);
        if (frame->step != WireFrame::Step::sent || event.end != kA || bytes.size() < 34 || bytes[12] != 0x08) return;
        const MacTiming timing = MacTiming::of_rate(100'000'000'000);
        sent_.push_back({event.at - timing.serialisation(frame->bytes), unsigned{bytes[15]} >> 5U});
    }
    /// Frames by class that begin while it is paused.
    [[nodiscard]] std::array<unsigned, kTrafficClasses> sent() const { return sent_behind(&Pause::from, kReaction); }
    /// Those of them that begin when a CNP waits, too.
    [[nodiscard]] std::array<unsigned, kTrafficClasses> sent_beside_cnp() const {
        return sent_behind(&Pause::marked, kToCnp);
    }

  private:
    struct Pause {
        Time from, to;
        Time marked = kEndOfTime;  // the first packet since then that is to bring a CNP
    };
    struct Sent {
        Time begins;
        unsigned of_class;
    };
    [[nodiscard]] std::array<unsigned, kTrafficClasses> sent_behind(Time Pause::*begin, Time delay) const {
        std::array<unsigned, kTrafficClasses> by_class{};
        for (const Sent& one : sent_) {
            for (const Pause& pause : pauses_)
                by_class.at(one.of_class) += one.begins - delay > pause.*begin && one.begins < pause.to ? 1 : 0;
        }
        return by_class;
    }
    void hear(Time at, std::span<const std::uint8_t> bytes) {
        const bool marked = bytes.size() >= 34 && bytes[12] == 0x08 && (bytes[15] & 3U) == 3;
        if (marked && !pauses_.empty()) pauses_.back().marked = std::min(pauses_.back().marked, at);
        if (bytes.size() < 34 || bytes[12] != 0x88 || bytes[13] != 0x08 || (bytes[17] >> kPaused & 1U) == 0) return;
        const std::int64_t n = bytes[18 + 2 * kPaused] << 8 | bytes[19 + 2 * kPaused];
        if (!pauses_.empty()) pauses_.back().to = std::min(pauses_.back().to, at);
        if (n != 0) pauses_.push_back({at, at + quanta(MacTiming::of_rate(100'000'000'000), n)});
    }

    std::vector<Pause> pauses_;
    std::vector<Sent> sent_;
};

/// c asks a, all its packets come marked and bring CNPs. b and those of d fill the port of c, which is slow, with
/// packets of class 3, and the switch pauses who sends more of them.
RunConfig network(const std::string& of_a) {
    return run_config(
        ScenarioFile(
            "system:\n  rnic: {profile: cx5_100g, gmac: {pause_reaction: 156.8 ns}, rc: {congestion: dcqcn, "
            "cnp_interval: 0 "
            "ns, window: 1024, dcqcn: {least_rate: 10 Gbps}}}\n  link: {rate: 100 Gbps}\n  hosts: {a: {}, b: {}, c: "
            "{}, "
            "d: {count: 8}}\n  switches: {s0: {latency: 300 ns, mtu: 4200 B, buffer: 8 MiB, priorities: 8, pfc: "
            "{classes: [3], "
            "xoff: 600 B, xon_below: 200 B}}}\n  links: [{between: [a, s0]}, {between: [b, s0]}, {between: [c, s0], "
            "rate: 10 Gbps, "
            "ecn_marking: 100 %}, {between: [d, s0]}]\nrun:\n  size: 64 KiB\n  transfers: 20\n  traffic: [{from: c, "
            "to: a}, "
            "{from: b, to: c}, {from: d, to: c}, {from: a, to: " +
            of_a + "}]\n")
            .load(),
        0, 0, 0);
}

TEST_CASE("CNPs leave while the class of requests and ACKs is paused", "[network]") {
    PausedSends sends;
    static_cast<void>(simulate_recorded(network("c"), sends));
    CHECK(sends.sent()[kPaused] == 0);
    CHECK(sends.sent()[kOtherClass] > 10);
}

TEST_CASE("requests and ACKs leave while the class of CNPs is paused", "[network]") {
    RunConfig config = network("b");
    std::swap(verbs_of(config, kA).card.dscp, verbs_of(config, kA).card.cnp_dscp);
    PausedSends sends;
    static_cast<void>(simulate_recorded(config, sends));
    CHECK(sends.sent()[kPaused] == 0);
    CHECK(sends.sent_beside_cnp()[kOtherClass] > 10);
}

TEST_CASE("a pause that ends between two cycles of the card ends", "[network]") {
    // A card's cycle is 3.2 ns, a pause ends where its frame has come: of hundreds some end between two cycles of which
    // the card has looked at the first one for another reason.
    const RunConfig config = run_config(
        ScenarioFile(
            "system:\n  rnic: {profile: cx5_100g, rc: {pmtu: 4 KiB}}\n  link: {rate: 100 Gbps, delay: 500 ns}\n"
            "  hosts: {sink: {}, source: {count: 2}}\n  switches: {s0: {latency: 300 ns, mtu: 4200 B, buffer: "
            "16 MiB, priorities: 8, pfc: {classes: [3], xoff: 256 KiB, xon_below: 8228 B}}}\n  links: "
            "[{between: [sink, s0]}, {between: [source, s0]}]\nrun:\n  size: 4 KiB\n  depth: 128\n  "
            "transfers: 1000\n  traffic: [{from: source, to: sink}]\n")
            .load(),
        0, 0, 0);
    const RunResult result = simulate(config);
    CHECK(result.samples.size() == 2000);
    CHECK(std::ranges::none_of(result.samples, &Sample::failed));
}

}  // namespace
}  // namespace rnicsim
