// SPDX-License-Identifier: Apache-2.0
// The fold of random histories beside a replay that knows nothing of it, at every picosecond.
#include "testbench/tests/cuts/random_history.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace rnicsim {
namespace {

/// What the histories together have shown.
struct Shown {
    std::array<std::uint64_t, kCutStates> states{};
    std::uint64_t iio = 0, llc = 0, imc = 0, unsafe_again = 0;
};

void same_row(const CutRow& row, const CutSnapshot& found) {
    CHECK(row.iio_bytes == found.iio_bytes);
    CHECK(row.llc_bytes == found.llc_bytes);
    CHECK(row.imc_bytes == found.imc_bytes);
    CHECK(row.of(CutState::vulnerable) == found.vulnerable.size());
    CHECK(row.of(CutState::unproven) == found.unproven.size());
    CHECK(row.of(CutState::torn) == found.torn.size());
    CHECK(row.of(CutState::false_persistence) == found.false_persistence.size());
    CHECK(row.of(CutState::inverted) == found.inverted.size());
}

const CutRecords::Write& write_of(const CutRecords& records, std::uint64_t number) {
    const auto found = std::ranges::find_if(records.lines, [number](const auto& record) {
        const auto* const w = std::get_if<CutRecords::Write>(&record);
        return w != nullptr && w->write.number == number;
    });
    return std::get<CutRecords::Write>(*found);
}

/// Totals as their words say, from the snapshots alone.
struct Sums {
    std::array<CutReport::Total, kCutStates> totals{};
    std::array<std::vector<bool>, kCutStates> ever;
    std::optional<FalseExample> first_false;
    std::vector<Time> safe_since;
    std::vector<bool> was_safe;

    /// The lowest message, and of its writes that are lost the lowest.
    void note_false(Time at, const CutSnapshot& found, const CutRecords& records) {
        first_false.emplace();
        first_false->at = at - kPicosecond;
        first_false->message = found.false_persistence.front();
        for (const auto& [number, stage] : found.lost_writes) {
            const CutRecords::Write& of = write_of(records, number);
            if (of.message != first_false->message) continue;
            first_false->line = of.write.line;
            return;
        }
    }
    void add(Time at, const CutSnapshot& found, const CutRecords& records, Shown& shown) {
        const std::size_t messages = records.messages.size();
        const std::array<const std::vector<std::uint64_t>*, kCutStates> sets{
            &found.vulnerable, &found.unproven, &found.torn, &found.false_persistence, &found.inverted};
        for (std::size_t i = 0; i < kCutStates; ++i) {
            CutReport::Total& total = totals.at(i);
            ever.at(i).resize(messages + 1);
            const std::uint64_t n = sets.at(i)->size();
            total.time += Time{n > 0 ? 1 : 0};
            total.of_messages += Time{static_cast<std::int64_t>(n)};
            total.at_once = std::max(total.at_once, n);
            for (const std::uint64_t id : *sets.at(i)) ever.at(i)[id] = true;
            shown.states.at(i) += n;
        }
        if (!first_false && !found.false_persistence.empty()) note_false(at, found, records);
        safe_since.resize(messages + 1, kEndOfTime);
        was_safe.resize(messages + 1);
        for (std::uint64_t id = 1; id <= messages; ++id) {
            const bool is_safe = std::ranges::count(found.safe, id) != 0;
            if (is_safe && !was_safe[id]) safe_since[id] = at - kPicosecond;
            if (!is_safe) safe_since[id] = kEndOfTime;
            shown.unsafe_again += was_safe[id] && !is_safe ? 1 : 0;
            was_safe[id] = is_safe;
        }
    }
};

Time first_posted(const CutRecords& records, std::uint64_t message) {
    Time first = kEndOfTime;
    for (const auto& record : records.lines) {
        const auto* const w = std::get_if<CutRecords::Write>(&record);
        if (w != nullptr && w->message == message) first = std::min(first, w->write.posted);
    }
    return first;
}

void same_report(const CutFold& fold, const Sums& sums, const CutRecords& records, Time end) {
    for (std::size_t i = 0; i < kCutStates; ++i) {
        CAPTURE(kCutStateNames.at(i));
        const CutReport::Total &is = fold.report.totals.at(i), &as = sums.totals.at(i);
        CHECK(is.time == as.time);
        CHECK(is.of_messages == as.of_messages);
        CHECK(is.at_once == as.at_once);
        if (i == static_cast<std::size_t>(CutState::inverted)) continue;
        CHECK(is.messages == static_cast<std::uint64_t>(std::ranges::count(sums.ever.at(i), true)));
    }
    REQUIRE(fold.report.false_example.has_value() == sums.first_false.has_value());
    if (sums.first_false) {
        CHECK(fold.report.false_example->at == sums.first_false->at);
        CHECK(fold.report.false_example->message == sums.first_false->message);
        CHECK(fold.report.false_example->line == sums.first_false->line);
    }
    REQUIRE(fold.messages.size() == records.messages.size());
    for (const CutRecords::Message& m : records.messages) {
        CAPTURE(m.id);
        const CutMessage is = fold.of(m.id);
        const auto until_end = [end](Time at) { return at < end ? at : kEndOfTime; };
        CHECK(is.safe == sums.safe_since[m.id]);
        CHECK(is.first == until_end(first_posted(records, m.id)));
        CHECK(is.told_persisted == until_end(m.told_persisted));
        // Behind the other telling it says nothing new, and the message may be forgotten.
        if (m.told_written <= m.told_persisted) CHECK(is.told_written == until_end(m.told_written));
    }
}

void one_history(std::uint64_t seed, Domain domain, Shown& shown) {
    CAPTURE(seed, static_cast<int>(domain));
    const History history = random_history(seed);
    const CutRecords records = records_of(history.entries);
    Dice dice(seed);
    const CutFold folded = fold(domain, history.entries, history.end, [&dice] { return dice.percent(70); });
    Sums sums;
    for (Time at; at <= history.end; at += kPicosecond) {
        CAPTURE(at.ps);
        const CutSnapshot found = cut_at(at, domain, records);
        same_row(folded.at(at), found);
        sums.add(at, found, records, shown);
        shown.iio += found.iio_bytes;
        shown.llc += found.llc_bytes;
        shown.imc += found.imc_bytes;
    }
    for (std::size_t i = 1; i < folded.rows.size(); ++i) {
        CHECK(folded.rows[i - 1].time < folded.rows[i].time);
        CHECK(!folded.rows[i].is_like(folded.rows[i - 1]));
    }
    same_report(folded, sums, records, history.end);
}

TEST_CASE("random histories: the fold is what a replay finds at every picosecond") {
    constexpr std::uint64_t kHistories = 600;
    for (const Domain domain : {Domain::none, Domain::adr, Domain::eadr, Domain::wsp}) {
        Shown shown;
        for (std::uint64_t seed = 1; seed <= kHistories; ++seed) one_history(seed, domain, shown);
        // The histories have something to show.
        CAPTURE(static_cast<int>(domain));
        for (const std::uint64_t n : shown.states) CHECK(n > 1000);
        CHECK((shown.iio > 0) == !survives(WriteStage::iio, domain));
        CHECK((shown.llc > 0) == !survives(WriteStage::llc, domain));
        CHECK((shown.imc > 0) == !survives(WriteStage::imc, domain));
        CHECK(shown.unsafe_again > 10);
    }
}

}  // namespace
}  // namespace rnicsim
