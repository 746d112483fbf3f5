// SPDX-License-Identifier: Apache-2.0
// What each way to make data durable costs an item: packets, bytes, WQEs, CQEs, doorbells, DMA requests
// (scenarios/README.md, "Write persistence").
#include "model/rnic/rc/end/end_config.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/kits/rc/verbs_message.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"
#include "testbench/workloads/persistence/persist_judge.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::uint64_t kItems = 64;  // as often as receive WQEs are read by eights

/// Of both ends, together with what the wire carries.
struct Counts {
    std::array<std::uint64_t, 2> packets, posted, taken, doorbells, reads, writes;
    std::uint64_t bytes, flush_reads;
    friend bool operator==(const Counts&, const Counts&) = default;
};

Counts counts_of(const RunResult& r) {
    Counts c{};
    for (unsigned side = 0; side < 2; ++side) {
        const std::string end = side == 0 ? "a." : "b.";
        c.packets.at(side) = counter(r, end + "rc.tx_packets");
        c.posted.at(side) = counter(r, end + "host.sends_posted") + counter(r, end + "host.receives_posted");
        c.taken.at(side) = counter(r, end + "host.completions_taken");
        c.doorbells.at(side) = counter(r, end + "rc.doorbells");
        c.reads.at(side) = counter(r, end + "pcie.read_requests");
        c.writes.at(side) = counter(r, end + "pcie.write_requests");
        c.bytes += counter(r, end + "gmac.tx_bytes");
    }
    c.flush_reads = counter(r, "b.rc.flush_reads");
    return c;
}

RunConfig config_of(const std::string& item, const std::string& acknowledgement, std::uint64_t transfers) {
    RunConfig config = pair_of(item + ", depth: 1, unsafe: true, transfers: " + std::to_string(transfers),
                               "personality: rc, rc: {inline: 0 B, acknowledgement: " + acknowledgement + "}");
    for (VerbsEndConfig& end : verbs_ends(config)) end.host.posting = Posting::doorbell;
    return config;
}

/// Of kItems items behind as many.
std::optional<Counts> counts_of_items(const std::string& item, const std::string& acknowledgement) {
    const auto run = [&](std::uint64_t transfers) {
        return in_child([&] { return counts_of(simulate(config_of(item, acknowledgement, transfers))); });
    };
    const auto once = run(kItems), twice = run(2 * kItems);
    if (!once || !twice) return {};
    Counts c{};
    const auto rest = [](const auto& a, const auto& b) {
        return std::array<std::uint64_t, 2>{a[0] - b[0], a[1] - b[1]};
    };
    c.packets = rest(twice->packets, once->packets);
    c.posted = rest(twice->posted, once->posted);
    c.taken = rest(twice->taken, once->taken);
    c.doorbells = rest(twice->doorbells, once->doorbells);
    c.reads = rest(twice->reads, once->reads);
    c.writes = rest(twice->writes, once->writes);
    c.bytes = twice->bytes - once->bytes;
    c.flush_reads = twice->flush_reads - once->flush_reads;
    return c;
}

/// Of 20 items, begun at 10 us.
struct WithTable {
    Counts counts;
    Time begins, first, last;  ///< the first item is asked for, ends; the last one ends
};

std::optional<WithTable> with_table(const std::string& item, const std::string& link = "") {
    return in_child([&] {
        RunConfig config = pair_of("size: 64 B, unsafe: true, transfers: 20, start: 10 us, " + item,
                                   "personality: rc, rc: {inline: 0 B, acknowledgement: each, timeout: 8}", link);
        for (VerbsEndConfig& end : verbs_ends(config)) end.host.posting = Posting::doorbell;
        const RunResult r = simulate(config);
        if (r.samples.back().failed()) throw RunError("an item has failed");
        return WithTable{counts_of(r), r.samples.front().start, r.samples.front().end, r.samples.back().end};
    });
}

const std::vector<const char*> kSchemes{"fig2",
                                        "fig3",
                                        "fig10",
                                        "fig10, acks: 2",
                                        "fig10, mark: range",
                                        "fig11",
                                        "fig11, receives_ahead: responder",
                                        "apm",
                                        "flush",
                                        "gpspm",
                                        "ack"};

class Nobody final : public PersistObserver {
  public:
    void posted(std::size_t /*connection*/, std::uint32_t /*item*/, Time /*begins*/) override {}
    void told_written(std::size_t /*connection*/, std::uint32_t /*item*/, Time /*now*/) override {}
    void told_persisted(std::size_t /*connection*/, std::uint32_t /*item*/, Time /*now*/) override {}
};

}  // namespace

