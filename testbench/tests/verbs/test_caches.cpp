// SPDX-License-Identifier: Apache-2.0
// The on-chip memory of a card: what is in it, what leaves, who waits for what is missing. Exact times and whole runs
// are in tests/network/verbs_caches.cpp.
#include "model/rnic/rc/context_lines.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace rnicsim::rc {
namespace {

using Ids = std::vector<LineId>;

/// So many lines of a kind more.
Ids add(ContextCache& cache, LineKind kind, std::uint32_t count, std::uint32_t from = 0) {
    Ids ids;
    for (std::uint32_t n = 0; n < count; ++n) ids.push_back(cache.add(kind, from + n));
    return ids;
}

TEST_CASE("V-K1: a set holds sixteen contexts, and the one that was not used for the longest time leaves") {
    ContextCache cache(ContextCache::kSetBytes);
    const Ids qps = add(cache, LineKind::qp, 16);
    CHECK(cache.all_fit());
    CHECK(cache.touch(qps[0]));
    CHECK(cache.touch(qps[2]));
    const Ids more = add(cache, LineKind::qp, 2, 16);
    CHECK_FALSE(cache.all_fit());
    CHECK(cache.has(qps[0]));
    CHECK_FALSE(cache.has(qps[1]));
    CHECK(cache.has(qps[2]));
    CHECK_FALSE(cache.has(qps[3]));
    CHECK_FALSE(cache.touch(qps[1]));
    cache.put(qps[1]);  // for the oldest one
    CHECK_FALSE(cache.has(qps[4]));
    CHECK(cache.has(qps[5]));
    CHECK(cache.has(more[0]));
}

TEST_CASE("V-K1: lines of all kinds share the bytes of a set") {
    ContextCache cache(ContextCache::kSetBytes);
    const Ids qps = add(cache, LineKind::qp, 16);
    add(cache, LineKind::region, 1);
    CHECK_FALSE(cache.has(qps[0]));  // 384 bytes for 64
    add(cache, LineKind::pages, 4);
    add(cache, LineKind::cq, 1);
    CHECK(cache.has(qps[1]));
    add(cache, LineKind::cq, 1, 1);
    CHECK_FALSE(cache.has(qps[1]));
}

TEST_CASE("V-K1: numbers that follow one another are spread over the sets as a hash spreads them") {
    constexpr std::uint32_t kSets = 100;
    ContextCache cache(kSets * ContextCache::kSetBytes);
    const Ids qps = add(cache, LineKind::qp, kSets * ContextCache::kWays);
    const auto there = std::ranges::count_if(qps, [&](LineId qp) { return cache.has(qp); });
    // Of a set with a mean of 16, Poisson's: 16 - 1.59 are there; the standard deviation of the sum is some 24.
    CHECK(there > 1441 - 100);
    CHECK(there < 1441 + 100);
}

TEST_CASE("V-K2: a context that was used is written back when it leaves; regions and pages are not") {
    ContextCache cache(ContextCache::kSetBytes);
    const Ids qps = add(cache, LineKind::qp, 17);
    for (std::size_t i = 1; i < 17; ++i) {
        if (i % 2 == 0) cache.touch(qps[i]);
    }
    CHECK(cache.put(qps[0]).empty());  // the first one that leaves has not been used
    Ids written;
    for (std::size_t i = 1; i < 16; i += 2) {  // the others of its kind leave, then those that were used
        const auto out = cache.put(qps[i]);
        written.insert(written.end(), out.begin(), out.end());
    }
    CHECK(written == Ids{qps[2]});  // of eight that left seven had not been used
    ContextCache other(ContextCache::kSetBytes);
    const Ids regions = add(other, LineKind::region, 97);
    for (std::size_t i = 1; i < 97; ++i) other.touch(regions[i]);
    CHECK(other.put(regions[0]).empty());
    ContextCache cqs(ContextCache::kSetBytes);
    const Ids of_cqs = add(cqs, LineKind::cq, 97);
    cqs.touch(of_cqs[1]);
    for (std::size_t i = 2; i < 97; ++i) cqs.touch(of_cqs[i]);
    CHECK(cqs.put(of_cqs[0]).size() == 1);
}

TEST_CASE("V-K3: lines are there from the beginning, those that were made last if not all fit") {
    ContextCache cache(ContextCache::kSetBytes);
    const Ids qps = add(cache, LineKind::qp, 20);
    for (std::size_t i = 0; i < 20; ++i) CHECK(cache.has(qps[i]) == (i >= 4));
}

TEST_CASE("V-K3: a line that is another object's now is on the card, and clean") {
    ContextCache cache(ContextCache::kSetBytes);
    const Ids qps = add(cache, LineKind::qp, 17);
    cache.renew(qps[0]);  // it had left
    CHECK(cache.has(qps[0]));
    CHECK_FALSE(cache.has(qps[1]));
    cache.touch(qps[2]);
    cache.renew(qps[2]);
    for (const std::size_t i : {1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0})
        CHECK(cache.put(qps[i]).empty());  // the next one leaves, and at last that one
    CHECK_FALSE(cache.has(qps[2]));
}

/// A card of 18 QPs with a region of three pages each, in a cache of one set.
class Card : public ContextLines::Port, public ContextLines::Waiter {
  public:
    explicit Card(std::uint32_t misses = 1) : lines({ContextCache::kSetBytes, misses}, regions, *this, *this) {
        lines.set_memory({0x1000, 1U << 20U});
        lines.add_cq(0);
        for (std::uint32_t n = 0; n < kQps; ++n) {
            keys.push_back(*regions.add(Pd{1}, {0x10'0000 + n * 0x1'0000ULL, 3 * 4096}, kLocalWrite));
            lines.add_region(keys.back());
            lines.add_qp(qp(n));
        }
    }
    static Qpn qp(std::uint32_t n) { return Qpn{n + 2}; }
    bool ask(std::uint32_t n, LineUser user = LineUser::receiver) { return lines.at_hand({}, user, qp(n)); }
    /// ... and touches so many bytes of its region.
    bool ask(std::uint32_t n, std::uint64_t offset, std::uint32_t bytes) {
        return lines.at_hand({}, LineUser::receiver, qp(n), [&] {
            MemoryUses uses;
            uses.push({keys[n], {0x10'0000 + n * 0x1'0000ULL + offset, bytes}});
            return uses;
        });
    }
    void read_line(Cycle, LineId line, std::uint64_t address, std::uint32_t bytes) override {
        reading.push_back(line);
        log.push_back("read " + std::to_string(bytes));
        addresses.push_back(address);
    }
    void write_line(Cycle, std::uint64_t, std::uint32_t bytes) override {
        log.push_back("write " + std::to_string(bytes));
    }
    void line_came(Cycle, LineUser user, std::uint32_t of) override {
        log.push_back("go on " + std::to_string(static_cast<int>(user)) + " of " + std::to_string(of));
    }
    /// The read that began first ends.
    void come() {
        const LineId line = reading.front();
        reading.erase(reading.begin());
        lines.came({}, line);
    }
    std::vector<std::string> take() { return std::exchange(log, {}); }

