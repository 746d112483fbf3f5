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

}  // namespace

void EventRecorder::memory_access(unsigned end, const tlm::tlm_generic_payload& transaction) {
    const bool write = transaction.is_write();
    LoggedEvent event = event_now(write ? EventKind::memory_write : EventKind::memory_read, end);
    event.address = transaction.get_address();
    event.bytes = transaction.get_data_length();
    if (write) event.hash = hash_of({transaction.get_data_ptr(), event.bytes});
    sink_.event(event);
    next_.memory_access(end, transaction);
}

void EventRecorder::upstream_tlp(unsigned end, tlm::tlm_generic_payload& transaction, Cycle due) {
    constexpr std::array kKinds{EventKind::dma_write, EventKind::dma_read, EventKind::interrupt};
    LoggedEvent event = event_now(kKinds[static_cast<std::size_t>(tlp(transaction).kind)], end);
    event.at = due.n;
    event.address = transaction.get_address();
    event.bytes = transaction.get_data_length();
    sink_.event(event);
    next_.upstream_tlp(end, transaction, due);
}

void EventRecorder::frame_sent(unsigned end, const Frame& frame, Cycle due) {
    LoggedEvent event = event_now(EventKind::frame, end);
    event.at = due.n;
    event.bytes = static_cast<std::uint32_t>(frame.length());
    event.hash = hash_of(frame.bytes());
    std::copy_n(frame.bytes().begin(), std::min(event.head.size(), frame.length()), event.head.begin());
    sink_.event(event);
    next_.frame_sent(end, frame, due);
}

void EventRecorder::Side::noted(TransportCount what, Role role, Tid tid) {
    LoggedEvent event = event_now(EventKind::decision, end_);
    event.what = static_cast<std::uint16_t>(what);
    event.role = static_cast<std::uint8_t>(role);
    event.tid = raw(tid);
    sink_.event(event);
}

}  // namespace rnicsim
