// SPDX-License-Identifier: Apache-2.0
// Histories of line writes, write-backs and tellings, drawn at random.
#pragma once

#include "testbench/tests/cuts/cut_history.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <variant>
#include <vector>

namespace rnicsim {

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

inline constexpr std::int64_t kLatest = 60;  // ps; so close that much falls together

struct History {
    std::vector<CutEntry> entries;
    Time end;
};

inline std::uint64_t random_mask(Dice& dice) {
    switch (dice.between(0, 5)) {
        case 0: return 0xffff'ffff;
        case 1: return 0xffff'ffff'0000'0000;
        case 2: return dice.bits() | 1;
        case 3: return 1;
        default: return kWholeLine;
    }
}

/// From where it enters the LLC, or passes it; some never get on.
inline void add_way(LineWrite& w, Dice& dice) {
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
inline void put_behind(std::vector<CutEntry>& entries, std::size_t from, const CutEntry& entry, Dice& dice) {
    const auto at = dice.between(static_cast<std::int64_t>(from), static_cast<std::int64_t>(entries.size()));
    entries.insert(entries.begin() + at, entry);
}

inline std::size_t place_of(const std::vector<CutEntry>& entries, std::uint64_t number) {
    const auto at = std::ranges::find_if(entries, [number](const CutEntry& entry) {
        const auto* const w = std::get_if<CutRecords::Write>(&entry);
        return w != nullptr && w->write.number == number;
    });
    return static_cast<std::size_t>(at - entries.begin());
}

inline std::size_t place_of_message(const std::vector<CutEntry>& entries, std::uint64_t id) {
    const auto at = std::ranges::find_if(entries, [id](const CutEntry& entry) {
        const auto* const m = std::get_if<PersistMessage>(&entry);
        return m != nullptr && m->id == id;
    });
    return static_cast<std::size_t>(at - entries.begin());
}

/// `posted`: of each write. Some never leave the IIO.
inline std::vector<LineWrite> random_writes(const std::vector<Time>& posted, Dice& dice) {
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
inline void add_write_backs(std::vector<CutEntry>& entries, const std::vector<LineWrite>& writes, Dice& dice) {
    for (const LineWrite& w : writes) {
        if (w.llc == kEndOfTime || w.adr != kEndOfTime || dice.percent(20)) continue;
        LineWriteBack back{.number = w.number, .adr = Time{w.llc.ps + dice.between(0, 25)}};
        if (dice.percent(85)) back.scm_done = Time{back.adr.ps + dice.between(0, 9)};
        put_behind(entries, place_of(entries, w.number) + 1, back, dice);
    }
}

inline void add_tellings(std::vector<CutEntry>& entries, const std::vector<PersistMessage>& messages, Dice& dice) {
    for (const PersistMessage& m : messages) {
        for (const bool persisted : {false, true}) {
            for (int left = dice.percent(10) ? 2 : 1; left > 0 && !dice.percent(20); --left) {
                const Time at{dice.between(0, kLatest)};
                put_behind(entries, place_of_message(entries, m.id) + 1, Told{m.id, persisted, at}, dice);
            }
        }
    }
}

inline History random_history(std::uint64_t seed) {
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

}  // namespace rnicsim
