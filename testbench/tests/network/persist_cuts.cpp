// SPDX-License-Identifier: Apache-2.0
// What power cuts at all instants of a run find: where a scheme's telling holds, and where it does not.
#include "model/faults/tape.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace rnicsim {
namespace {

struct Found {
    std::uint64_t false_items = 0, false_ps = 0, vulnerable_ps = 0, inverted_ps = 0, ps = 0;
    bool told = false;
};

struct HostCase {
    const char* name;
    Domain domain;
    bool ddio, no_snoop_write, data_no_snoop;
    bool reads_hold;  ///< what a read proves lasts
};
constexpr HostCase kHosts[]{
    {"DDIO off", Domain::adr, false, false, false, true},
    {"DDIO, class 1", Domain::adr, true, false, false, false},
    {"DDIO, class 2, without NS", Domain::adr, true, true, false, false},
    {"DDIO, class 2, NS on the data", Domain::adr, true, true, true, true},
    {"DDIO, eADR", Domain::eadr, true, false, false, true},
    {"DDIO, all domains", Domain::wsp, true, false, false, true},
};

std::optional<Found> found_on(const HostCase& host, const std::string& scheme, Time hold = {}) {
    return in_child([&] {
        RunConfig config = pair_of("depth: 4, size: 200 B, transfers: 40, unsafe: true, " + scheme,
                                   "personality: rc, rc: {inline: 0 B}");
        for (VerbsEndConfig& end : verbs_ends(config)) {
            end.host.persistence->domain = host.domain;
            end.host.persistence->ddio = host.ddio;
            end.host.persistence->no_snoop_write = host.no_snoop_write;
            end.host.persistence->iio.hold = hold;
            end.card.transport.persist.data_no_snoop = host.data_no_snoop;
        }
        const RunResult r = simulate(config);
        return Found{
            counter(r, "b.cuts.false_items"), counter(r, "b.cuts.false_ps"), counter(r, "b.cuts.vulnerable_ps"),
            counter(r, "b.cuts.inverted_ps"), counter(r, "b.cuts.ps"),       !r.false_persistence.empty()};
    });
}

}  // namespace

TEST_CASE("V-P: no cut finds a telling false where it holds, and all items' are where it does not", "[network]") {
    for (const HostCase& host : kHosts) {
        for (const char* const scheme : {"fig2", "fig10", "apm", "flush", "fig3", "fig11", "gpspm"}) {
            INFO(scheme << " on " << host.name);
            const std::string_view name = scheme;
            const bool by_processor = name == "fig3" || name == "fig11" || name == "gpspm";
            for (const Time hold : {Time{}, kMicrosecond}) {
                const auto found = found_on(host, std::string("scheme: ") + scheme, hold);
                REQUIRE(found);
                const bool holds = host.reads_hold || by_processor;
                CHECK((found->false_items == 0) == holds);
                CHECK(found->false_items == (holds ? 0 : 40));
                CHECK((found->false_ps == 0) == holds);
                CHECK(found->told == !holds);
                CHECK(found->ps > 0);
            }
        }
    }
}

TEST_CASE("V-P: a WRITE_PERSIST is never written and not durable; a WRITE before its READ may be", "[network]") {
    const HostCase& off = kHosts[0];
    const auto marked = found_on(off, "scheme: fig10", kMicrosecond),
               posted = found_on(off, "scheme: fig2", kMicrosecond);
    REQUIRE((marked && posted));
    CHECK(marked->vulnerable_ps == 0);
    CHECK(posted->vulnerable_ps > 0);
}

TEST_CASE("V-P: a run whose connections fail is gone through to its end", "[network]") {
    for (const char* const link : {"loss: 60 %", "loss: 20 %"}) {  // no item ends; some do
        const auto found = in_child([&] {
            const RunResult r = simulate(pair_of("scheme: fig10, depth: 1, size: 64 B, transfers: 40, unsafe: true",
                                                 "personality: rc, rc: {retry_cnt: 0, timeout: 10}", link));
            return counter(r, "b.cuts.ps");
        });
        CHECK(found);
    }
}

TEST_CASE("V-P: with frames lost, copied and late fig11 tells of all items, and nothing that is not so", "[network]") {
    const HostCase& ddio = kHosts[1];
    for (const char* const more : {"mark: opcode", "mark: range", "receives_ahead: responder"}) {
        INFO(more);
        const auto found = in_child([&] {
            RunConfig config =
                pair_of(std::string("scheme: fig11, depth: 4, size: 3000 B, transfers: 300, unsafe: true, ") + more,
                        "personality: rc, rc: {inline: 0 B, timeout: 6}",
                        "loss: 1 %, duplication: 1 %, reordering: 1 %, lateness: 2 us");
            for (VerbsEndConfig& end : verbs_ends(config)) {
                end.host.persistence->domain = ddio.domain;
                end.host.persistence->ddio = ddio.ddio;
            }
            const RunResult r = simulate(config);
            const auto lost = std::ranges::count_if(r.samples, &Sample::failed);
            return std::array<std::uint64_t, 3>{static_cast<std::uint64_t>(lost), counter(r, "b.cuts.false_items"),
                                                counter(r, "a.rc.persist_repeats")};
        });
        REQUIRE(found);
        CHECK((*found)[0] == 0);
        CHECK((*found)[1] == 0);
        CHECK((*found)[2] > 0);
    }
}

