// SPDX-License-Identifier: Apache-2.0
// Runs that really stop, and compare bytes, beside what one run that does not stop has folded: at each change of the
// fold, a cycle before and behind it, and at random instants. SystemC has one kernel a process, so one run stops at all
// of them, one after the other; cut_test.py has single ones in processes of their own.
#include "model/rnic/rc/end/end_config.h"
#include "testbench/tests/cuts/cut_rows.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

using Change = std::function<void(VerbsEndConfig&)>;

RunConfig small_run(const std::string& item, const Change& change) {
    RunConfig config =
        pair_of("transfers: 10, unsafe: true, " + item, "personality: rc, rc: {inline: 0 B, pmtu: 256 B}");
    for (VerbsEndConfig& end : verbs_ends(config)) change(end);
    return config;
}

std::vector<Time> instants_of(const std::vector<CutRow>& rows, Time cycle) {
    std::set<Time> instants;
    for (const CutRow& row : rows) {
        for (const Time of : {Time{} - cycle, Time{} - kPicosecond, Time{}, kPicosecond, cycle})
            instants.insert(row.time + of);
    }
    std::mt19937_64 draw(rows.size());
    const Time from = rows.front().time, length = rows.back().time + kMicrosecond - from;
    for (int n = 2000; n > 0; --n)
        instants.insert(from + Time{static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(length.ps))});
    return {instants.begin(), instants.end()};
}

struct Compared {
    std::size_t stopped = 0, different = 0;
    std::array<std::size_t, kCutStates> with{};  // instants with such a message
    CutRow found, expected;                      // of the first that differs
};

Compared compared(const RunConfig& config) {
    const std::vector<CutRow> rows = rows_of(config);
    REQUIRE(rows.size() >= 20);
    const std::vector<Time> instants = instants_of(rows, verbs_of(config, 1).card.clock.period());
    const auto all = in_child([&] {
        RunRequest request(config);
        request.cut.at = instants;
        Compared result;
        for (const CutFinding& finding : simulate(request).cuts.stopped) {
            const auto behind = std::ranges::lower_bound(rows, finding.row.time, {}, &CutRow::time);
            const CutRow expected = behind == rows.begin() ? CutRow{} : *(behind - 1);
            ++result.stopped;
            for (std::size_t i = 0; i < kCutStates; ++i) result.with.at(i) += finding.row.messages.at(i) != 0 ? 1 : 0;
            if (finding.row.is_like(expected)) continue;
            if (++result.different > 1) continue;
            result.found = finding.row;
            result.expected = expected;
        }
        return result;
    });
    REQUIRE(all);
    CHECK(all->stopped == instants.size());
    return *all;
}

std::string text(const CutRow& row) {
    std::string all;
    for (const std::uint64_t n : {row.iio_bytes, row.llc_bytes, row.imc_bytes}) all += std::to_string(n) + ' ';
    for (const std::uint64_t n : row.messages) all += std::to_string(n) + ' ';
    return std::to_string(row.time.ps) + " ps: " + all;
}

/// `seen`: states that some instants have to show, or the comparison says nothing.
void check(const std::string& item, const Change& change, const std::vector<CutState>& seen) {
    const Compared all = compared(small_run(item, change));
    INFO(item << ": found " << text(all.found) << "expected " << text(all.expected));
    CHECK(all.different == 0);
    for (const CutState state : seen) {
        INFO(kCutStateNames.at(static_cast<std::size_t>(state)));
        CHECK(all.with.at(static_cast<std::size_t>(state)) > 0);
    }
}

PersistenceConfig& path_of(VerbsEndConfig& end) { return *end.host.persistence; }

constexpr CutState kUnproven = CutState::unproven, kVulnerable = CutState::vulnerable, kTorn = CutState::torn,
                   kFalse = CutState::false_persistence;

TEST_CASE("oracle: fig2, an IIO that passes data on, and one that waits to be pushed") {
    check("scheme: fig2, depth: 2, size: 1000 B", [](VerbsEndConfig& end) { path_of(end).ddio = false; },
          {kUnproven, kTorn});
    check("scheme: fig2, depth: 3, size: 200 B",
          [](VerbsEndConfig& end) {
              path_of(end).ddio = false;
              path_of(end).iio.until_pushed = true;
          },
          {kUnproven, kVulnerable});
}

TEST_CASE("oracle: fig3, flushed by the processor from the LLC; all domains") {
    check("scheme: fig3, depth: 3, size: 1000 B", [](VerbsEndConfig&) {}, {kUnproven, kVulnerable, kTorn});
    check("scheme: fig3, depth: 1, size: 64 B", [](VerbsEndConfig& end) { path_of(end).domain = Domain::wsp; },
          {kUnproven});
}

TEST_CASE("oracle: fig10, told too much with DDIO; a domain that ends before the iMC") {
    check("scheme: fig10, depth: 4, size: 200 B", [](VerbsEndConfig&) {}, {kVulnerable, kFalse});
    check("scheme: fig10, depth: 2, size: 1000 B, acks: 2",
          [](VerbsEndConfig& end) {
              path_of(end).ddio = false;
              path_of(end).domain = Domain::none;
              path_of(end).iio.hold = kMicrosecond;
          },
          {kTorn});
}

TEST_CASE("oracle: apm, the LLC in the domain; an LLC that is not, behind a slow IIO") {
    check("scheme: apm, depth: 2, size: 1000 B", [](VerbsEndConfig& end) { path_of(end).domain = Domain::eadr; },
          {kTorn});
    check("scheme: apm, depth: 1, size: 64 B", [](VerbsEndConfig& end) { path_of(end).iio.hold = kMicrosecond * 2; },
          {kFalse});
}

TEST_CASE("oracle: flush, past the LLC by no snoop") {
    check("scheme: flush, depth: 4, size: 1000 B",
          [](VerbsEndConfig& end) {
              path_of(end).no_snoop_write = true;
              end.card.transport.persist.data_no_snoop = true;
          },
          {kTorn});
}

TEST_CASE("oracle: gpspm, an LLC of few lines that are evicted at random") {
    check("scheme: gpspm, depth: 3, size: 1000 B",
          [](VerbsEndConfig& end) {
              path_of(end).llc.capacity = 640;
              path_of(end).llc.evict = Eviction::random;
          },
          {kTorn});
}

TEST_CASE("oracle: an ACK taken for durable, and eADR, which does not save the IIO") {
    check("scheme: ack, depth: 2, size: 200 B",
          [](VerbsEndConfig& end) {
              path_of(end).domain = Domain::eadr;
              path_of(end).iio.hold = kMicrosecond * 10;
          },
          {kFalse});
}

}  // namespace
}  // namespace rnicsim
