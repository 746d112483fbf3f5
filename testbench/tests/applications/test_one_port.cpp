// SPDX-License-Identifier: Apache-2.0
// RoCE packets and TCP frames by the same ports: each has draws and pauses of its own.
#include "model/rnic/rc/end/end_config.h"
#include "testbench/events/event_log.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace rnicsim;

namespace {

constexpr unsigned kOwner = 1;

/// A store whose objects go by SENDs, beside messages of two other hosts by the same switch; `streams`: and, between
/// the same two, one whose objects go by TCP.
RunConfig one_port(bool streams, const std::string& of_user, const std::string& of_owner,
                   const std::string& of_switch = {}) {
    const std::string store = ", from: user, to: owner, application: plasma, ";
    std::string text = R"(
system:
  rnic: {profile: cx5_100g}
  host: {cpu: {profile: xeon_2018}}
  link: {rate: 100 Gbps, delay: 390.4 ns}
  hosts: {user: {}, owner: {}, sink: {}, source: {}}
  switches: {s0: {mtu: 4200 B, buffer: 512 KiB, priorities: 8)" +
                       of_switch + R"(}}
  links: [{between: [user, s0], )" +
                       of_user + "}, {between: [owner, s0], " + of_owner +
                       R"(}, {between: [sink, s0]}, {between: [source, s0]}]
run:
  repetitions: 1
  traffic:
    - {name: chunks)" + store +
                       R"(size: 256 KiB, transfers: 20, plasma: {protocol: sendrecv, window: 32}}
    - {name: plain, from: source, to: sink, operation: write, size: 64 KiB, transfers: 100}
)";
    if (streams)
        text +=
            "    - {name: streams" + store + "size: 2 MiB, transfers: 2, plasma: {protocol: socket, write: 1 MiB}}\n";
    return run_config(ScenarioFile(text).load(), 0, 0, 0);
}

/// What is wrong with a switch's two queues, if the item is of this application.
std::string wrong_with_queues(const std::string& application) {
    const std::string text = R"(
system:
  rnic: {profile: cx5_100g}
  hosts: {a: {}, b: {}}
  switches: {s0: {mtu: 4200 B, priorities: 8}}
  link: {rate: 100 Gbps}
  links: [{between: [a, s0]}, {between: [b, s0]}]
run:
  traffic: [{from: a, to: b, application: )" +
                             application + "}]\n";
    try {
        static_cast<void>(ScenarioFile(text).load());
    } catch (const ScenarioError& error) { return error.what(); }
    return {};
}

class Told final : public EventSink {
  public:
    explicit Told(std::function<void(const LoggedEvent&, const WireFrame&)> frame) : frame_(std::move(frame)) {}

  private:
    void event(const LoggedEvent& event, std::span<const std::uint8_t> /*frame*/) override {
        if (const auto* const wire = std::get_if<WireFrame>(&event.what)) frame_(event, *wire);
    }
    std::function<void(const LoggedEvent&, const WireFrame&)> frame_;
};

/// What becomes of each packet's first transmission on each link.
struct Drawn {
    std::uint64_t fingerprint = 1469598103934665603U, packets = 0, lost = 0, streams = 0, streams_lost = 0;
};
Drawn drawn(bool streams) {
    const std::optional<Drawn> found = in_child([&] {
        Drawn all;
        // By way, QP, opcode and PSN; of ACKs, which may repeat or be left out as timing has it, none.
        std::map<std::tuple<unsigned, unsigned, std::uint32_t, std::uint32_t>, bool> first;
        Told sink([&](const LoggedEvent& event, const WireFrame& wire) {
            const bool lost = wire.step == WireFrame::Step::lost;
            if (!lost && wire.step != WireFrame::Step::arrives) return;
            if (wire.tcp) {
                ++all.streams;
                all.streams_lost += lost ? 1 : 0;
            }
            // Behind a link that loses some a packet's first transmission may be its sender's second.
            if (!wire.bth || event.end >= 4 || wire.bth->opcode == roce::Opcode::ack) return;
            first.emplace(std::tuple(unsigned{event.end}, unsigned{wire.next}, wire.bth->to.n, wire.bth->psn.n), lost);
        });
        static_cast<void>(simulate_recorded(one_port(streams, "loss: 1 %", "loss: 1 %"), sink));
        for (const auto& [name, lost] : first) {
            const auto& [from, to, qp, psn] = name;
            for (const std::uint64_t word : {std::uint64_t{from}, std::uint64_t{to}, std::uint64_t{qp},
                                             std::uint64_t{psn}, std::uint64_t{lost ? 1U : 0U}})
                all.fingerprint = (all.fingerprint ^ word) * 1099511628211U;
            ++all.packets;
            all.lost += lost ? 1 : 0;
        }
        return all;
    });
    REQUIRE(found);
    return *found;
}

}  // namespace

TEST_CASE("a switch has frames of two classes from an application with streams", "[applications]") {
    CHECK(wrong_with_queues("plasma") == "");
    CHECK(wrong_with_queues("plasma, plasma: {protocol: socket}").find("of one queue") != std::string::npos);
    CHECK(wrong_with_queues("echo").find("of one queue") != std::string::npos);
}

TEST_CASE("losses of RoCE packets stay where they are when TCP frames join them", "[applications]") {
    const Drawn alone = drawn(false), together = drawn(true);
    INFO(alone.lost << " of " << alone.packets << " packets; frames of streams " << alone.streams << ", "
                    << together.streams);
    CHECK(alone.packets > 10'000);
    CHECK(alone.lost > 20);
    CHECK(together.streams > alone.streams + 2000);
    CHECK(together.streams_lost > 10);
    CHECK(together.packets == alone.packets);
    CHECK(together.lost == alone.lost);
    CHECK(together.fingerprint == alone.fingerprint);
}

namespace {

struct Paused {
    std::uint64_t pauses = 0, streams_begun = 0, messages_begun = 0;  ///< by the owner, while class 0 is paused
    std::uint64_t dropped = 0, resent = 0, repeated = 0;
};
/// The user's link is the narrow one.
Paused paused(const std::string& classes) {
    const std::optional<Paused> found = in_child([&] {
        Paused all;
        const RunConfig config =
            one_port(true, "rate: 10 Gbps", "rate: 100 Gbps", ", pfc: {classes: [" + classes + "]}");
        const MacTiming wire = config.links.at(1).timing;
        const Time reaction = verbs_of(config, kOwner).card.pause_reaction;
        Time from = kEndOfTime, to;
        Told sink([&](const LoggedEvent& event, const WireFrame& of) {
            if (of.step == WireFrame::Step::arrives && of.next == kOwner && of.head[12] == 0x88 &&
                of.head[13] == 0x08) {
                constexpr std::uint8_t kClass0 = 1;
                if ((of.head[17] & kClass0) == 0) return;
                const int quanta = of.head[18] << 8 | of.head[19];  // of 512 bits
                ++all.pauses;
                if (event.at > to || quanta == 0) from = event.at + reaction;
                to = event.at + wire.per_byte * std::int64_t{64} * std::int64_t{quanta};
            }
            if (of.step != WireFrame::Step::sent || event.end != kOwner) return;
            const Time begins = event.at - wire.serialisation(of.bytes);
            if (begins < from || begins >= to) return;
            all.streams_begun += of.tcp ? 1 : 0;
            all.messages_begun += of.bth ? 1 : 0;
        });
        const RunResult result = simulate_recorded(config, sink);
        all.dropped = counter(result, "s0.owner.dropped_threshold") + counter(result, "s0.owner.dropped_headroom");
        all.resent = counter(result, "owner.tcp.resent");
        all.repeated = counter(result, "owner.rc.retransmissions");
        return all;
    });
    REQUIRE(found);
    return *found;
}

}  // namespace

TEST_CASE("pauses of class 0 hold streams back, and no messages of class 3", "[applications]") {
    const Paused of = paused("0");
    CHECK(of.pauses > 100);
    CHECK(of.streams_begun == 0);
    CHECK(of.messages_begun > 100);
    CHECK(of.dropped == 0);
    CHECK(of.resent == 0);
}

TEST_CASE("pauses of class 3 keep messages, while streams are dropped", "[applications]") {
    const Paused of = paused("3");
    CHECK(of.pauses == 0);
    CHECK(of.repeated == 0);
    CHECK(of.dropped > 100);
    CHECK(of.resent > 10);
}
