// SPDX-License-Identifier: Apache-2.0
// How a ledger goes through what it has been told, in the order of time.
#include "testbench/workloads/persistence/cut_requirement.h"
#include "testbench/workloads/persistence/power_cut_ledger.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::size_t place(CutState state) { return static_cast<std::size_t>(state); }
constexpr std::uint8_t bit(CutState state) { return static_cast<std::uint8_t>(1U << place(state)); }

}  // namespace

void PowerCutLedger::advance(Time now) {
    require_of_cut(now >= now_, "time goes back from {} to {} ps", now_.ps, now.ps);
    now_ = now;
    while (!events_.empty() && events_.front().at < now) {
        const Time at = events_.front().at;
        if (!reckoned_) reckon_until(at);
        while (!events_.empty() && events_.front().at == at) {
            const std::uint64_t number = events_.front().number;
            const auto what = static_cast<What>(events_.lane());
            events_.pop();
            happens(what, at, number);
        }
        look_at_lines(at);
        look_at_messages(at);
        if (observer_ == nullptr || current_.is_like(told_)) continue;
        current_.time = at;
        told_ = current_;
        observer_->row(current_);
    }
}

void PowerCutLedger::happens(What what, Time at, std::uint64_t number) {
    if (what >= What::told_written) {
        const auto of = messages_.find(number);
        if (of == messages_.end()) return;
        CutMessage& known = of->second.known;
        touch(of->second);
        if (what == What::lone) return;
        Time& told = what == What::told_written ? known.told_written : known.told_persisted;
        if (told == kEndOfTime) told = at;
        return;
    }
    const auto of = writes_.find(number);
    if (of == writes_.end()) return;
    touched_lines_.push_back(of->second.line);
    enter(lines_.at(of->second.line), what, number);
}

void PowerCutLedger::enter(LineVersions& line, What stage, std::uint64_t number) {
    switch (stage) {
        case What::iio: return line.enter_iio(number);
        case What::llc: return line.enter_llc(number);
        case What::imc: return line.enter_imc(number);
        default: return line.enter_scm(number);
    }
}

void PowerCutLedger::touch(Message& message) {
    if (message.touched) return;
    message.touched = true;
    touched_messages_.push_back(message.known.id);
}

/// The numbers of messages have been the same since the last time.
void PowerCutLedger::reckon_until(Time now) {
    if (!reckoned_) report_.first = now;
    const Time since = reckoned_.value_or(now);
    reckoned_ = now;
    for (std::size_t i = 0; i < kCutStates; ++i) {
        const std::uint64_t n = current_.messages.at(i);
        CutReport::Total& total = report_.totals.at(i);
        if (n == 0 || now == since) continue;
        total.time += now - since;
        total.of_messages += (now - since) * static_cast<std::int64_t>(n);
        total.at_once = std::max(total.at_once, n);
    }
}

void PowerCutLedger::look_at_lines(Time now) {
    for (const std::uint64_t address : touched_lines_) {
        const auto at = lines_.find(address);
        if (at == lines_.end()) continue;
        LineVersions& line = at->second;
        line.refresh([&](LineVersion& version) { count(line, version, now); });
        line.let_go([this](const LineVersion& version) {
            writes_.erase(version.number);
            if (version.message == 0) return;
            Message& message = messages_.at(version.message);
            --message.kept;
            touch(message);
        });
        if (!line.empty()) continue;
        line.clear();
        spare_lines_.push_back(lines_.extract(at));
    }
    touched_lines_.clear();
}

void PowerCutLedger::count(const LineVersions& line, LineVersion& version, Time now) {
    if (!version.posted()) return;
    bytes_in(version.counted_stage) -= version.counted_bytes;
    const bool is_new = version.counted_stage == WriteStage::nowhere;
    const bool was_safe = version.counted_safe;
    version.counted_stage = version.stage;
    version.counted_bytes = static_cast<std::uint32_t>(std::popcount(line.volatile_bytes(version)));
    version.counted_safe = version.safe();
    bytes_in(version.counted_stage) += version.counted_bytes;
    if (version.message == 0) return;
    Message& message = messages_.at(version.message);
    if (is_new) {
        message.known.first = std::min(message.known.first, now);
        message.posted += static_cast<std::uint64_t>(std::popcount(version.mask));
    } else {
        --(was_safe ? message.safe_writes : message.unsafe_writes);
    }
    ++(version.counted_safe ? message.safe_writes : message.unsafe_writes);
    touch(message);
}

std::uint64_t& PowerCutLedger::bytes_in(WriteStage stage) {
    switch (stage) {
        case WriteStage::iio: return current_.iio_bytes;
        case WriteStage::llc: return current_.llc_bytes;
        default: return current_.imc_bytes;  // of nowhere and SCM nothing is counted
    }
}