    static constexpr std::uint32_t kQps = 18;
    MrTable regions;
    ContextLines lines;
    std::vector<std::uint32_t> keys;
    std::vector<LineId> reading;
    std::vector<std::uint64_t> addresses;
    std::vector<std::string> log;
};

using Log = std::vector<std::string>;

TEST_CASE("V-K4: a step needs its QP's context, then for its memory the region's entry and the pages it touches") {
    Card card;
    CHECK_FALSE(card.ask(0, 4095, 2));
    CHECK(card.take() == Log{"read 384"});
    card.come();
    CHECK(card.take() == Log{"go on 1 of 2"});
    CHECK_FALSE(card.ask(0, 4095, 2));
    CHECK(card.take() == Log{"read 64"});  // region
    card.come();
    CHECK_FALSE(card.ask(0, 4095, 2));  // both pages lie in one line
    card.come();
    card.take();
    CHECK(card.ask(0, 4095, 2));
    CHECK(card.take().empty());
    CHECK(card.ask(0, 0, 1));
    CHECK(card.lines.counters().misses == std::array<std::uint64_t, kLineKinds>{1, 1, 1, 0});
    CHECK(card.lines.counters().hits == 1);
}

TEST_CASE("V-K4: eight pages share a line, and a region begins where the one before it ends") {
    Card card;
    // Entries 6, 7 and 8 are those of the third region: its last page is in the second line.
    const auto pages = card.regions.pages_of(card.keys[2], {0x10'0000 + 2 * 0x1'0000, 3 * 4096});
    REQUIRE(pages);
    CHECK(pages->first == 6);
    CHECK(pages->count == 3);
    CHECK(card.regions.page_entries() == 3 * Card::kQps);
    CHECK_FALSE(card.ask(2, 0, 3 * 4096));
    for (int i = 0; i < 4; ++i) {
        card.come();
        CHECK(card.ask(2, 0, 3 * 4096) == (i == 3));
    }
    CHECK(card.lines.counters().misses == std::array<std::uint64_t, kLineKinds>{1, 1, 2, 0});
    MrTable large;
    const std::uint32_t key = *large.add(Pd{1}, {0x1F'F000, 0x2000}, kLocalWrite, PageSize{21});
    CHECK(large.pages_of(key, {0x1F'F000, 0x2000})->count == 2);  // of 2 MiB, as it lies across their border
    CHECK(large.pages_of(key, {0x20'0000, 1})->first == 1);
    CHECK_FALSE(large.pages_of(key, {0x20'0000, 0x1001}));
    CHECK_FALSE(large.pages_of(key + 1, {0x20'0000, 1}));
}

TEST_CASE("V-K4: a completion needs the context of its CQ") {
    Card card;
    CHECK_FALSE(card.lines.cq_at_hand({}, 0));
    CHECK_FALSE(card.lines.cq_at_hand({}, 0));
    card.come();
    CHECK(card.take() == Log{"read 64", "go on 4 of 0"});
    CHECK(card.lines.cq_at_hand({}, 0));
    CHECK(card.lines.counters().misses[3] == 1);
}

TEST_CASE("V-K3: objects whose numbers are used again have the lines of those before them") {
    Card card;
    const auto room = card.lines.most_page_entries();
    for (int again = 0; again < 100; ++again) {
        card.lines.add_qp(Card::qp(3));
        card.lines.add_cq(0);
        REQUIRE(card.regions.remove(card.keys[5]));
        card.keys[5] = *card.regions.add(Pd{1}, {0x10'0000 + 5 * 0x1'0000ULL, 3 * 4096}, kLocalWrite);
        card.lines.add_region(card.keys[5]);
    }
    CHECK(card.lines.most_page_entries() == room);
    CHECK(card.ask(3));
    CHECK(card.lines.cq_at_hand({}, 0));
    CHECK_FALSE(card.ask(0));        // what has been made anew has taken its place
    card.lines.add_qp(Card::qp(0));  // while its line is being read
    card.come();
    CHECK(card.ask(0));
}

TEST_CASE("V-K5: who misses a line waits, and nobody else") {
    Card card;
    CHECK_FALSE(card.ask(0));
    CHECK_FALSE(card.ask(0));  // once is enough
    CHECK(card.ask(17));
    CHECK(card.ask(16, 0, 1));
    CHECK(card.take() == Log{"read 384"});
    card.come();
    CHECK(card.take() == Log{"go on 1 of 2"});
    CHECK(card.ask(0));
}

TEST_CASE("V-K6: a line that has come serves who waited for it, even if it has left again") {
    Card card(8);
    CHECK_FALSE(card.ask(0, 0, 1));
    card.come();
    CHECK_FALSE(card.ask(0, 0, 1));           // now the region's entry
    for (std::uint32_t n = 17; n > 1; --n) {  // sixteen others in the meantime
        if (card.ask(n)) continue;
        std::rotate(card.reading.begin(), card.reading.end() - 1, card.reading.end());
        card.come();
        CHECK(card.ask(n));
    }
    card.come();
    CHECK_FALSE(card.ask(0, 0, 1));  // the pages
    card.come();
    CHECK(card.ask(0, 0, 1));
    CHECK(card.lines.counters().misses[0] >= 2);
    const std::uint64_t misses = card.lines.counters().misses[0];
    CHECK_FALSE(card.ask(0));  // the next step has to read it again
    CHECK(card.lines.counters().misses[0] == misses + 1);
}

TEST_CASE("V-K7: so many lines are read at once, the others in the order in which they were asked for") {
    Card card(2);
    for (std::uint32_t n = 0; n < 4; ++n) CHECK_FALSE(card.ask(n, LineUser::work_queue));
    CHECK_FALSE(card.lines.idle());
    CHECK(card.reading.size() == 2);
    card.come();
    CHECK(card.reading.size() == 2);
    while (!card.reading.empty()) card.come();
    CHECK(card.take() == Log{"read 384", "read 384", "read 384", "go on 0 of 2", "read 384", "go on 0 of 3",
                             "go on 0 of 4", "go on 0 of 5"});
    CHECK(std::ranges::is_sorted(card.addresses));
    CHECK(card.lines.idle());
}

TEST_CASE("V-K7: a line is read once for all who wait for it") {
    Card card(8);
    CHECK_FALSE(card.ask(0, LineUser::receiver));
    CHECK_FALSE(card.ask(0, LineUser::request_lane));
    CHECK_FALSE(card.ask(0, LineUser::answer_lane));
    card.come();
    CHECK(card.take() == Log{"read 384", "go on 1 of 2", "go on 2 of 2", "go on 3 of 2"});
}

TEST_CASE("V-K8: a pushed WQE whose QP's context is missing is read from its ring") {
    // Forty contexts: as many as two sets hold, or all in one that holds sixteen.
    for (const bool fits : {true, false}) {
        const RunConfig config =
            pair_of("size: 8 B, transfers: 2, depth: 1, connections: 40",
                    std::string("personality: rc, rc: {cache: ") + (fits ? "1 MiB" : "6144 B") + "}");
        const auto outcome = apart([&] {
            const RunResult result = simulate(config);
            const std::uint64_t reads = counter(result, "a.rc.send_wqe_reads");
            const std::uint64_t misses = counter(result, "a.rc.cache_misses_qp");
            if (counter(result, "a.rc.pushes") != 80) throw RunError("not all are pushed");
            if (fits ? reads + misses != 0 : reads < 40 || reads > misses)
                throw RunError(std::to_string(reads) + " reads, " + std::to_string(misses) + " misses");
            return result;
        });
        INFO((fits ? "all fit" : "few fit"));
        CHECK(outcome.ran);
    }
}

}  // namespace
}  // namespace rnicsim::rc
