// SPDX-License-Identifier: Apache-2.0
// A responder that tells where its region is by a SEND: what that costs, and that wrong bytes are noticed.
#include "model/rnic/rc/end/end_config.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/kits/rc/verbs_message.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"
#include "testbench/workloads/persistence/persist_judge.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

/// Of a, then of b.
struct Counts {
    std::array<std::uint64_t, 2> packets, posted, taken, doorbells, reads, writes;
    std::uint64_t bytes;
    Time begins, first, last;  ///< the first item is asked for, ends; the last one ends
};

std::optional<Counts> counts_of(const std::string& item, const std::string& link = "") {
    return in_child([&] {
        RunConfig config = pair_of("size: 64 B, unsafe: true, transfers: 20, start: 10 us, " + item,
                                   "personality: rc, rc: {inline: 0 B, acknowledgement: each, timeout: 8}", link);
        for (VerbsEndConfig& end : verbs_ends(config)) end.host.posting = Posting::doorbell;
        const RunResult r = simulate(config);
        if (r.samples.back().failed()) throw RunError("an item has failed");
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
        c.begins = r.samples.front().start;
        c.first = r.samples.front().end;
        c.last = r.samples.back().end;
        return c;
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
            const auto ahead = counts_of(item), sent = counts_of(item + ", region_table: sent");
            REQUIRE(ahead);
            REQUIRE(sent);
            CHECK(more(sent->packets, ahead->packets) == Two{1, 1});
            CHECK(more(sent->posted, ahead->posted) == Two{0, 1});
            CHECK(more(sent->taken, ahead->taken) == Two{1, 1});
            CHECK(more(sent->doorbells, ahead->doorbells) == Two{0, 1});
            CHECK(more(sent->writes, ahead->writes) == Two{2, 1});        // payload, CQE; CQE
            CHECK(more(sent->reads, ahead->reads)[1] == 2);               // WQE, payload
            CHECK(sent->bytes - ahead->bytes == 62 + kRegionTable + 66);  // SEND, ACK
            CHECK(sent->begins == ahead->begins);
            CHECK(sent->first > ahead->first);
        }
    }
}

TEST_CASE("V-P: a table that is lost comes again, and no item goes before it", "[network]") {
    for (const char* const scheme : kSchemes) {
        INFO(scheme);
        const std::string item = std::string("scheme: ") + scheme + ", depth: 2, region_table: sent";
        const auto kept = counts_of(item), late = counts_of(item, "loss: 30 %");
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