TEST_CASE("V-P: what an item costs by scheme, exactly", "[network]") {
    struct Case {
        std::vector<const char*> items;                                                 // which cost alike
        std::array<std::uint64_t, 2> packets, posted, taken, doorbells, reads, writes;  // an item, of a and b
        std::array<std::uint64_t, 2> receive_batches;  // reads of receive WQEs, of kItems items
        std::uint64_t bytes, flush_reads;
    };
    // For eight receive WQEs the card reads the record, and the WQEs.
    constexpr std::uint64_t kBatches = 2 * kItems / 8;
    const std::vector<const char*> two_acks{"fig10, acks: 2", "fig10, acks: 2, pack: psn_only"};
    const std::vector<const char*> by_persist_ack{"fig11", "fig11, mark: range", "fig11, pack: psn_only"};
    for (const Case& c : {
             Case{{"fig2"}, {2, 2}, {2, 0}, {2, 0}, {2, 0}, {3, 1}, {3, 1}, {}, 296, 0},
             // ... and the READ of all 64 B
             Case{{"fig2, read_back: all"}, {2, 2}, {2, 0}, {2, 0}, {2, 0}, {3, 1}, {3, 1}, {}, 352, 0},
             Case{{"fig3"}, {3, 3}, {3, 2}, {3, 2}, {2, 1}, {4, 2}, {4, 4}, {kBatches, kBatches}, 432, 0},
             Case{{"fig10", "fig10, mark: range"}, {1, 1}, {1, 0}, {1, 0}, {1, 0}, {2, 1}, {1, 1}, {}, 144, 1},
             Case{two_acks, {1, 2}, {1, 0}, {1, 0}, {1, 0}, {2, 1}, {1, 1}, {}, 210, 1},
             Case{by_persist_ack, {1, 2}, {2, 2}, {2, 2}, {1, 1}, {2, 1}, {2, 3}, {kBatches, kBatches}, 210, 0},
             Case{{"apm"}, {2, 2}, {2, 0}, {1, 0}, {1, 0}, {2, 1}, {2, 1}, {}, 296, 0},
             Case{{"apm, read_back: all"}, {2, 2}, {2, 0}, {1, 0}, {1, 0}, {2, 1}, {2, 1}, {}, 352, 0},
             Case{{"flush"}, {2, 2}, {2, 0}, {1, 0}, {1, 0}, {2, 1}, {1, 1}, {}, 292, 1},
             Case{{"gpspm"}, {3, 3}, {3, 2}, {1, 1}, {1, 1}, {3, 2}, {2, 3}, {kBatches, kBatches}, 432, 0},
         }) {
        // ACKs are merged while they wait in a row for the port, which those of a lone item never do.
        for (const char* const acknowledgement : {"each", "coalesced"}) {
            for (const char* const item : c.items) {
                INFO(item << ", acknowledgement: " << acknowledgement);
                const auto found = counts_of_items(std::string("size: 64 B, scheme: ") + item, acknowledgement);
                REQUIRE(found);
                const auto all = [](const std::array<std::uint64_t, 2>& an_item) {
                    return std::array<std::uint64_t, 2>{kItems * an_item[0], kItems * an_item[1]};
                };
                CHECK(found->packets == all(c.packets));
                CHECK(found->posted == all(c.posted));
                CHECK(found->taken == all(c.taken));
                CHECK(found->doorbells == all(c.doorbells));
                CHECK(found->reads[0] == kItems * c.reads[0] + c.receive_batches[0]);
                CHECK(found->reads[1] == kItems * c.reads[1] + c.receive_batches[1]);
                CHECK(found->writes == all(c.writes));
                CHECK(found->bytes == kItems * (64 + c.bytes));
                CHECK(found->flush_reads == kItems * c.flush_reads);
            }
        }
    }
}

TEST_CASE("the bytes of a message are known from any place on", "[network]") {
    std::array<std::uint8_t, 41> bytes{};
    fill(bytes, 7);
    for (std::size_t from = 0; from < bytes.size(); ++from) {
        for (std::size_t end = from + 1; end <= bytes.size(); ++end) {
            const std::span<std::uint8_t> part = std::span(bytes).subspan(from, end - from);
            REQUIRE(is_filled(part, 7, from));
            REQUIRE_FALSE(is_filled(part, 8, from));
            for (std::uint8_t* const one : {&part.front(), &part.back()}) {
                *one ^= 1U;
                REQUIRE_FALSE(is_filled(part, 7, from));
                *one ^= 1U;
            }
        }
    }
}

