// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/persistence/power_cut_ledger.h"

#include "testbench/workloads/persistence/cut_requirement.h"

#include <utility>
#include <vector>

namespace rnicsim {
namespace {

/// In the order of the stages; none that is known behind one that is not, but for the LLC, which a write may pass.
bool in_order(const LineWrite& w) {
    return w.posted <= w.iio && w.iio <= w.llc && w.iio <= w.adr && w.adr <= w.scm_done &&
           (w.llc == kEndOfTime || w.llc <= w.adr);
}

}  // namespace

void PowerCutLedger::message_posted(const PersistMessage& message) {
    require_of_cut(message.id > last_message_, "message {} behind {}", message.id, last_message_);
    require_of_cut(message.bytes > 0, "message {} has no bytes that a cut could take", message.id);
    ConnectionOrder& order = connections_[message.connection];
    require_of_cut(order.may_post(message.order), "message {} is not posted in order", message.id);
    last_message_ = message.id;
    order.post(message.order);
    const bool alone = is_alone(message);
    Message& kept = messages_[message.id];
    kept.known = {.id = message.id, .connection = message.connection, .order = message.order};
    kept.bytes = message.bytes;
    if (!alone) return;
    kept.lines = *message.lines;
    if (spare_.empty()) spare_.emplace_back();
    kept.lone.emplace(std::move(spare_.back()));
    spare_.pop_back();
    alone_.add(kept.lines, message.id);
}

/// Who wants rows wants to know of each line's stages.
bool PowerCutLedger::is_alone(const PersistMessage& message) {
    if (observer_ != nullptr || !message.lines) return false;
    if (!survives(WriteStage::imc, domain_) || survives(WriteStage::iio, domain_)) return false;
    bool alone = true;
    while (const auto other = alone_.owner(*message.lines)) {
        follow_each_line(*other);
        alone = false;
    }
    if (lines_.empty()) return alone;
    for (std::uint64_t line = message.lines->first; alone && line <= message.lines->last; ++line)
        alone = !lines_.contains(line);
    return alone;
}

void PowerCutLedger::lines_written(std::span<const LineWrite> writes, std::uint64_t message) {
    if (writes.empty()) return;
    for (const LineWrite& write : writes) {
        require_of_cut(write.mask != 0, "line write {} writes nothing", write.number);
        require_of_cut(in_order(write), "line write {} enters a stage before the one in front of it", write.number);
    }
    Message* of = nullptr;
    if (message != 0) {
        const auto found = messages_.find(message);
        require_of_cut(found != messages_.end(), "line write {} of message {}, which is not posted, or forgotten",
                       writes.front().number, message);
        of = &found->second;
        if (of->lone) writes = writes.subspan(write_alone(*of, writes));
    }
    for (const LineWrite& write : writes) {
        require_of_cut(!writes_.contains(write.number), "line write {} a second time", write.number);
        if (of != nullptr) {
            announce(*of, write);
            if (of->lone) follow_each_line(message);
        }
        if (const auto other = alone_.owner({write.line, write.line})) follow_each_line(*other);
        follow(write, message);
        book(write.posted, What::iio, write.number);
        book(write.llc, What::llc, write.number);
        book_way(write.number, write.adr, write.scm_done);
    }
}

void PowerCutLedger::announce(Message& message, const LineWrite& write) {
    message.announced += write.bytes();
    require_of_cut(message.announced <= message.bytes, "message {} gets more bytes than it has", message.known.id);
}

/// Takes those in front of the first that cannot be alone; returns how many.
std::size_t PowerCutLedger::write_alone(Message& message, std::span<const LineWrite> writes) {
    LoneWrites& lone = *message.lone;
    const Time posted = lone.posted(), first = lone.first();
    std::size_t n = 0;
    for (; n < writes.size() && lone.accepts(writes[n]); ++n) {
        const LineWrite& write = writes[n];
        require_of_cut(message.lines.first <= write.line && write.line <= message.lines.last,
                       "line write {} is of none of the lines of message {}", write.number, message.known.id);
        require_of_cut(write.posted >= now_, "line write {} is reported when {} ps has passed", write.number, now_.ps);
        announce(message, write);
        lone.add(write);
    }
    if (lone.posted() < posted) book(lone.posted(), What::lone, message.known.id);
    if (lone.first() < first) book(lone.first(), What::lone, message.known.id);
    if (n > 0 && message.announced == message.bytes) book(lone.last(), What::lone, message.known.id);
    return n;
}

/// Somebody else writes into its lines, or it goes through the LLC.
void PowerCutLedger::follow_each_line(std::uint64_t message) {
    Message& of = messages_.at(message);
    std::vector<LineWrite> writes = of.lone->take();
    of.lone.reset();
    alone_.remove(of.lines);
    for (const LineWrite& write : writes) {
        follow(write, message);
        for (const auto& [at, stage] : {std::pair(write.posted, What::iio), std::pair(write.adr, What::imc)}) {
            if (at < now_) {
                enter(lines_.at(write.line), stage, write.number);
            } else {
                book(at, stage, write.number);
            }
        }
        touched_lines_.push_back(write.line);
    }
    look_at_lines(now_);
    spare_.push_back(std::move(writes));
}

void PowerCutLedger::follow(const LineWrite& write, std::uint64_t message) {
    if (message != 0) ++messages_.at(message).kept;
    line_at(write.line).announce(write, message);
    writes_[write.number] = {write.line, write.adr == kEndOfTime ? write.llc : kEndOfTime};
}

LineVersions& PowerCutLedger::line_at(std::uint64_t address) {
    const auto at = lines_.find(address);
    if (at != lines_.end()) return at->second;
    if (spare_lines_.empty()) return lines_.try_emplace(address, domain_).first->second;
    Lines::node_type line = std::move(spare_lines_.back());
    spare_lines_.pop_back();
    line.key() = address;
    return lines_.insert(std::move(line)).position->second;
}

void PowerCutLedger::line_written_back(const LineWriteBack& back) {
    const auto of = writes_.find(back.number);
    if (of == writes_.end()) return;
    require_of_cut(of->second.in_llc <= back.adr && of->second.in_llc != kEndOfTime && back.adr <= back.scm_done,
                   "line write {} is written back a second time, or before the LLC has it", back.number);
    of->second.in_llc = kEndOfTime;
    lines_.at(of->second.line).write_back(back.number);
    book_way(back.number, back.adr, back.scm_done);
}

void PowerCutLedger::told_written(std::uint64_t message, Time at) {
    require_of_cut(message != 0 && message <= last_message_, "told of message {}, which is not posted", message);
    book(at, What::told_written, message);
}

void PowerCutLedger::told_persisted(std::uint64_t message, Time at) {
    require_of_cut(message != 0 && message <= last_message_, "told of message {}, which is not posted", message);
    book(at, What::told_persisted, message);
}

void PowerCutLedger::book(Time at, What what, std::uint64_t number) {
    if (at == kEndOfTime) return;
    require_of_cut(at >= now_, "an event at {} ps is reported when {} ps has passed", at.ps, now_.ps);
    events_.push(static_cast<std::size_t>(what), at, number);
}

void PowerCutLedger::book_way(std::uint64_t number, Time adr, Time scm_done) {
    book(adr, What::imc, number);
    // Inside the domain, from the iMC to SCM, nothing changes.
    if (!survives(WriteStage::imc, domain_)) book(scm_done, What::scm, number);
}

}  // namespace rnicsim
