// SPDX-License-Identifier: Apache-2.0
// V-Q7: what a card sends to its own host.
#include "model/faults/random_faults.h"
#include "model/host/verbs/host_software.h"
#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "model/system.h"
#include "testbench/kits/kits.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "tlm/roce/packet.h"
#include "tlm/taps.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::uint64_t kBytes = 64 * 1024;
constexpr std::uint64_t kFrom = 1 << 20, kTo = kFrom + kBytes, kMemoryBytes = 1 << 22;
constexpr std::uint64_t kCq = 0x1000, kRings = 0x10000, kRing = 0x10000, kReceives = 0x8000, kRecord = 0xC000;
constexpr std::uint8_t kFirstByte = 1;  // of what is sent; the next ones count up
constexpr Time kDelay{390'400};
const std::string kCard = "profile: cx5_100g", kUneven = "another time on the way inside";

/// Two hosts with this card. No scenario has a time for the way inside: only programs send to their own host.
RunConfig config_of(const std::string& rnic) {
    RunConfig config = pair_of("operation: write, size: 8 B, transfers: 1", rnic == kUneven ? kCard : rnic,
                               "rate: 100 Gbps, delay: 390.4 ns");
    if (rnic != kUneven) return config;
    for (VerbsEndConfig& end : verbs_ends(config)) end.card.loopback = end.card.clock.edge(Time{208'000});
    return config;
}

/// A program that lets its card work.
class Idle final : public HostSoftware {
  public:
    void run(Cycle /*now*/) override {}
    [[nodiscard]] Cycle next_due() const override { return kNever; }
    void interrupt(Cycle /*at*/, std::uint32_t /*vector*/) override {}
    [[nodiscard]] bool idle() const override { return true; }
    void written(std::uint64_t /*address*/, std::uint64_t /*bytes*/, Time /*visible*/) override {}
};

/// When frames left, and when the last payload was written.
class Moments final : public Observer {
  public:
    struct Left {
        Time at;
        std::size_t bytes = 0;
    };
    std::vector<Left> sent, looped;  // of host 0
    std::vector<Time> placed_at;     // pieces of payload
    Time placed;

    void memory_access(unsigned /*end*/, const tlm::tlm_generic_payload& access) override {
        if (!access.is_write() || access.get_address() < kTo) return;
        placed = current_time();
        placed_at.push_back(placed);
    }
    void upstream_tlp(unsigned /*end*/, tlm::tlm_generic_payload& /*transaction*/, Time /*due*/) override {}
    void frame_sent(unsigned end, const Frame& frame, Time left) override {
        if (end == 0) sent.push_back({left, frame.length()});
    }
    void frame_looped(unsigned end, const Frame& frame, Time left) override {
        REQUIRE(end == 0);
        looped.push_back({left, frame.length()});
    }
};

struct To {
    unsigned host = 0;
    unsigned qp = 0;  ///< of those of that host, from 0
};

class Hosts {
  public:
    /// `to`: where each QP of host 0 is connected to, and the QPs of host 1 to the first ones of these.
    explicit Hosts(const std::vector<std::vector<To>>& to, const std::string& rnic) : config(config_of(rnic)) {
        for (unsigned host = 0; host < 2; ++host) {
            VerbsEnd& end = verbs_end(system, host);
            end.host.run_software(idle_);
            end.rnic.give_memory({kMemoryBytes / 2, kMemoryBytes / 2});
            end.host.queues.create_cq({kCq, 64});
            const rc::Access all = rc::kLocalWrite | rc::kRemoteWrite | rc::kRemoteRead | rc::kRemoteAtomic;
            key = end.rnic.add_region({}, {kFrom, 2 * kBytes}, all, verbs_of(config, host).host.page);
            for (unsigned i = 0; i < to[host].size(); ++i) {
                const std::uint64_t ring = kRings + i * kRing;
                rc::QpInit init;
                init.receive_queue =
                    end.host.queues.create_receive_queue({ring + kReceives, 64, ring + kRecord}, false);
                receives.push_back(init.receive_queue);
                qps.push_back(end.host.queues.create_qp(init, {ring, 16, 256}));
            }
            std::iota(memory(host, kFrom).begin(), memory(host, kFrom).end(), kFirstByte);
        }
        const auto number = [&](const To& of) { return qps[of.host == 0 ? of.qp : to[0].size() + of.qp]; };
        for (unsigned host = 0; host < 2; ++host) {
            for (unsigned i = 0; i < to[host].size(); ++i) {
                rc::QpAttributes attributes = verbs_of(config, host).attributes;
                attributes.access = rc::kRemoteWrite | rc::kRemoteRead | rc::kRemoteAtomic;
                attributes.peer = Peer{static_cast<std::uint16_t>(to[host][i].host)};
                attributes.dest_qpn = number(to[host][i]);
                attributes.path_mtu = verbs_of(config, host).card.transport.port_mtu;
                card(host).connect(number({host, i}), attributes);
            }
        }
        system.run(kNanosecond, Ahead::never);
    }

    [[nodiscard]] rc::RcRnic& card(unsigned host = 0) { return verbs_end(system, host).rnic; }
    [[nodiscard]] std::span<std::uint8_t> memory(unsigned host, std::uint64_t at) {
        return verbs_end(system, host).host.memory.at(at, kBytes);
    }
    /// QP number `qp` of host 0 asks; its peer's keys are those of host 0.
    void post(unsigned qp, rc::Verb verb, std::uint32_t bytes) {
        rc::SendWqe wqe;
        wqe.verb = verb;
        wqe.signaled = true;
        const bool reads = verb == rc::Verb::read || rc::is_atomic(verb);
        wqe.sges.push({reads ? kTo : kFrom, bytes, key});
        wqe.remote_address = reads ? kFrom : kTo;
        wqe.remote_key = key;
        wqe.swap_or_add = 1;
        posted = current_time();
        verbs_end(system, 0).host.queues.send(verbs_of(config, 0).host.clock.edge(current_time()), qps[qp], wqe, {},
                                              Posting::doorbell);
    }
    /// An inline WRITE.
    void push(unsigned qp, std::uint32_t bytes) {
        rc::SendWqe wqe;
        wqe.verb = rc::Verb::write;
        wqe.inline_data = true;
        wqe.inline_length = bytes;
        wqe.remote_address = kTo;
        wqe.remote_key = key;
        verbs_end(system, 0).host.queues.send(verbs_of(config, 0).host.clock.edge(current_time()), qps[qp], wqe,
                                              memory(0, kFrom).first(bytes), Posting::push);
    }
    void post_receive(unsigned qp) {
        rc::ReceiveSges sges;
        sges.push({kTo, static_cast<std::uint32_t>(kBytes), key});
        verbs_end(system, 0).host.queues.receive(receives[qp], sges);
    }
    [[nodiscard]] bool arrived(std::uint64_t bytes, unsigned host = 0) {
        const auto from = memory(0, kFrom).first(bytes);
        return std::ranges::equal(from, memory(host, kTo).first(bytes));
    }

    const RunConfig config;
    RandomFaults faults{fault_config(config)};
    Moments moments;
    System system{"system", config, KitEnds({kMemoryBytes, kMemoryBytes}), faults, &moments};
    std::vector<rc::Qpn> qps;                      // of host 0, then of host 1
    std::vector<rc::ReceiveQueueNumber> receives;  // as qps
    std::uint32_t key = 0;                         // of both hosts

    Time posted;  // the last one

  private:
    Idle idle_;
};

const std::vector<std::vector<To>> kOwn{{{0, 1}, {0, 0}}, {}};

/// What a test looks at, from the process that has simulated.
struct Facts {
    bool arrived = false, arrived_there = false, idle = false;
    std::uint64_t on_wire = 0, looped = 0, sent = 0, received = 0, again = 0, overruns = 0, failed = 0;
    std::uint8_t changed = 0, old = 0;  ///< by an atomic: what it has left, what it has brought
    Time posted, placed;
    std::array<Moments::Left, 100> looped_at{}, sent_at{};
    std::array<Time, 100> placed_at{};
};

/// `posts`: does so. `bytes` are expected.
template <typename Posts>
Facts facts_of(const std::vector<std::vector<To>>& to, const std::string& rnic, std::uint64_t bytes, Posts posts) {
    const auto facts = in_child([&] {
        Hosts hosts(to, rnic);
        posts(hosts);
        hosts.system.run(kMicrosecond * 200, Ahead::never);
        Facts f;
        f.arrived = hosts.arrived(bytes);
        f.arrived_there = hosts.arrived(bytes, 1);
        f.idle = hosts.system.idle();
        for (unsigned host = 0; host < 2; ++host) {
            const Gmac::Counters& mac = hosts.card(host).gmac.counters();
            f.on_wire += mac.tx_frames + mac.rx_frames;
        }
        f.looped = hosts.card().loopback().frames();
        f.sent = hosts.card().sender().counters().packets;
        f.received = hosts.card().receiver().counters().packets;
        f.overruns = hosts.card().receiver().counters().overruns;
        f.again = hosts.card().transport().count(rc::RcCount::retransmissions);
        f.failed = hosts.card().completion_queues().counters().errors;
        f.changed = hosts.memory(0, kFrom).front();
        f.old = hosts.memory(0, kTo).front();
        f.posted = hosts.posted;
        f.placed = hosts.moments.placed;
        const auto keep = [](const auto& from, auto& in) {
            std::copy_n(from.begin(), std::min(from.size(), in.size()), in.begin());
        };
        keep(hosts.moments.looped, f.looped_at);
        keep(hosts.moments.sent, f.sent_at);
        keep(hosts.moments.placed_at, f.placed_at);
        return f;
    });
    REQUIRE(facts);
    CHECK((facts->idle && facts->again + facts->overruns + facts->failed == 0));
    return *facts;
}

/// The frames of the packets of host 0 that have left, and as many answers of its own.
void check_all_inside(const Facts& facts, std::uint64_t frames) {
    CHECK(facts.on_wire == 0);
    CHECK((facts.looped == frames && facts.sent == frames && facts.received == frames));
}

rc::CardConfig card_of(const std::string& rnic) { return verbs_of(config_of(rnic), 0).card; }

TEST_CASE("V-Q7: each verb of a QP to another one of its own card, and nothing is on the wire", "[verbs]") {
    using enum rc::Verb;
    for (const rc::Verb verb : {write, send, read, fetch_add}) {
        INFO("verb " << static_cast<int>(verb));
        const bool atomic = rc::is_atomic(verb);
        const Facts facts = facts_of(kOwn, kCard, atomic ? 0 : 3000, [&](Hosts& hosts) {
            hosts.post_receive(1);
            hosts.post(0, verb, atomic ? 8 : 3000);
        });
        CHECK(facts.arrived);
        if (atomic) CHECK((facts.old == kFirstByte && facts.changed == kFirstByte + 1));
        check_all_inside(facts, atomic ? 2 : 4);
    }
}

TEST_CASE("V-Q7: a QP that is connected to itself", "[verbs]") {
    const Facts facts = facts_of({{{0, 0}}, {}}, kCard, 3000, [](Hosts& hosts) {
        hosts.post_receive(0);
        hosts.post(0, rc::Verb::send, 3000);
    });
    CHECK(facts.arrived);
    check_all_inside(facts, 4);
}

TEST_CASE("V-Q7: loopback stands where the MAC and the link would, to the picosecond", "[verbs]") {
    const auto write = [](Hosts& hosts) { hosts.post(0, rc::Verb::write, 1000); };
    const Facts inside = facts_of(kOwn, kUneven, 1000, write);
    const Facts outside = facts_of({{{1, 0}}, {{0, 0}}}, kUneven, 1000, write);
    CHECK((inside.arrived && outside.arrived_there && outside.looped == 0));
    const rc::CardConfig card = card_of(kUneven);
    REQUIRE((card.loopback != card.gmac.rx_latency && card.loopback != card.gmac.tx_latency));
    const Time in = inside.looped_at[0].at, out = outside.sent_at[0].at;
    CHECK(in - inside.posted + card.clock.time(card.gmac.tx_latency) == out - outside.posted);
    const Time came_in = card.clock.time(card.clock.edge(in) + card.loopback);
    const Time came_out = card.clock.time(card.clock.edge(out + kDelay) + card.gmac.rx_latency);
    CHECK(inside.placed - came_in == outside.placed - came_out);
}

TEST_CASE("V-Q7: frames to the card itself and for the port share the rate of the port", "[verbs]") {
    constexpr std::uint32_t kSent = 32 * 1024;
    const Facts facts = facts_of({{{0, 1}, {0, 0}, {1, 0}}, {{0, 2}}}, kCard, kSent, [](Hosts& hosts) {
        hosts.post(0, rc::Verb::write, kSent);
        hosts.post(2, rc::Verb::write, kSent);
    });
    CHECK((facts.arrived && facts.arrived_there));
    const rc::CardConfig card = card_of(kCard);
    const std::uint64_t packets = kSent / card.transport.port_mtu;
    const std::uint64_t to_wire = facts.sent - facts.looped;
    REQUIRE((facts.looped > packets && to_wire >= packets && facts.sent <= facts.looped_at.size()));
    std::vector<Moments::Left> left(facts.sent_at.begin(),
                                    facts.sent_at.begin() + static_cast<std::ptrdiff_t>(to_wire));
    const auto between = std::count_if(
        facts.looped_at.begin(), facts.looped_at.begin() + static_cast<std::ptrdiff_t>(facts.looped),
        [&](const Moments::Left& frame) { return left.front().at < frame.at && frame.at < left.back().at; });
    CHECK(between > static_cast<std::ptrdiff_t>(packets / 2));
    for (Moments::Left& frame : left) frame.at = frame.at - card.clock.time(card.gmac.tx_latency);
    left.insert(left.end(), facts.looped_at.begin(),
                facts.looped_at.begin() + static_cast<std::ptrdiff_t>(facts.looped));
    std::ranges::sort(left, {}, &Moments::Left::at);
    // Which way a frame takes is decided at edges of the card's clock.
    for (std::size_t i = 1; i < left.size(); ++i) {
        const Time needs = card.wire.gap() + card.wire.serialisation(left[i].bytes);
        CHECK(left[i].at - left[i - 1].at + card.clock.period() > needs);
    }
}

TEST_CASE("V-Q7: nothing is lost inside: a frame waits until the receive side has room", "[verbs]") {
    constexpr std::uint32_t kSends = 14, kSent = 220, kBuffer = 2048;
    const Facts facts = facts_of(
        kOwn, "profile: cx5_100g, rc: {rx_buffer: 2 KiB}, gmac: {mtu: 1500 B}, pcie: {request_overhead: 1001.6 ns}",
        kSent, [](Hosts& hosts) {
            for (std::uint32_t i = 0; i < kSends; ++i) hosts.push(0, kSent);
        });
    CHECK(facts.arrived);
    CHECK(facts.on_wire == 0);
    std::vector<Moments::Left> left;
    std::ranges::copy_if(facts.looped_at, std::back_inserter(left),
                         [](const Moments::Left& frame) { return frame.bytes > kSent; });
    REQUIRE(left.size() == kSends);
    const auto fit = kBuffer / static_cast<std::uint32_t>(left.front().bytes);
    // Each payload takes the DMA engine 1 us. Its room is free when it is on its way to memory, where it comes within
    // half a microsecond.
    for (std::uint32_t i = fit; i < kSends; ++i) CHECK(left[i].at + kNanosecond * 500 > facts.placed_at.at(i - fit));
}

}  // namespace
}  // namespace rnicsim
