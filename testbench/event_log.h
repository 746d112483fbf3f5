// What happens in a run, event by event, at the places where blocks meet: the common ground on which two simulations of
// the same scenario are compared.
#pragma once

#include "tlm/units.h"

#include <array>
#include <cstdint>
#include <string>

namespace rnicsim {

enum class EventKind : std::uint8_t {
    frame,         ///< an RNIC sends a frame; `at`: the cycle after its last byte
    memory_write,  ///< a device's access to host memory
    memory_read,
    dma_write,  ///< an RNIC hands a DMA transaction to its link; `at`: when the root complex acts upon it
    dma_read,
    interrupt,
    decision,  ///< something that the transport controller counts (TransportCount)
};

/// One event. `hash` is of all its bytes; of a frame `head` holds those up to the end of a DRP header.
struct LoggedEvent {
    std::int64_t at = 0;      ///< cycle in which it takes effect
    std::int64_t during = 0;  ///< cycle in which it was decided
    std::uint64_t address = 0;
    std::uint64_t hash = 0;
    std::uint32_t bytes = 0;
    EventKind kind = EventKind::frame;
    std::uint8_t end = 0;    ///< 0: a, 1: b
    std::uint16_t what = 0;  ///< decision: TransportCount
    std::uint16_t tid = 0;   ///< decision
    std::uint8_t role = 0;   ///< decision: Role
    std::array<std::uint8_t, 46> head{};

    friend bool operator==(const LoggedEvent&, const LoggedEvent&) = default;
};

class EventSink {
  public:
    virtual ~EventSink() = default;
    virtual void event(const LoggedEvent& event) = 0;
};

/// One line: cycle, place, what.
std::string describe(const LoggedEvent& event);

}  // namespace rnicsim
