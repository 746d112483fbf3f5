// SPDX-License-Identifier: Apache-2.0
// Messages whose lines nobody else writes are followed as a whole: what is said of a run is the same.
#include "testbench/tests/cuts/random_history.h"

#include <catch2/catch_test_macros.hpp>

#include <bit>
#include <map>
#include <variant>
#include <vector>

namespace rnicsim {
namespace {

/// Which lines each message has; some of them get lines that no other one has.
void give_lines(std::vector<CutEntry>& history, Dice& dice) {
    std::map<std::uint64_t, LineRange> lines;
    std::map<std::uint64_t, bool> moved;
    for (CutEntry& entry : history) {
        auto* const w = std::get_if<CutRecords::Write>(&entry);
        if (w == nullptr) continue;
        if (!moved.contains(w->message)) moved[w->message] = w->message != 0 && dice.percent(70);
        if (moved[w->message]) w->write.line += 8 * w->message;
        const auto [range, is_new] = lines.try_emplace(w->message, LineRange{w->write.line, w->write.line});
        range->second.first = std::min(range->second.first, w->write.line);
        range->second.last = std::max(range->second.last, w->write.line);
    }
    for (CutEntry& entry : history) {
        auto* const m = std::get_if<PersistMessage>(&entry);
        if (m != nullptr && lines.contains(m->id) && dice.percent(90)) m->lines = lines[m->id];
    }
}

TEST_CASE("random histories: a message that is alone is folded to the same report") {
    for (const Domain domain : {Domain::none, Domain::adr, Domain::eadr, Domain::wsp}) {
        for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
            CAPTURE(seed, static_cast<int>(domain));
            History history = random_history(seed);
            Dice dice(seed);
            give_lines(history.entries, dice);
            const CutReport each = fold(domain, history.entries, history.end).report;
            PowerCutLedger quiet(domain);  // nobody hears the rows, so that it need not follow each line
            const CutReport whole =
                fold_into(quiet, history.entries, history.end, [&dice] { return dice.percent(70); });
            CHECK(whole.first == each.first);
            CHECK(whole.end == each.end);
            for (std::size_t i = 0; i < kCutStates; ++i) {
                CAPTURE(kCutStateNames.at(i));
                CHECK(whole.totals.at(i).time == each.totals.at(i).time);
                CHECK(whole.totals.at(i).of_messages == each.totals.at(i).of_messages);
                CHECK(whole.totals.at(i).at_once == each.totals.at(i).at_once);
                CHECK(whole.totals.at(i).messages == each.totals.at(i).messages);
            }
            REQUIRE(whole.false_example.has_value() == each.false_example.has_value());
            if (!each.false_example) continue;
            CHECK(whole.false_example->at == each.false_example->at);
            CHECK(whole.false_example->message == each.false_example->message);
            CHECK(whole.false_example->line == each.false_example->line);
            CHECK(whole.false_example->stage == each.false_example->stage);
            CHECK(whole.false_example->overwritten == each.false_example->overwritten);
        }
    }
}

LineWrite lone_line(std::uint64_t number, std::uint64_t line, std::int64_t at) {
    LineWrite w;
    w.number = number;
    w.line = line;
    w.mask = kWholeLine;
    w.scm = true;
    w.posted = Time{at};
    w.iio = w.adr = Time{at + 10};
    w.scm_done = Time{at + 20};
    return w;
}

TEST_CASE("a message that is alone has three events, however many lines; another one's write ends that") {
    PowerCutLedger ledger(Domain::adr);
    constexpr std::uint64_t kLines = 100;
    ledger.message_posted({.id = 1, .connection = 1, .order = 1, .bytes = kLines * 64, .lines = LineRange{1, kLines}});
    for (std::uint64_t n = 1; n <= kLines; ++n) ledger.line_written(lone_line(n, n, static_cast<std::int64_t>(n)), 1);
    CHECK(ledger.live_records() == 2 + kLines + 3);  // 2: itself, and its place on the connection
    ledger.advance(Time{50});
    CHECK(ledger.live_records() == 2 + kLines + 1);
    ledger.line_written(lone_line(kLines + 1, 7, 60), 0);
    // Of 40 lines all is over; of 60 the line, the write and its entry into the iMC, of 51 into the IIO as well.
    CHECK(ledger.live_records() > 1 + 3 * 60 + 51);
    ledger.told_persisted(1, Time{105});
    const CutReport report = ledger.finish(Time{1000});
    CHECK(report.first == Time{1});
    CHECK(report.of(CutState::torn).time == Time{110 - 11});
    CHECK(report.of(CutState::false_persistence).time == Time{110 - 105});
    CHECK(report.false_example->line == 96);
}

}  // namespace
}  // namespace rnicsim
