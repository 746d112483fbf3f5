// SPDX-License-Identifier: Apache-2.0
// The program `rnicsim`. Each run has a forked process of its own, but for the one run of `cut` and that of `serve`:
// SystemC elaborates once per process.
#include "testbench/cli/command_line.h"
#include "testbench/run/simulate_strictly.h"
#include "testbench/sweep/sweep.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

/// SystemC's library brings a main() that calls this one; ours takes its place and the library wants the name only.
extern "C" int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);  // else every worker prints the banner
    std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is then an error of write(), like a full disk
    const int code = rnicsim::runner::run_command_line(argc, argv, rnicsim::simulate, rnicsim::simulate_recorded,
                                                       rnicsim::simulate_strictly);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    std::fputs("error: standard output cannot be written; the result files are not concerned\n", stderr);
    return code == 0 ? rnicsim::runner::kIncomplete : code;
}