void PowerCutLedger::look_at_messages(Time now) {
    if (touched_messages_.size() > 1) std::ranges::sort(touched_messages_);
    for (const std::uint64_t id : touched_messages_) {
        const auto at = messages_.find(id);
        Message& message = at->second;
        message.touched = false;
        judge(message, now);
        if (!message.settled || message.known.told_persisted == kEndOfTime) continue;
        if (observer_ != nullptr) observer_->message(message.known);
        if (message.lone) spare_.push_back(message.lone->take());
        messages_.erase(at);
    }
    touched_messages_.clear();
}

bool PowerCutLedger::is_safe(const Message& message, Time now) const {
    if (message.lone) return message.announced == message.bytes && message.lone->last() <= now;
    return message.posted == message.bytes && message.unsafe_writes == 0;
}

bool PowerCutLedger::is_in_part(const Message& message, Time now) const {
    return message.lone ? message.lone->first() <= now : message.safe_writes > 0;
}

void PowerCutLedger::judge(Message& message, Time now) {
    const bool safe = is_safe(message, now);
    const bool written = message.known.told_written != kEndOfTime;
    const bool persisted = message.known.told_persisted != kEndOfTime;
    std::uint8_t states = 0;
    if (written && !safe) states |= bit(CutState::vulnerable);
    if (written && !persisted) states |= bit(CutState::unproven);
    if (!safe && is_in_part(message, now)) states |= bit(CutState::torn);
    if (persisted && !safe) states |= bit(CutState::false_persistence);
    const bool settles = safe && message.kept == 0 && !message.settled;
    if (states == message.states && safe == message.safe && !settles) return;
    reckon_until(now);
    follow_order(message, safe, now);
    for (std::size_t i = 0; i < kCutStates; ++i) {
        const unsigned is = states >> i & 1U, was = message.states >> i & 1U, ever = message.ever >> i & 1U;
        current_.messages.at(i) += is;
        current_.messages.at(i) -= was;
        report_.totals.at(i).messages += is & ~ever;
    }
    message.states = states;
    message.ever |= states;
    if ((states & bit(CutState::false_persistence)) != 0 && !report_.false_example) note_false(message, now);
}

/// What it means for the others of its connection.
void PowerCutLedger::follow_order(Message& message, bool safe, Time now) {
    ConnectionOrder& order = connections_.at(message.known.connection);
    std::uint64_t& inverted = current_.messages.at(place(CutState::inverted));
    inverted -= order.inverted();
    if (safe != message.safe) {
        message.safe = safe;
        message.known.safe = safe ? now : kEndOfTime;
        if (safe) {
            order.becomes_safe(message.known.order);
        } else {
            order.becomes_unsafe(message.known.order);
        }
    }
    if (safe && message.kept == 0 && !message.settled) {
        message.settled = true;
        if (message.lone) alone_.remove(message.lines);
        order.settle(message.known.order);
    }
    inverted += order.inverted();
}

void PowerCutLedger::note_false(const Message& message, Time now) {
    FalseExample example;
    example.at = now;
    example.message = message.known.id;
    example.connection = message.known.connection;
    example.order = message.known.order;
    if (message.lone) {
        if (const LineWrite* const write = message.lone->in_iio(now)) {
            example.line = write->line;
            example.stage = WriteStage::iio;
        }
        report_.false_example = example;
        return;
    }
    std::uint64_t lowest = 0;
    for (const auto& [address, line] : lines_) {
        for (const LineVersion& version : line.versions()) {
            if (version.message != message.known.id || !version.posted() || version.safe()) continue;
            if (lowest != 0 && version.number > lowest) continue;
            lowest = version.number;
            example.line = address;
            example.stage = version.stage;
            example.overwritten = survives(version.stage, domain_);
        }
    }
    report_.false_example = example;
}

std::size_t PowerCutLedger::live_records() const {
    std::size_t n = lines_.size() + writes_.size() + messages_.size() + events_.size();
    for (const auto& [connection, order] : connections_) n += order.kept();
    for (const auto& [id, message] : messages_) n += message.lone ? message.lone->writes().size() : 0;
    return n;
}

CutReport PowerCutLedger::finish(Time end) {
    advance(end);
    reckon_until(end);
    report_.end = end;
    if (observer_ == nullptr) return report_;
    std::vector<std::uint64_t> ids;
    for (const auto& [id, message] : messages_) ids.push_back(id);
    std::ranges::sort(ids);
    for (const std::uint64_t id : ids) observer_->message(messages_.at(id).known);
    return report_;
}

}  // namespace rnicsim