TEST_CASE("V-P: what a message that begins anew writes again is counted once, and told of when it is durable",
          "[network]") {
    for (const char* const scheme : {"fig2", "fig10", "flush"}) {
        for (const HostCase& host : kHosts) {
            INFO(scheme << " on " << host.name);
            const auto found = in_child([&] {
                RunConfig config =
                    pair_of(std::string("depth: 2, size: 3000 B, transfers: 100, unsafe: true, scheme: ") + scheme,
                            "personality: rc, rc: {retransmission: go_back_0, pmtu: 256 B, timeout: 6}", "loss: 3 %");
                for (VerbsEndConfig& end : verbs_ends(config)) {
                    end.host.persistence->domain = host.domain;
                    end.host.persistence->ddio = host.ddio;
                    end.host.persistence->no_snoop_write = host.no_snoop_write;
                    end.card.transport.persist.data_no_snoop = host.data_no_snoop;
                }
                const RunResult r = simulate(config);
                const auto lost = std::ranges::count_if(r.samples, &Sample::failed);
                return std::array<std::uint64_t, 3>{static_cast<std::uint64_t>(lost), counter(r, "b.cuts.false_items"),
                                                    counter(r, "a.rc.retransmissions")};
            });
            REQUIRE(found);
            CHECK((*found)[0] == 0);
            CHECK((*found)[1] == (host.reads_hold ? 0 : 100));
            CHECK((*found)[2] > 100);
        }
    }
}

TEST_CASE("V-P: a PACK that is lost is waited for as long as its repeat takes", "[network]") {
    for (const char* const scheme : {"fig10, acks: 2", "fig11"}) {
        INFO(scheme);
        const auto lost = in_child([&] {
            RunConfig config =
                pair_of(std::string("depth: 1, size: 64 B, transfers: 40, unsafe: true, scheme: ") + scheme,
                        "personality: rc, rc: {timeout: 6, pm: {timer: 1 s}}", "loss: 5 %");
            config.watchdog = kNanosecond * 8;
            return static_cast<int>(std::ranges::count_if(simulate(config).samples, &Sample::failed));
        });
        CHECK(lost == 0);
    }
}

TEST_CASE("V-P: answers wait for room in their send queue while their ACKs are lost", "[network]") {
    constexpr std::uint32_t kItems = 1500;  // the queue has 1024 places
    for (const char* const scheme : {"fig3", "gpspm"}) {
        INFO(scheme);
        const auto lost = in_child([&] {
            RunConfig config =
                pair_of("depth: 1, size: 64 B, transfers: " + std::to_string(kItems) + ", scheme: " + scheme,
                        "profile: cx5_100g, rc: {window: 4096, timeout: 14}", "rate: 100 Gbps");
            auto tape = std::make_shared<FaultTape>();
            for (std::uint32_t psn = 0; psn < kItems; ++psn) {
                TapedFrame ack;
                ack.frame.kind = FrameKind::roce_ack;
                ack.frame.initiator = 1;
                ack.frame.sn = psn;
                tape->push_back(ack);
            }
            config.tape = tape;
            return static_cast<int>(std::ranges::count_if(simulate(config).samples, &Sample::failed));
        });
        CHECK(lost == 0);
    }
}

TEST_CASE("V-P: of a connection that has failed nobody is told any more, whatever still comes", "[network]") {
    const auto lost = in_child([&] {
        // The responder's card gives up its answer, which waits in the initiator's IIO, and comes.
        RunConfig config = pair_of(
            "scheme: gpspm, size: 64 B, transfers: 1}, {from: b, to: a, scheme: fig3, size: 4095 B, transfers: 1",
            "profile: cx5_100g, rc: {inline: 0 B, timeout: 4}", "rate: 100 Gbps, delay: 390.4 ns");
        for (VerbsEndConfig& end : verbs_ends(config)) {
            end.host.posting = Posting::doorbell;
            end.host.persistence->ddio = false;
            end.host.persistence->scm.write = 1'000'000;
        }
        return static_cast<int>(std::ranges::count_if(simulate(config).samples, &Sample::failed));
    });
    CHECK(lost == 2);
}

