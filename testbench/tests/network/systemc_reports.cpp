// SPDX-License-Identifier: Apache-2.0
// What of a report of SystemC a user reads.
#include "testbench/run/systemc_report.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

/// What is said when this happens.
template <typename What>
std::string said_when(const What& what) {
    try {
        what();
    } catch (const sc_core::sc_report& report) { return said_by(report); }
    return "";
}

TEST_CASE("an exception that a process has thrown says what it said, without SystemC's wrapping", "[network]") {
    CHECK(said_when([] { SC_REPORT_ERROR(sc_core::SC_ID_SIMULATION_UNCAUGHT_EXCEPTION_, "the wire is cut"); }) ==
          "the wire is cut");
    const std::string other = said_when([] { SC_REPORT_ERROR("of its own", "something else"); });
    CHECK(other.find("SystemC: ") == 0);
    CHECK(other.find("of its own: something else") != std::string::npos);
}

}  // namespace
}  // namespace rnicsim
