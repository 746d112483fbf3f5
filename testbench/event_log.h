// The events of a run, at the interfaces between blocks. Two simulations of the same scenario are compared by them, and
// everything in testbench/observe is made from them.
#pragma once

#include "tlm/units.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace rnicsim {

enum class EventKind : std::uint8_t {
    frame,         ///< an RNIC sends a frame; `at`: the cycle after its last byte
    memory_write,  ///< a device's access to host memory
    memory_read,
    dma_write,  ///< an RNIC hands a DMA transaction to its link; `at`: when the root complex acts upon it
    dma_read,
    interrupt,
    cause,     ///< the transport controller has decided about this; the decisions that follow are what came of it
    decision,  ///< something that the transport controller counts (TransportCount)
    fill,      ///< the indirect buffer holds `bytes` slots from now on
    lost,      ///< the link loses the frame that the end has sent
    damaged,   ///< as `arrives`, but with a wrong bit
    arrives,   ///< the link carries the frame that the end has sent; `at`: the cycle after its last byte, over there
    overrun,   ///< a data frame that has come found the receive buffer full
    host,      ///< a step of the host's software (HostStep), which took from `during` to `at`
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
    std::uint16_t what = 0;  ///< cause: TransportInput, decision: TransportCount, host: HostStep
    std::uint16_t tid = 0;   ///< cause, decision, host
    std::uint8_t role = 0;   ///< cause, decision, host: Role; of a host: of its RNIC
    std::array<std::uint8_t, 46> head{};

    friend bool operator==(const LoggedEvent&, const LoggedEvent&) = default;
};

class EventSink {
  public:
    virtual ~EventSink() = default;
    /// `frame`: all its bytes if the event is about one on the wire, without FCS.
    virtual void event(const LoggedEvent& event, std::span<const std::uint8_t> frame) = 0;
    /// The same, but at once, to inspect the system at that time. Events of one cycle come in no defined order.
    virtual void at_once(const LoggedEvent& /*event*/) {}
};

/// What a decision was about, in words. `event`: a cause.
std::string cause_text(const LoggedEvent& event);
/// One line: cycle, place, what.
std::string describe(const LoggedEvent& event);

}  // namespace rnicsim
