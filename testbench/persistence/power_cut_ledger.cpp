#include "testbench/persistence/power_cut_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace rnicsim {
namespace {

constexpr std::size_t place(CutState state) { return static_cast<std::size_t>(state); }
constexpr std::uint8_t bit(CutState state) { return static_cast<std::uint8_t>(1U << place(state)); }

void require(bool holds, const std::string& what) {
    if (!holds) throw std::invalid_argument("power cut: " + what);
}

/// In the order of the stages; none that is known behind one that is not, but for the LLC, which a write may pass.
bool in_order(const LineWrite& w) {
    return w.posted <= w.iio && w.iio <= w.llc && w.iio <= w.adr && w.adr <= w.scm_done &&
           (w.llc == kEndOfTime || w.llc <= w.adr);
}

}  // namespace

void PowerCutLedger::message_posted(const PersistMessage& message) {
    require(message.id > last_message_, fmt::format("message {} behind {}", message.id, last_message_));
    require(message.bytes > 0, fmt::format("message {} has no bytes that a cut could take", message.id));
    ConnectionOrder& order = connections_[message.connection];
    require(order.may_post(message.order), fmt::format("message {} is not posted in order", message.id));
    last_message_ = message.id;
    order.post(message.order);
    Message& kept = messages_[message.id];
    kept.known = {.id = message.id, .connection = message.connection, .order = message.order};
    kept.bytes = message.bytes;
}

void PowerCutLedger::line_written(const LineWrite& write, std::uint64_t message) {
    require(!writes_.contains(write.number), fmt::format("line write {} a second time", write.number));
    require(write.mask != 0, fmt::format("line write {} writes nothing", write.number));
    require(in_order(write), fmt::format("line write {} enters a stage before the one in front of it", write.number));
    if (message != 0) {
        const auto of = messages_.find(message);
        require(of != messages_.end(),
                fmt::format("line write {} of message {}, which is not posted, or forgotten", write.number, message));
        const auto bytes = static_cast<std::uint64_t>(std::popcount(write.mask));
        require(of->second.announced + bytes <= of->second.bytes,
                fmt::format("message {} gets more bytes than it has", message));
        of->second.announced += bytes;
        ++of->second.kept;
    }
    lines_.try_emplace(write.line, domain_).first->second.announce(write, message);
    writes_[write.number] = {write.line, write.adr == kEndOfTime ? write.llc : kEndOfTime};
    book(write.posted, What::iio, write.number);
    book(write.llc, What::llc, write.number);
    book_way(write.number, write.adr, write.scm_done);
}

void PowerCutLedger::line_written_back(const LineWriteBack& back) {
    const auto of = writes_.find(back.number);
    if (of == writes_.end()) return;
    require(of->second.in_llc <= back.adr && of->second.in_llc != kEndOfTime && back.adr <= back.scm_done,
            fmt::format("line write {} is written back a second time, or before the LLC has it", back.number));
    of->second.in_llc = kEndOfTime;
    lines_.at(of->second.line).write_back(back.number);
    book_way(back.number, back.adr, back.scm_done);
}

void PowerCutLedger::told_written(std::uint64_t message, Time at) {
    require(message != 0 && message <= last_message_, fmt::format("told of message {}, which is not posted", message));
    book(at, What::told_written, message);
}

void PowerCutLedger::told_persisted(std::uint64_t message, Time at) {
    require(message != 0 && message <= last_message_, fmt::format("told of message {}, which is not posted", message));
    book(at, What::told_persisted, message);
}

void PowerCutLedger::book(Time at, What what, std::uint64_t number) {
    if (at == kEndOfTime) return;
    require(at >= now_, fmt::format("an event at {} ps is reported when {} ps has passed", at.ps, now_.ps));
    events_.push({at, ++booked_, what, number});
}

void PowerCutLedger::book_way(std::uint64_t number, Time adr, Time scm_done) {
    book(adr, What::imc, number);
    // Inside the domain, from the iMC to SCM, nothing changes.
    if (!survives(WriteStage::imc, domain_)) book(scm_done, What::scm, number);
}

void PowerCutLedger::advance(Time now) {
    require(now >= now_, fmt::format("time goes back from {} to {} ps", now_.ps, now.ps));
    now_ = now;
    while (!events_.empty() && events_.top().at < now) {
        const Time at = events_.top().at;
        reckon_until(at);
        while (!events_.empty() && events_.top().at == at) {
            happens(events_.top());
            events_.pop();
        }
        look_at_lines(at);
        look_at_messages(at);
        if (!current_.is_like(told_)) {
            current_.time = at;
            told_ = current_;
            if (observer_ != nullptr) observer_->row(current_);
        }
    }
}

void PowerCutLedger::happens(const Event& event) {
    if (event.what == What::told_written || event.what == What::told_persisted) {
        const auto of = messages_.find(event.number);
        if (of == messages_.end()) return;
        CutMessage& known = of->second.known;
        Time& told = event.what == What::told_written ? known.told_written : known.told_persisted;
        if (told == kEndOfTime) told = event.at;
        touched_messages_.push_back(event.number);
        return;
    }
    const auto of = writes_.find(event.number);
    if (of == writes_.end()) return;
    touched_lines_.push_back(of->second.line);
    LineVersions& line = lines_.at(of->second.line);
    switch (event.what) {
        case What::iio: line.enter_iio(event.number); break;
        case What::llc: line.enter_llc(event.number); break;
        case What::imc: line.enter_imc(event.number); break;
        case What::scm: line.enter_scm(event.number); break;
        case What::told_written:
        case What::told_persisted: break;
    }
}

/// The state since the last event has held until now.
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
            --messages_.at(version.message).kept;
            touched_messages_.push_back(version.message);
        });
        if (line.empty()) lines_.erase(at);
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
    touched_messages_.push_back(version.message);
}

std::uint64_t& PowerCutLedger::bytes_in(WriteStage stage) {
    switch (stage) {
        case WriteStage::iio: return current_.iio_bytes;
        case WriteStage::llc: return current_.llc_bytes;
        default: return current_.imc_bytes;  // of nowhere and SCM nothing is counted
    }
}

void PowerCutLedger::look_at_messages(Time now) {
    std::ranges::sort(touched_messages_);
    touched_messages_.erase(std::unique(touched_messages_.begin(), touched_messages_.end()), touched_messages_.end());
    for (const std::uint64_t id : touched_messages_) {
        const auto at = messages_.find(id);
        Message& message = at->second;
        judge(message, now);
        if (message.settled && message.known.told_persisted != kEndOfTime) {
            if (observer_ != nullptr) observer_->message(message.known);
            messages_.erase(at);
        }
    }
    touched_messages_.clear();
}

void PowerCutLedger::judge(Message& message, Time now) {
    const bool safe = message.posted == message.bytes && message.unsafe_writes == 0;
    follow_order(message, safe, now);
    const bool written = message.known.told_written != kEndOfTime;
    const bool persisted = message.known.told_persisted != kEndOfTime;
    std::uint8_t states = 0;
    if (written && !safe) states |= bit(CutState::vulnerable);
    if (written && !persisted) states |= bit(CutState::unproven);
    if (!safe && message.safe_writes > 0) states |= bit(CutState::torn);
    if (persisted && !safe) states |= bit(CutState::false_persistence);
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
