// SPDX-License-Identifier: Apache-2.0
// What a ledger is told in a test, in the order of booking; and what it makes of it.
#pragma once

#include "testbench/workloads/persistence/cut_snapshot.h"
#include "testbench/workloads/persistence/power_cut_ledger.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

namespace rnicsim {

inline constexpr std::uint64_t kWholeLine = ~std::uint64_t{0};

struct Told {
    std::uint64_t message = 0;
    bool persisted = false;
    Time at;
};
using CutEntry = std::variant<PersistMessage, CutRecords::Write, LineWriteBack, Told>;

/// The earliest time that an entry reports; kEndOfTime: none.
inline Time earliest(const CutEntry& entry) {
    struct Of {
        Time operator()(const PersistMessage& /*message*/) const { return kEndOfTime; }
        Time operator()(const CutRecords::Write& w) const { return w.write.posted; }
        Time operator()(const LineWriteBack& back) const { return back.adr; }
        Time operator()(const Told& told) const { return told.at; }
    };
    return std::visit(Of{}, entry);
}

inline void report(PowerCutLedger& to, const CutEntry& entry) {
    struct To {
        PowerCutLedger& ledger;
        void operator()(const PersistMessage& m) const { ledger.message_posted(m); }
        void operator()(const CutRecords::Write& w) const { ledger.line_written(w.write, w.message); }
        void operator()(const LineWriteBack& back) const { ledger.line_written_back(back); }
        void operator()(const Told& t) const {
            t.persisted ? ledger.told_persisted(t.message, t.at) : ledger.told_written(t.message, t.at);
        }
    };
    std::visit(To{to}, entry);
}

inline CutRecords records_of(const std::vector<CutEntry>& history) {
    CutRecords records;
    for (const CutEntry& entry : history) {
        if (const auto* const m = std::get_if<PersistMessage>(&entry)) {
            records.messages.push_back({m->id, m->connection, m->order, m->bytes});
        } else if (const auto* const t = std::get_if<Told>(&entry)) {
            CutRecords::Message& of = *std::ranges::find(records.messages, t->message, &CutRecords::Message::id);
            Time& told = t->persisted ? of.told_persisted : of.told_written;
            told = std::min(told, t->at);
        } else if (const auto* const w = std::get_if<CutRecords::Write>(&entry)) {
            records.lines.emplace_back(*w);
        } else {
            records.lines.emplace_back(std::get<LineWriteBack>(entry));
        }
    }
    return records;
}

/// A ledger's rows, and what it says of each message.
struct CutFold final : CutObserver {
    std::vector<CutRow> rows;
    std::vector<CutMessage> messages;
    CutReport report;

    void row(const CutRow& row) override { rows.push_back(row); }
    void message(const CutMessage& message) override { messages.push_back(message); }

    /// What a cut at this time finds.
    [[nodiscard]] CutRow at(Time time) const {
        CutRow found;
        for (const CutRow& row : rows) {
            if (row.time < time) found = row;
        }
        return found;
    }
    [[nodiscard]] std::uint64_t at(Time time, CutState state) const { return at(time).of(state); }
    [[nodiscard]] CutMessage of(std::uint64_t id) const {
        const auto found = std::ranges::find(messages, id, &CutMessage::id);
        return found == messages.end() ? CutMessage{} : *found;
    }
};

/// When another version comes into the LLC's copy that is written back; kEndOfTime: none does, or it is none.
inline Time joined_at(const CutEntry& entry, const std::vector<CutEntry>& history) {
    const auto* const back = std::get_if<LineWriteBack>(&entry);
    if (back == nullptr) return kEndOfTime;
    const LineWrite* of = nullptr;
    for (const CutEntry& other : history) {
        const auto* const w = std::get_if<CutRecords::Write>(&other);
        if (w != nullptr && w->write.number == back->number) of = &w->write;
    }
    Time first = kEndOfTime;
    for (const CutEntry& other : history) {
        const auto* const w = std::get_if<CutRecords::Write>(&other);
        if (of == nullptr || w == nullptr || &w->write == of || w->write.line != of->line) continue;
        if (w->write.llc != kEndOfTime && w->write.llc >= of->llc) first = std::min(first, w->write.llc);
    }
    return first;
}

/// `advances`: after each entry the ledger is told how far time has passed for sure, if it says yes.
inline CutReport fold_into(PowerCutLedger& ledger, const std::vector<CutEntry>& history, Time end,
                           const std::function<bool()>& advances) {
    std::vector<Time> promise(history.size() + 1, end);
    for (std::size_t i = history.size(); i-- > 0;)
        promise[i] = std::min({promise[i + 1], earliest(history[i]), joined_at(history[i], history)});
    for (std::size_t i = 0; i < history.size(); ++i) {
        report(ledger, history[i]);
        if (advances()) ledger.advance(promise[i + 1]);
    }
    return ledger.finish(end);
}

inline CutFold fold(
    Domain domain, const std::vector<CutEntry>& history, Time end,
    const std::function<bool()>& advances = [] { return true; }) {
    CutFold result;
    PowerCutLedger ledger(domain, &result);
    result.report = fold_into(ledger, history, end, advances);
    return result;
}

}  // namespace rnicsim
