// The fold of random histories beside a replay that knows nothing of it, at every picosecond.
#include "testbench/tests/cuts/cut_history.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <bit>
#include <optional>
#include <random>

namespace rnicsim {
namespace {

class Dice {
  public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    std::int64_t between(std::int64_t low, std::int64_t high) {  // both included
        return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool percent(std::int64_t share) { return between(1, 100) <= share; }
    std::uint64_t bits() { return engine_(); }

  private:
    std::mt19937_64 engine_;
};

constexpr std::int64_t kLatest = 60;  // ps; so close that much falls together

struct History {
    std::vector<CutEntry> entries;
    Time end;
};

std::uint64_t random_mask(Dice& dice) {
    switch (dice.between(0, 5)) {
        case 0: return 0xffff'ffff;
        case 1: return 0xffff'ffff'0000'0000;
        case 2: return dice.bits() | 1;
        case 3: return 1;
        default: return kWholeLine;
    }
}

/// From where it enters the LLC, or passes it; some never get on.
void add_way(LineWrite& w, Dice& dice) {
    w.iio = Time{w.posted.ps + dice.between(0, 12)};
    if (dice.percent(45)) {
        w.llc = Time{w.iio.ps + dice.between(0, 3)};
        if (dice.percent(15)) w.adr = Time{w.llc.ps + dice.between(0, 9)};
    } else {
        w.adr = Time{w.iio.ps + dice.between(0, 3)};
    }
    if (w.adr != kEndOfTime && dice.percent(85)) w.scm_done = Time{w.adr.ps + dice.between(0, 9)};
}

/// Behind the entries so far, at a random place behind `from`.
void put_behind(std::vector<CutEntry>& entries, std::size_t from, const CutEntry& entry, Dice& dice) {
    const auto at = dice.between(static_cast<std::int64_t>(from), static_cast<std::int64_t>(entries.size()));
    entries.insert(entries.begin() + at, entry);
}

std::size_t place_of(const std::vector<CutEntry>& entries, std::uint64_t number) {
    const auto at = std::ranges::find_if(entries, [number](const CutEntry& entry) {
        const auto* const w = std::get_if<CutRecords::Write>(&entry);
        return w != nullptr && w->write.number == number;
    });
    return static_cast<std::size_t>(at - entries.begin());
}

std::size_t place_of_message(const std::vector<CutEntry>& entries, std::uint64_t id) {
    const auto at = std::ranges::find_if(entries, [id](const CutEntry& entry) {
        const auto* const m = std::get_if<PersistMessage>(&entry);
        return m != nullptr && m->id == id;
    });
    return static_cast<std::size_t>(at - entries.begin());
}

/// `posted`: of each write. Some never leave the IIO.
std::vector<LineWrite> random_writes(const std::vector<Time>& posted, Dice& dice) {
    std::vector<LineWrite> all;
    const std::int64_t lines = dice.between(1, 4);
    for (const Time at : posted) {
        LineWrite& w = all.emplace_back();
        w.number = all.size();
        w.line = static_cast<std::uint64_t>(dice.between(1, lines));
        w.mask = random_mask(dice);
        w.posted = at;
        if (dice.percent(94)) add_way(w, dice);
    }
    return all;
}

/// Late ones carry what is older than what lies there.
void add_write_backs(std::vector<CutEntry>& entries, const std::vector<LineWrite>& writes, Dice& dice) {
    for (const LineWrite& w : writes) {
        if (w.llc == kEndOfTime || w.adr != kEndOfTime || dice.percent(20)) continue;
        LineWriteBack back{.number = w.number, .adr = Time{w.llc.ps + dice.between(0, 25)}};
        if (dice.percent(85)) back.scm_done = Time{back.adr.ps + dice.between(0, 9)};
        put_behind(entries, place_of(entries, w.number) + 1, back, dice);
    }
}

void add_tellings(std::vector<CutEntry>& entries, const std::vector<PersistMessage>& messages, Dice& dice) {
    for (const PersistMessage& m : messages) {
        for (const bool persisted : {false, true}) {
            for (int left = dice.percent(10) ? 2 : 1; left > 0 && !dice.percent(20); --left) {
                const Time at{dice.between(0, kLatest)};
                put_behind(entries, place_of_message(entries, m.id) + 1, Told{m.id, persisted, at}, dice);
            }
        }
    }
}

History random_history(std::uint64_t seed) {
    Dice dice(seed);
    History history;
    std::vector<CutEntry>& entries = history.entries;
    std::vector<PersistMessage> messages(static_cast<std::size_t>(dice.between(1, 7)));
    std::array<std::uint64_t, 2> orders{};
    std::vector<std::uint64_t> owners;  // of each write its message, or 0
    for (PersistMessage& m : messages) {
        m.id = static_cast<std::uint64_t>(&m - messages.data()) + 1;
        m.connection = static_cast<std::uint64_t>(dice.between(0, 1));
        m.order = ++orders.at(m.connection);
        for (std::int64_t n = dice.between(1, 3); n > 0; --n) owners.push_back(dice.percent(8) ? 0 : m.id);
    }
    for (std::size_t i = 1; i < owners.size(); ++i) {  // writes of neighbouring messages mix
        if (dice.percent(30)) std::swap(owners[i], owners[i - 1]);
    }
    // What is held is told of late; then numbers have to follow the times at which lines are posted.
    const bool some_late = dice.percent(50);
    std::vector<Time> posted;
    for (std::size_t i = 0; i < owners.size(); ++i) posted.push_back(Time{dice.between(0, kLatest - 30)});
    if (some_late) std::ranges::sort(posted);
    const std::vector<LineWrite> writes = random_writes(posted, dice);

    for (PersistMessage& m : messages) {
        for (const LineWrite& w : writes) {
            if (owners[w.number - 1] == m.id) m.bytes += static_cast<std::uint64_t>(std::popcount(w.mask));
        }
        if (m.bytes == 0 || dice.percent(8)) ++m.bytes;  // the last of it never comes
        entries.emplace_back(m);
    }
    std::vector<CutEntry> late;
    for (const LineWrite& w : writes)
        (some_late && dice.percent(25) ? late : entries).emplace_back(CutRecords::Write{w, owners[w.number - 1]});
    for (const CutEntry& write : late) put_behind(entries, messages.size(), write, dice);
    add_write_backs(entries, writes, dice);
    add_tellings(entries, messages, dice);
    history.end = Time{dice.between(kLatest - 15, kLatest + 10)};
    return history;
}

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
        for (const std::uint64_t number : found.lost_writes) {
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
