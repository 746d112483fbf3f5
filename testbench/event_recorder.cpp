#include "testbench/event_recorder.h"

#include "tlm/pcie_tlp.h"
#include "tlm/wakeup.h"

#include <algorithm>
#include <span>

namespace rnicsim {
namespace {

/// FNV-1a over words of eight bytes: fast, and any changed bit changes it.
std::uint64_t hash_of(std::span<const std::uint8_t> bytes) {
    std::uint64_t hash = 1469598103934665603U;
    for (std::size_t i = 0; i < bytes.size(); i += 8) {
        std::uint64_t word = 0;
        for (std::size_t k = i; k < std::min(i + 8, bytes.size()); ++k) word = word << 8 | bytes[k];
        hash = (hash ^ word) * 1099511628211U;
        hash ^= hash >> 32;
    }
    return hash;
}

LoggedEvent event_now(EventKind kind, unsigned end) {
    LoggedEvent event;
    event.kind = kind;
    event.end = static_cast<std::uint8_t>(end);
    event.during = event.at = current_cycle().n;
    return event;
}

void set_head(LoggedEvent& event, const DrpHeader& header) {
    event.head[12] = kDrpEtherType >> 8;
    event.head[13] = kDrpEtherType & 0xFF;
    encode(header, std::span(event.head).subspan<kEthernetHeaderBytes, kDrpHeaderBytes>());
}

}  // namespace

void EventRecorder::memory_access(unsigned end, const tlm::tlm_generic_payload& transaction) {
    const bool write = transaction.is_write();
    LoggedEvent event = event_now(write ? EventKind::memory_write : EventKind::memory_read, end);
    event.address = transaction.get_address();
    event.bytes = transaction.get_data_length();
    if (write) event.hash = hash_of({transaction.get_data_ptr(), event.bytes});
    sink_.event(event, {});
    next_.memory_access(end, transaction);
}

void EventRecorder::upstream_tlp(unsigned end, tlm::tlm_generic_payload& transaction, Cycle due) {
    constexpr std::array kKinds{EventKind::dma_write, EventKind::dma_read, EventKind::interrupt};
    LoggedEvent event = event_now(kKinds[static_cast<std::size_t>(tlp(transaction).kind)], end);
    event.at = due.n;
    event.address = transaction.get_address();
    event.bytes = transaction.get_data_length();
    sink_.event(event, {});
    next_.upstream_tlp(end, transaction, due);
}

/// `named`: tells what it is; `bytes`: what there is of it.
void EventRecorder::frame(EventKind kind, unsigned end, const Frame& named, const Frame& bytes, Cycle at) {
    LoggedEvent event = event_now(kind, end);
    event.at = at.n;
    event.bytes = static_cast<std::uint32_t>(bytes.length());
    if (kind == EventKind::frame || kind == EventKind::damaged) event.hash = hash_of(bytes.bytes());
    std::copy_n(named.bytes().begin(), std::min(event.head.size(), named.length()), event.head.begin());
    sink_.event(event, bytes.without_fcs());
}

void EventRecorder::frame_sent(unsigned end, const Frame& sent, Cycle due) {
    frame(EventKind::frame, end, sent, sent, due);
    next_.frame_sent(end, sent, due);
}

void EventRecorder::frame_carried(unsigned end, const Frame& carried, Cycle arrives) {
    frame(EventKind::arrives, end, carried, carried, arrives);
    next_.frame_carried(end, carried, arrives);
}

void EventRecorder::frame_lost(unsigned end, const Frame& lost, Cycle due) {
    frame(EventKind::lost, end, lost, lost, due);
    next_.frame_lost(end, lost, due);
}

void EventRecorder::frame_damaged(unsigned end, const Frame& sent, const Frame& damaged, Cycle arrives) {
    frame(EventKind::damaged, end, sent, damaged, arrives);
    next_.frame_damaged(end, sent, damaged, arrives);
}

void EventRecorder::Side::noted(TransportCount what, Role role, Tid tid) {
    LoggedEvent event = event_now(EventKind::decision, end_);
    event.what = static_cast<std::uint16_t>(what);
    event.role = static_cast<std::uint8_t>(role);
    event.tid = raw(tid);
    notes_.push_back(event);
}

void EventRecorder::Side::decided(const TransportDecision& decision) {
    LoggedEvent event = event_now(EventKind::cause, end_);
    event.during = decision.since.n;
    event.what = static_cast<std::uint16_t>(decision.input);
    event.role = static_cast<std::uint8_t>(decision.role);
    event.tid = raw(decision.tid);
    if (decision.command != nullptr) event.bytes = static_cast<std::uint32_t>(decision.command->code);
    if (decision.header != nullptr) set_head(event, *decision.header);
    sink_.event(event, {});
    for (LoggedEvent& note : notes_) {
        note.during = event.during;
        sink_.event(note, {});
    }
    notes_.clear();
}

void EventRecorder::Side::overrun(const DrpHeader& header, Cycle arrived) {
    LoggedEvent event = event_now(EventKind::overrun, end_);
    event.at = event.during = arrived.n;
    set_head(event, header);
    sink_.event(event, {});
}

void EventRecorder::Side::filled(std::uint32_t used) {
    LoggedEvent event = event_now(EventKind::fill, end_);
    event.bytes = used;
    sink_.event(event, {});
}

void EventRecorder::Side::step(HostStep what, bool own, Tid tid, std::uint32_t value, Cycle since) {
    LoggedEvent event = event_now(EventKind::host, end_);
    event.during = since.n;
    event.what = static_cast<std::uint16_t>(what);
    event.role = static_cast<std::uint8_t>(own ? Role::initiator : Role::responder);
    event.tid = raw(tid);
    event.bytes = value;
    sink_.event(event, {});
}

}  // namespace rnicsim
