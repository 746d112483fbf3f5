// SPDX-License-Identifier: Apache-2.0
// What a report of SystemC says to a user.
#pragma once

#include <sysc/kernel/sc_kernel_ids.h>
#include <systemc>

#include <string>

namespace rnicsim {

/// An exception that a process has thrown says what it said itself: SystemC wraps it (E549) on its way.
inline std::string said_by(const sc_core::sc_report& report) {
    if (std::string(report.get_msg_type()) == sc_core::SC_ID_SIMULATION_UNCAUGHT_EXCEPTION_) return report.get_msg();
    return std::string("SystemC: ") + report.what();
}

}  // namespace rnicsim
