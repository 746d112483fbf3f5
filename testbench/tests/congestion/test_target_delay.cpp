// SPDX-License-Identifier: Apache-2.0
// A congestion control of somebody else's: this program has it on its list, beside what the simulator has. A scenario
// names it, its round trips are the network's, and the queue of an incast is shorter for it.
#include "model/rnic/rc/congestion/listed.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/scenario/unread_keys.h"
#include "testbench/tests/congestion/listening.h"
#include "testbench/tests/congestion/target_delay.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"
#include "testbench/theory/host_parts.h"
#include "tlm/roce/packet.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {
namespace {

using rc::Heard;
using rc::ListeningAlgorithm;
using rc::TargetDelay;

void control_all_by(RunConfig& config, const rc::CongestionAlgorithm& algorithm) {
    for (VerbsEndConfig& end : verbs_ends(config)) end.card.transport.congestion = &algorithm;
}

/// Two clients WRITE into one port; a window of PSNs that bounds nothing.
std::string incast_text(const std::string& control) {
    return "system:\n  rnic: {profile: cx5_100g, rc: {window: 4096, timeout: 12, congestion: " + control +
           "}}\n  hosts: {server: {}, client: {count: 2}}\n  switches: {s0: {latency: 300 ns, mtu: 4200 B, buffer: 16 "
           "MiB}}\n  link: {rate: 100 Gbps, delay: 50 ns}\n  links: [{between: [server, s0]}, {between: [client, "
           "s0]}]\nrun:\n  traffic: [{from: client, to: server, size: 64 KiB, depth: 16, transfers: 200}]\n";
}
RunConfig incast(const std::string& control) { return run_config(ScenarioFile(incast_text(control)).load(), 0, 0, 0); }

bool all_arrived(const RunResult& result) {
    return !result.samples.empty() && std::ranges::none_of(result.samples, &Sample::failed);
}

TEST_CASE("a scenario names it, and any other name is refused with it in the list", "[congestion]") {
    const RunConfig config = incast("target_delay");
    for (const unsigned host : verbs_hosts(config))
        CHECK(verbs_of(config, host).card.transport.congestion->name() == TargetDelay::kName);
    const std::vector<std::string_view> names = rc::congestion_control_names();
    CHECK(names.front() == "none");
    CHECK(std::ranges::count(names, "dcqcn") == 1);
    CHECK(names.back() == "target_delay");
    const std::string refused = rejection(incast_text("targetdelay"));
    INFO(refused);
    CHECK(refused.find("found 'targetdelay', expected none, dcqcn") != std::string::npos);
    CHECK(refused.find(" or target_delay") != std::string::npos);
}

TEST_CASE("its round trip in a quiet network is the sum of the parts, to the picosecond", "[congestion]") {
    for (const char* const card : {"profile: cx5_100g", "personality: rc"}) {
        constexpr std::uint32_t kBytes = 8;  // in the WQE: nothing is read
        RunConfig config =
            pair_of("size: 8 B, transfers: 3, depth: 1, start: 10 us", card, "rate: 100 Gbps, delay: 390.4 ns");
        const auto took = in_child([&] {
            Heard heard;
            const ListeningAlgorithm listening(rc::congestion_control(TargetDelay::kName), heard);
            control_all_by(config, listening);
            simulate(config);
            if (heard.round_trips.size() != 3) throw RunError("not a round trip for each message");
            if (std::ranges::adjacent_find(heard.round_trips, std::not_equal_to{}) != heard.round_trips.end())
                throw RunError("round trips differ");
            return heard.round_trips.front();
        });
        const MacTiming& wire = config.links[0].timing;
        const Time delay = config.links[0].delay;
        const rc::CardConfig& b = verbs_of(config, 1).card;
        const HostParts here(verbs_of(config, 0)), there(verbs_of(config, 1));
        // Decided at an edge of the card's clock. There the ACK leaves when the DMA engine has taken the payload.
        const Time decided = verbs_of(config, 0).card.clock.time(Cycle{1'000'000});
        const Time came =
            there.received(here.sent(decided, {roce::frame_length(roce::Opcode::write_only, kBytes)}, wire) + delay);
        const Time posted = came + b.clock.time(b.pcie.request_overhead);
        const Time back = here.received(there.sent(posted, {roce::frame_length(roce::Opcode::ack, 0)}, wire) + delay);
        INFO(card << ": " << (back - decided).ps << " ps expected, " << took.value_or(Time{}).ps << " ps heard");
        CHECK(took == back - decided);
    }
}

/// Of two clients that begin at once. The judges of a run look at each byte of it.
struct Queue {
    std::uint64_t longest = 0, bytes = 0;
    std::int64_t took_ps = 0;
};
Queue queue_of(const RunConfig& config) {
    const auto said = in_child([&] {
        const RunResult result = simulate(config);
        if (!all_arrived(result)) throw RunError("not all messages have arrived");
        Queue queue{counter(result, "s0.server.queue_high_water"), 0, 0};
        for (const Sample& message : result.samples) {
            queue.bytes += message.bytes;
            queue.took_ps = std::max(queue.took_ps, message.end.ps);
        }
        return queue;
    });
    REQUIRE(said);
    return *said;
}

TEST_CASE("it keeps the queue of an incast short and the port busy", "[congestion]") {
    const Queue without = queue_of(incast("none"));
    const Queue with = queue_of(incast("target_delay"));
    const double gigabits = 8.0 * static_cast<double>(with.bytes) / (static_cast<double>(with.took_ps) / 1'000);
    INFO("longest queue " << without.longest << " B without, " << with.longest << " B with; " << gigabits << " Gb/s");
    CHECK(with.bytes == std::uint64_t{2} * 200 * 64 * 1024);
    CHECK(without.bytes == with.bytes);
    CHECK(without.longest > 500'000);
    CHECK(with.longest < without.longest / 4);
    CHECK(gigabits > 75);
}

/// Always as many bytes.
class FixedWindow final : public rc::CongestionControl {
  public:
    static constexpr std::string_view kName = "fixed_window";
    static constexpr rc::Traits kTraits{.hears_acks = true};
    static constexpr std::int64_t kPackets = 5;
    explicit FixedWindow(const rc::CardFacts& card) : bytes_(kPackets * card.port_mtu + card.port_mtu / 2) {}
    [[nodiscard]] std::unique_ptr<CongestionControl> copy() const override {
        return std::make_unique<FixedWindow>(*this);
    }
    [[nodiscard]] std::int64_t window() const override { return bytes_; }

  private:
    std::int64_t bytes_;
};

TEST_CASE("a window of five packets and a half lets five be under way, and no more", "[congestion]") {
    RunConfig config = pair_of("size: 64 KiB, transfers: 20, depth: 4", "profile: cx5_100g, rc: {window: 4096}",
                               "rate: 100 Gbps, delay: 2 us");
    Heard heard;
    const rc::Listed<FixedWindow> fixed;
    const ListeningAlgorithm listening(fixed, heard);
    control_all_by(config, listening);
    const RunResult result = simulate(config);
    CHECK(all_arrived(result));
    CHECK(heard.most_in_flight == FixedWindow::kPackets);
    CHECK(heard.in_flight == 0);
    CHECK(heard.round_trips.size() == std::size_t{20} * 64);
}

TEST_CASE("it gets every message through on a lossy link, by NAKs and by the timer", "[congestion]") {
    RunConfig config = pair_of("size: 16 KiB, transfers: 400, depth: 1",
                               "profile: cx5_100g, rc: {window: 4096, timeout: 6, congestion: target_delay}",
                               "rate: 100 Gbps, delay: 500 ns, loss: 1 %");
    const RunResult result = simulate(config);
    CHECK(all_arrived(result));
    CHECK(counter(result, "a.rc.retransmissions") > 0);
    CHECK(counter(result, "a.rc.timeouts") > 0);
    CHECK(counter(result, "a.rc.naks_received") > 0);
}

/// One of these traits that does nothing.
class Idle final : public rc::CongestionAlgorithm {
  public:
    explicit Idle(rc::Traits traits) : traits_(traits) {}
    [[nodiscard]] std::string_view name() const override { return "idle"; }
    [[nodiscard]] rc::Traits traits() const override { return traits_; }
    [[nodiscard]] std::unique_ptr<rc::CongestionControl> start(const rc::CongestionConfigs& /*configs*/,
                                                               const rc::CardFacts& /*card*/) const override {
        return nullptr;
    }
    [[nodiscard]] std::optional<std::int64_t> least_rate(const rc::CongestionConfigs& /*configs*/) const override {
        return {};
    }

  private:
    rc::Traits traits_;
};

TEST_CASE("where nobody marks packets, a control has no effect only if marks are all that it hears", "[congestion]") {
    RunConfig config = incast("none");
    for (const rc::Traits traits :
         {rc::Traits{.hears_marks = true}, rc::Traits{.hears_marks = true, .hears_losses = true},
          rc::Traits{.hears_marks = true, .hears_acks = true}, rc::Traits{.hears_losses = true}}) {
        const Idle control(traits);
        control_all_by(config, control);
        const InUse use(config, false);
        const bool only_marks = traits.hears_marks && !traits.hears_acks && !traits.hears_losses;
        for (const unsigned host : verbs_hosts(config)) {
            const UnreadRule* const rule =
                find_unread(Owner::host, {config, host, use}, "system.rnic.rc.congestion", {});
            CHECK((rule != nullptr) == only_marks);
        }
    }
}

}  // namespace
}  // namespace rnicsim