TEST_CASE("V-P: the watchdog waits while a processor flushes, and while SCM writes", "[network]") {
    struct Case {
        const char* item;
        void (*slow)(PersistenceConfig&);
        bool ends;  ///< else the initiator's card gives up, and the responder's host goes on
    };
    const auto slow_flush = [](PersistenceConfig& path) { path.flush.line = kMillisecond; };
    const auto slow_scm = [](PersistenceConfig& path) {
        path.scm.write = 1'000'000;
        path.scm.line = 4096;
    };
    const auto behind_dirty_lines = [](PersistenceConfig& path) {
        path.scm.write = 1'000'000;
        path.llc.capacity = kLineBytes;
        path.llc.dirty = true;
    };
    for (const Case& c : {
             Case{"scheme: fig3, depth: 1, size: 32 KiB", slow_flush, true},
             Case{"scheme: gpspm, depth: 1, size: 300 KiB", slow_scm, true},
             Case{"scheme: fig10, depth: 16, size: 64 KiB", behind_dirty_lines, false},
         }) {
        INFO(c.item);
        const auto lost = in_child([&] {
            RunConfig config = pair_of(std::string("transfers: 16, unsafe: true, ") + c.item,
                                       "personality: rc, rc: {timeout: 8, retry_cnt: 0}");
            config.watchdog = kNanosecond * 8;
            for (VerbsEndConfig& end : verbs_ends(config)) c.slow(*end.host.persistence);
            return static_cast<int>(std::ranges::count_if(simulate(config).samples, &Sample::failed));
        });
        CHECK(lost == (c.ends ? 0 : 16));
    }
}

TEST_CASE("V-P: where the responder has no receive WQE the initiator's card gives up, and tells of nothing",
          "[network]") {
    const auto found = in_child([&] {
        const RunResult r = simulate(
            pair_of("scheme: fig11, depth: 2, size: 64 B, transfers: 40, unsafe: true, receives_ahead: initiator",
                    "personality: rc, rc: {retry_cnt: 2, pm: {timer: 20 us}}"));
        const auto lost = std::ranges::count_if(r.samples, &Sample::failed);
        return std::array<std::uint64_t, 3>{static_cast<std::uint64_t>(lost), counter(r, "a.rc.persist_repeats"),
                                            counter(r, "b.rc.receive_waits")};
    });
    REQUIRE(found);
    CHECK((*found)[0] == 40);
    CHECK((*found)[1] == 2);
    CHECK((*found)[2] > 10);
}

TEST_CASE("V-P: a receive WQE that comes when the card has given up is flushed, and the program gets to know",
          "[network]") {
    const auto lost = in_child([&] {
        RunConfig config =
            pair_of("scheme: fig11, depth: 2, size: 64 B, transfers: 9, unsafe: true, receives_ahead: responder",
                    "personality: rc, rc: {retry_cnt: 0, pm: {timer: 20 us}}");
        config.watchdog = kNanosecond * 8;
        VerbsHostConfig& initiator = verbs_of(config, 0).host;
        initiator.costs.receive = initiator.clock.edge(kMicrosecond * 300);
        verbs_of(config, 1).host.persistence->flush.base = kMillisecond;
        return static_cast<int>(std::ranges::count_if(simulate(config).samples, &Sample::failed));
    });
    CHECK(lost == 9);
}

TEST_CASE("V-P: what a card must not do shows", "[network]") {
    const auto with = [](const std::string& scheme, auto change) {
        return in_child([&] {
            RunConfig config = pair_of("depth: 1, size: 64 B, transfers: 40, unsafe: true, " + scheme,
                                       "personality: rc, rc: {inline: 0 B}");
            for (VerbsEndConfig& end : verbs_ends(config)) {
                end.host.persistence->ddio = false;
                end.host.persistence->iio.hold = kMicrosecond * 10;
                change(end);
            }
            return static_cast<int>(counter(simulate(config), "b.cuts.false_items"));
        });
    };
    CHECK(with("scheme: fig10", [](VerbsEndConfig&) {}).value_or(-1) == 0);
    CHECK(with("scheme: fig10", [](VerbsEndConfig& end) {
              end.card.transport.persist.read_bypass = true;
          }).value_or(-1) == 40);
    CHECK(with("scheme: fig10", [](VerbsEndConfig& end) { end.card.transport.persist.flush_class = 1; }).value_or(-1) ==
          40);
    CHECK(with("scheme: fig10", [](VerbsEndConfig& end) {
              end.card.transport.persist.flush_no_snoop = true;
          }).value_or(-1) == 0);
    CHECK(with("scheme: fig10", [](VerbsEndConfig& end) {
              end.card.transport.persist.relaxed_data = true;
          }).value_or(-1) == 0);
    const auto relaxed = [](VerbsEndConfig& end) {
        end.host.persistence->ddio = true;
        end.card.transport.persist.relaxed_cqe = true;
    };
    // For the first SEND the card reads receive WQEs, which waits for data before it.
    CHECK(with("scheme: gpspm", relaxed).value_or(-1) == 39);
    CHECK(with("scheme: fig11", relaxed).value_or(-1) == 39);
}

}  // namespace rnicsim
