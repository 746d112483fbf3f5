// SPDX-License-Identifier: Apache-2.0
#include "testbench/sweep/interrupt.h"

namespace rnicsim::runner {
namespace {

volatile std::sig_atomic_t signal_seen = 0;  // the one thing that a signal handler may write

void on_signal(int) { signal_seen = 1; }

}  // namespace

InterruptGuard::InterruptGuard() {
    signal_seen = 0;
    struct sigaction action {};
    action.sa_handler = on_signal;  // without SA_RESTART: poll() returns at once
    sigaction(SIGINT, &action, &old_int_);
    sigaction(SIGTERM, &action, &old_term_);
    sigaction(SIGHUP, &action, &old_hup_);
    sigaction(SIGPIPE, &action, &old_pipe_);
}

InterruptGuard::~InterruptGuard() {
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
    sigaction(SIGHUP, &old_hup_, nullptr);
    sigaction(SIGPIPE, &old_pipe_, nullptr);
}

bool InterruptGuard::interrupted() const { return signal_seen != 0; }

}  // namespace rnicsim::runner