TEST_CASE("V-P: what an item read back costs by size, exactly: 288 B and its data twice", "[network]") {
    for (const std::uint64_t size : {8, 64, 256, 1024}) {
        for (const char* const scheme : {"fig2", "apm"}) {
            INFO(scheme << ", " << size << " B");
            const std::string item = "size: " + std::to_string(size) + " B, scheme: " + scheme + ", read_back: ";
            const auto all = counts_of_items(item + "all", "each");
            REQUIRE(all);
            CHECK(all->bytes == kItems * (288 + 2 * size));
            const auto end = counts_of_items(item + "end", "each");
            REQUIRE(end);
            CHECK(end->bytes == kItems * (296 + size));
        }
    }
}

TEST_CASE("V-P: a table of the region costs a SEND and its ACK, exactly, and the first item waits for it",
          "[network]") {
    using Two = std::array<std::uint64_t, 2>;
    const auto more = [](const Two& with, const Two& without) {
        return Two{with[0] - without[0], with[1] - without[1]};
    };
    for (const char* const scheme : kSchemes) {
        for (const char* const depth : {"1", "3"}) {
            INFO(scheme << ", depth " << depth);
            const std::string item = std::string("scheme: ") + scheme + ", depth: " + depth;
            const auto ahead = with_table(item), sent = with_table(item + ", region_table: sent");
            REQUIRE(ahead);
            REQUIRE(sent);
            CHECK(more(sent->counts.packets, ahead->counts.packets) == Two{1, 1});
            const bool has = ahead->counts.posted[1] != 0;  // receive WQEs of its own
            const bool one = !has || item.find("receives_ahead") != std::string::npos;
            CHECK(more(sent->counts.posted, ahead->counts.posted) == Two{one ? 1U : 0U, 1});
            CHECK(more(sent->counts.taken, ahead->counts.taken) == Two{1, 1});
            CHECK(more(sent->counts.doorbells, ahead->counts.doorbells) == Two{0, 1});
            CHECK(more(sent->counts.writes, ahead->counts.writes) == Two{2, 1});        // payload, CQE; CQE
            CHECK(more(sent->counts.reads, ahead->counts.reads)[1] == 2);               // WQE, payload
            if (!has) CHECK(more(sent->counts.reads, ahead->counts.reads)[0] == 3);     // how many, the WQE, if more
            CHECK(sent->counts.bytes - ahead->counts.bytes == 62 + kRegionTable + 66);  // SEND, ACK
            CHECK(sent->begins == ahead->begins);
            CHECK(sent->first > ahead->first);
        }
    }
}

TEST_CASE("V-P: a table that is lost comes again, and no item goes before it", "[network]") {
    for (const char* const scheme : kSchemes) {
        INFO(scheme);
        const std::string item = std::string("scheme: ") + scheme + ", depth: 2, region_table: sent";
        const auto kept = with_table(item), late = with_table(item, "loss: 30 %");
        REQUIRE(kept);
        REQUIRE(late);
        CHECK(late->last > kept->last);
    }
}

TEST_CASE("V-I3: a table that is not the one sent, and what is read back wrongly, are noticed", "[network]") {
    RunConfig config =
        pair_of("scheme: fig2, depth: 2, size: 65 B, transfers: 4, region_table: sent, read_back: all, unsafe: true");
    config.traffic[0].verbs.unsafe = false;  // whose bytes are not judged
    const VerbsLayout layout = lay_out(config);
    const VerbsLayout::End& here = layout.persists.front().ends[0];
    Nobody nobody;
    const std::vector<std::uint8_t> table(kRegionTable, 7), other(kRegionTable, 8);
    {
        PersistJudge judge(config, layout, nobody);
        judge.table_posted(0, table);
        judge.device_writes(here.host, here.received.slot(0), table);
        CHECK(judge.violation().empty());
        judge.device_writes(here.host, here.received.slot(0), other);
        CHECK(judge.violation().find("the table of the region") != std::string::npos);
    }
    std::array<std::uint8_t, 65> item{};
    fill(item, message_key(0, 0, 1));
    PersistJudge judge(config, layout, nobody);
    judge.posted(0, 0, Time{});
    judge.posted(0, 1, Time{});
    judge.device_writes(here.host, here.in.slot(1), item);
    CHECK(judge.violation().empty());
    item.back() ^= 1U;
    judge.device_writes(here.host, here.in.slot(1), item);
    CHECK(judge.violation().find("reads back") != std::string::npos);
}

}  // namespace rnicsim
