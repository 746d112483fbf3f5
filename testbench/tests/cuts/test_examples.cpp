// SPDX-License-Identifier: Apache-2.0
// What each column of cuts.csv means, by the shortest run that shows it.
#include "testbench/tests/cuts/cut_history.h"

#include "testbench/workloads/persistence/cuts_csv.h"

#include <catch2/catch_test_macros.hpp>

#include <stdexcept>
#include <string>

namespace rnicsim {
namespace {

using Domain = Domain;

PersistMessage message_of(std::uint64_t id, std::uint64_t lines) {
    return {.id = id, .connection = 1, .order = id, .bytes = 64 * lines};
}

/// Past the LLC: 10 ps in the IIO, 20 in the iMC.
LineWrite past_llc(std::uint64_t number, std::uint64_t line, std::int64_t posted) {
    return {.number = number,
            .line = line,
            .mask = kWholeLine,
            .posted = Time{posted},
            .iio = Time{posted + 10},
            .adr = Time{posted + 10},
            .scm_done = Time{posted + 30}};
}

/// 10 ps in the IIO, then in the LLC until it is written back.
LineWrite into_llc(std::uint64_t number, std::uint64_t line, std::int64_t posted) {
    return {.number = number,
            .line = line,
            .mask = kWholeLine,
            .posted = Time{posted},
            .iio = Time{posted + 10},
            .llc = Time{posted + 10}};
}

Told written(std::uint64_t message, std::int64_t at) { return {message, false, Time{at}}; }
Told persisted(std::uint64_t message, std::int64_t at) { return {message, true, Time{at}}; }

/// Nothing at `from`, where it happens; n behind that, until `to` and at it; and nothing behind `to`.
void lasts(const CutFold& fold, CutState state, std::int64_t from, std::int64_t to, std::uint64_t n = 1) {
    CAPTURE(kCutStateNames.at(static_cast<std::size_t>(state)));
    CHECK(fold.at(Time{from}, state) == 0);
    CHECK(fold.at(Time{from + 1}, state) == n);
    CHECK(fold.at(Time{to}, state) == n);
    CHECK(fold.at(Time{to + 1}, state) == 0);
    CHECK(fold.report.of(state).time == Time{to - from});
    CHECK(fold.report.of(state).of_messages == Time{to - from} * static_cast<std::int64_t>(n));
    CHECK(fold.report.of(state).at_once == n);
}

TEST_CASE("bytes are lost in the stages outside the domain, as long as they are there") {
    const std::vector<CutEntry> direct{message_of(1, 1), CutRecords::Write{past_llc(1, 7, 100), 1}};
    const auto of = [&](Domain domain, std::int64_t at) { return fold(domain, direct, Time{500}).at(Time{at}); };
    // A cut at an entry's very time comes before it.
    CHECK(of(Domain::adr, 100).iio_bytes == 0);
    CHECK(of(Domain::adr, 101).iio_bytes == 64);
    CHECK(of(Domain::adr, 110).iio_bytes == 64);
    CHECK(of(Domain::adr, 111).iio_bytes == 0);
    CHECK(of(Domain::adr, 111).imc_bytes == 0);
    CHECK(of(Domain::none, 111).imc_bytes == 64);
    CHECK(of(Domain::none, 130).imc_bytes == 64);
    CHECK(of(Domain::none, 131).imc_bytes == 0);
    CHECK(of(Domain::wsp, 105).iio_bytes == 0);

    const std::vector<CutEntry> cached{message_of(1, 1), CutRecords::Write{into_llc(1, 7, 100), 1},
                                       LineWriteBack{1, Time{300}, Time{320}}};
    CHECK(fold(Domain::adr, cached, Time{500}).at(Time{110}).llc_bytes == 0);
    CHECK(fold(Domain::adr, cached, Time{500}).at(Time{111}).llc_bytes == 64);
    CHECK(fold(Domain::adr, cached, Time{500}).at(Time{300}).llc_bytes == 64);
    CHECK(fold(Domain::adr, cached, Time{500}).at(Time{301}).llc_bytes == 0);
    CHECK(fold(Domain::eadr, cached, Time{500}).at(Time{200}).llc_bytes == 0);
    CHECK(fold(Domain::eadr, cached, Time{500}).at(Time{105}).iio_bytes == 64);
}

TEST_CASE("a line that is written again in the LLC has 64 bytes to lose, not 128") {
    const CutFold folded = fold(Domain::adr,
                                {message_of(1, 1), message_of(2, 1), CutRecords::Write{into_llc(1, 7, 100), 1},
                                 CutRecords::Write{into_llc(2, 7, 200), 2}},
                                Time{500});
    CHECK(folded.at(Time{150}).llc_bytes == 64);
    CHECK(folded.at(Time{250}).llc_bytes == 64);
    CHECK(folded.at(Time{205}).iio_bytes == 64);
}

TEST_CASE("vulnerable: told that it is written before it is safe") {
    const CutFold folded = fold(
        Domain::adr,
        {message_of(1, 1), CutRecords::Write{into_llc(1, 7, 100), 1}, written(1, 150), LineWriteBack{1, Time{300}}},
        Time{1100});
    lasts(folded, CutState::vulnerable, 150, 300);
    CHECK(folded.report.first == Time{100});
    CHECK(folded.report.share(CutState::vulnerable) == 0.15);  // of 100 to 1100 ps
    CHECK(folded.report.of(CutState::vulnerable).messages == 1);
    CHECK(folded.report.of(CutState::false_persistence).messages == 0);
    const CutMessage told = folded.of(1);
    CHECK(told.first == Time{100});
    CHECK(told.safe == Time{300});
    CHECK(told.told_written == Time{150});
    CHECK(told.told_persisted == kEndOfTime);
}

TEST_CASE("unproven: between the two tellings, safe or not") {
    const CutFold folded = fold(
        Domain::adr, {message_of(1, 1), CutRecords::Write{past_llc(1, 7, 100), 1}, written(1, 150), persisted(1, 400)},
        Time{500});
    lasts(folded, CutState::unproven, 150, 400);
    CHECK(folded.report.of(CutState::vulnerable).messages == 0);
    CHECK(folded.report.of(CutState::false_persistence).messages == 0);
}

TEST_CASE("torn: some line writes are safe, and not all") {
    const CutFold folded =
        fold(Domain::adr,
             {message_of(1, 2), CutRecords::Write{past_llc(1, 7, 100), 1}, CutRecords::Write{past_llc(2, 8, 170), 1}},
             Time{500});
    lasts(folded, CutState::torn, 110, 180);  // also as long as the second one has not come
}

TEST_CASE("false persistence: told that it is persistent, and it is in the LLC") {
    const CutFold folded =
        fold(Domain::adr,
             {message_of(1, 2), CutRecords::Write{past_llc(1, 7, 100), 1}, CutRecords::Write{into_llc(2, 8, 120), 1},
              persisted(1, 200), LineWriteBack{2, Time{350}}},
             Time{500});
    lasts(folded, CutState::false_persistence, 200, 350);
    CHECK(folded.report.of(CutState::false_persistence).messages == 1);
    REQUIRE(folded.report.false_example);
    CHECK(folded.report.false_example->at == Time{200});
    CHECK(folded.report.false_example->message == 1);
    CHECK(folded.report.false_example->line == 8);
    CHECK(folded.report.false_example->stage == WriteStage::llc);
    CHECK(!folded.report.false_example->overwritten);
    // With the LLC in the domain nothing is wrong.
    const CutFold eadr =
        fold(Domain::eadr, {message_of(1, 1), CutRecords::Write{into_llc(1, 8, 120), 1}, persisted(1, 200)}, Time{500});
    CHECK(eadr.report.of(CutState::false_persistence).messages == 0);
    CHECK(!eadr.report.false_example);
}

TEST_CASE("false persistence of what has not even come has no line") {
    const CutFold folded =
        fold(Domain::adr, {message_of(1, 2), CutRecords::Write{past_llc(1, 7, 100), 1}, persisted(1, 200)}, Time{500});
    REQUIRE(folded.report.false_example);
    CHECK(!folded.report.false_example->line);
    CHECK(folded.report.false_example->stage == WriteStage::nowhere);
    CHECK(folded.report.of(CutState::false_persistence).time == Time{300});
}

TEST_CASE("inversion: a later message of the connection is safe before an earlier one") {
    const std::vector<CutEntry> same{message_of(1, 1),
                                     message_of(2, 1),
                                     message_of(3, 1),
                                     CutRecords::Write{into_llc(1, 7, 100), 1},
                                     CutRecords::Write{past_llc(2, 8, 120), 2},
                                     CutRecords::Write{past_llc(3, 9, 120), 3},
                                     LineWriteBack{1, Time{200}}};
    lasts(fold(Domain::adr, same, Time{500}), CutState::inverted, 130, 200, 2);
    std::vector<CutEntry> other = same;
    std::get<PersistMessage>(other[0]).connection = 2;
    CHECK(fold(Domain::adr, other, Time{500}).report.of(CutState::inverted).time == Time{0});
}

TEST_CASE("n11: an older version that is evicted late lies over the newer one") {
    // The first write is in the LLC when the second one goes past it; both lines are the same.
    for (const Domain domain : {Domain::none, Domain::adr, Domain::eadr, Domain::wsp}) {
        CAPTURE(static_cast<int>(domain));
        const CutFold folded =
            fold(domain,
                 {message_of(1, 1), message_of(2, 1), CutRecords::Write{into_llc(1, 7, 100), 1},
                  CutRecords::Write{past_llc(2, 7, 200), 2}, persisted(2, 250), LineWriteBack{1, Time{300}, Time{300}}},
                 Time{500});
        CHECK(folded.at(Time{300}, CutState::false_persistence) == 0);
        CHECK(folded.at(Time{301}, CutState::false_persistence) == 1);
        CHECK(folded.at(Time{500}, CutState::false_persistence) == 1);
        REQUIRE(folded.report.false_example);
        CHECK(folded.report.false_example->at == Time{300});
        CHECK(folded.report.false_example->message == 2);
        CHECK(folded.report.false_example->line == 7);
        CHECK(folded.report.false_example->overwritten);
        CHECK(folded.of(2).safe == kEndOfTime);
    }
}

TEST_CASE("a write-back goes beneath what the LLC has in the meantime") {
    // Evicted, the old copy is on its way to the iMC when the line comes into the LLC again.
    const CutFold folded =
        fold(Domain::eadr,
             {message_of(1, 1), message_of(2, 1), CutRecords::Write{into_llc(1, 7, 100), 1},
              CutRecords::Write{into_llc(2, 7, 200), 2}, persisted(2, 230), LineWriteBack{1, Time{250}}},
             Time{500});
    CHECK(folded.report.of(CutState::false_persistence).messages == 0);
    CHECK(folded.of(2).safe == Time{210});
}

TEST_CASE("a part of a line lies upon what is there, and a copy takes its older parts along") {
    LineWrite low = into_llc(1, 7, 100), high = into_llc(2, 7, 200);
    low.mask = 0xffff'ffff;
    high.mask = ~low.mask;
    const std::vector<CutEntry> history{PersistMessage{1, 1, 1, 32}, PersistMessage{2, 1, 2, 32},
                                        CutRecords::Write{low, 1}, CutRecords::Write{high, 2}};
    CHECK(fold(Domain::adr, history, Time{500}).at(Time{250}).llc_bytes == 64);
    std::vector<CutEntry> newer = history, older = history;
    newer.emplace_back(LineWriteBack{2, Time{300}});
    older.emplace_back(LineWriteBack{1, Time{300}});
    CHECK(fold(Domain::adr, newer, Time{500}).of(1).safe == Time{300});
    CHECK(fold(Domain::adr, newer, Time{500}).of(2).safe == Time{300});
    CHECK(fold(Domain::adr, older, Time{500}).of(1).safe == Time{300});
    CHECK(fold(Domain::adr, older, Time{500}).of(2).safe == kEndOfTime);
}

TEST_CASE("a write of which nobody is told is never vulnerable, unproven or false") {
    const CutFold folded = fold(Domain::adr, {message_of(1, 1), CutRecords::Write{into_llc(1, 7, 100), 1}}, Time{500});
    CHECK(folded.at(Time{500}).llc_bytes == 64);
    for (const CutState state : {CutState::vulnerable, CutState::unproven, CutState::false_persistence})
        CHECK(folded.report.of(state).time == Time{0});
    CHECK(folded.of(1).safe == kEndOfTime);
}

TEST_CASE("what the IIO holds until it is pushed is told of late, behind newer writes") {
    // The newer write, of another traffic class, goes past the older one that is held, which then overwrites it.
    LineWrite held = past_llc(1, 7, 100);
    held.iio = held.adr = Time{300};
    held.scm_done = Time{320};
    const CutFold folded = fold(Domain::adr,
                                {message_of(1, 1), message_of(2, 1), CutRecords::Write{past_llc(2, 7, 200), 2},
                                 persisted(2, 250), CutRecords::Write{held, 1}},
                                Time{500});
    CHECK(folded.at(Time{210}).iio_bytes == 128);
    CHECK(folded.at(Time{211}).iio_bytes == 0);  // the older one is no loss: what lies there is newer
    CHECK(folded.of(1).safe == Time{210});
    CHECK(folded.at(Time{300}, CutState::false_persistence) == 0);
    CHECK(folded.at(Time{301}, CutState::false_persistence) == 1);
    LineWrite never = held;
    never.iio = never.adr = never.scm_done = kEndOfTime;
    CHECK(fold(Domain::adr, {message_of(1, 1), CutRecords::Write{never, 1}}, Time{500}).at(Time{500}).iio_bytes == 64);
}

TEST_CASE("what is due at the end of the run or later does not happen") {
    const std::vector<CutEntry> history{message_of(1, 1), CutRecords::Write{past_llc(1, 7, 100), 1}, written(1, 120)};
    CHECK(fold(Domain::adr, history, Time{110}).of(1).safe == kEndOfTime);
    CHECK(fold(Domain::adr, history, Time{111}).of(1).safe == Time{110});
    CHECK(fold(Domain::adr, history, Time{120}).of(1).told_written == kEndOfTime);
    CHECK(fold(Domain::adr, history, Time{150}).report.of(CutState::unproven).time == Time{30});
}

TEST_CASE("the snapshot has each byte that a cut leaves") {
    LineWrite whole = past_llc(1, 7, 100), part = past_llc(2, 7, 200);
    part.mask = 0b110;
    const CutRecords records = records_of(
        {message_of(1, 1), PersistMessage{2, 1, 2, 2}, CutRecords::Write{whole, 1}, CutRecords::Write{part, 2}});
    const auto bytes = [&](std::int64_t at) { return cut_at(Time{at}, Domain::adr, records).content.at(7); };
    CHECK(bytes(110).at(0) == 0);
    CHECK(bytes(111).at(0) == 1);
    CHECK(bytes(210).at(1) == 1);
    CHECK(bytes(211).at(0) == 1);
    CHECK(bytes(211).at(1) == 2);
    CHECK(bytes(211).at(2) == 2);
    CHECK(bytes(211).at(3) == 1);
}

TEST_CASE("cuts.csv has a row a change") {
    std::string text;
    CutsCsv csv([&](const std::string& line) { text += line; });
    PowerCutLedger ledger(Domain::adr, &csv);
    for (const CutEntry& entry :
         std::vector<CutEntry>{message_of(1, 2), CutRecords::Write{past_llc(1, 7, 100), 1},
                               CutRecords::Write{into_llc(2, 8, 100), 1}, written(1, 120), persisted(1, 150)})
        report(ledger, entry);
    ledger.finish(Time{1000});
    CHECK(text ==
          "time_ps,iio_bytes,llc_bytes,imc_bytes,vulnerable,unproven,torn,false,inverted\n"
          "100,128,0,0,0,0,0,0,0\n"
          "110,0,64,0,0,0,1,0,0\n"
          "120,0,64,0,1,1,1,0,0\n"
          "150,0,64,0,1,0,1,1,0\n");
}

}  // namespace
}  // namespace rnicsim
