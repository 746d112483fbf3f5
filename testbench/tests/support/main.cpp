// SPDX-License-Identifier: Apache-2.0
// Entry of every test executable. main() is ours, not the SystemC library's; a SystemC warning fails the test.
#include <catch2/catch_session.hpp>
#include <systemc>

extern "C" int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
    sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_THROW);
    return Catch::Session().run(argc, argv);
}
