// SPDX-License-Identifier: Apache-2.0
// What can be seen inside the models as waveforms (VCD): of each end the fill of the indirect buffer and the entries of
// the connection table, with window, mode and timers. Drawn by SystemC's own tracing.
#pragma once

#include "model/system.h"
#include "testbench/observe/observation.h"

#include <array>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

namespace rnicsim {

class SignalWriter : public EventWriter {
  public:
    /// `system` is elaborated, and not yet simulated; not owned. `request.observe.signals` ends with .vcd.
    SignalWriter(const RunRequest& request, const System& system);

    void event(const LoggedEvent& /*event*/, std::span<const std::uint8_t> /*frame*/) override {}
    /// Also outside the window: or the values at its begin would be wrong.
    void at_once(const LoggedEvent& event) override;
    void finish() override;

  private:
    /// An entry of the connection table. A transport controller in Verilog does not show any: all zero.
    struct Entry {
        sc_dt::sc_uint<4> phase;  ///< Phase
        bool initiator = false;
        bool indirect = false;
        sc_dt::sc_uint<16> tid;
        sc_dt::sc_uint<32> una, next;  ///< sender: oldest unacknowledged SN, next new one
        sc_dt::sc_uint<32> expected;   ///< receiver: next SN in order
        bool request_timer = false, data_timer = false, release_timer = false, idle_timer = false;
    };
    struct Side {
        sc_dt::sc_uint<16> buffer_slots;
        sc_dt::sc_uint<8> transfers;
        std::vector<Entry> entries;
    };
    struct Closer {
        void operator()(sc_core::sc_trace_file* file) const { sc_core::sc_close_vcd_trace_file(file); }
    };

    void trace(const std::string& scope, Side& side);
    void look(unsigned end);

    const std::string name_;
    const System& system_;
    std::vector<Side> sides_;                               // by host
    std::unique_ptr<sc_core::sc_trace_file, Closer> file_;  // before what it looks at is gone
};

}  // namespace rnicsim
