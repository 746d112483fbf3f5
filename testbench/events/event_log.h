// SPDX-License-Identifier: Apache-2.0
// The events of a run, at the interfaces between blocks. Two simulations of the same scenario are compared by them, and
// everything in testbench/observe is made from them.
#pragma once

#include "testbench/events/bridge_events.h"
#include "testbench/events/drp/drp_events.h"
#include "testbench/events/rc/message_events.h"
#include "testbench/events/rc/operation_events.h"
#include "testbench/events/rc/persist_events.h"
#include "testbench/events/rc/program_events.h"
#include "testbench/events/store_events.h"
#include "testbench/events/wire_events.h"
#include "tlm/time/time.h"

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

namespace rnicsim {

struct LoggedEvent {
    Time at;                ///< when it takes effect
    Time since;             ///< when it was decided; of a DRP core's decision the edge at which its cycle begins
    std::uint16_t end = 0;  ///< the node: a host, or behind all hosts a switch
    std::variant<WireFrame, MemoryAccess, DmaRequest, DecisionCause, DecisionResult, BufferFill, Overrun, SoftwareStep,
                 MessageStep, QpNote, ProgramBegins, QpConnected, VerbsCall, PersistStep, LineStep, OperationStep,
                 EndStep, CoreStep, BridgeStep, StoreStep>
        what;

    friend bool operator==(const LoggedEvent&, const LoggedEvent&) = default;
};
static_assert(std::is_trivially_copyable_v<LoggedEvent>, "it goes through a pipe as it is");

/// For std::visit: a function for each alternative.
template <typename... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

class EventSink {
  public:
    virtual ~EventSink() = default;
    /// `frame`: all its bytes if the event is about one on the wire, without FCS.
    virtual void event(const LoggedEvent& event, std::span<const std::uint8_t> frame) = 0;
    /// The same, but at once, to inspect the system at that time. Events of one cycle come in no defined order.
    virtual void at_once(const LoggedEvent& /*event*/) {}
};

/// One line: microseconds, place, what.
std::string describe(const LoggedEvent& event, const HostNames& hosts);

}  // namespace rnicsim
