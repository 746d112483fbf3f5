// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/protocol/charge.h"

#include "testbench/programs/preload/connection.h"
#include "testbench/programs/preload/exchange.h"
#include "testbench/programs/preload/thread_clock.h"

using namespace rnicsim::programs;

int rnicsim_charge(ChargeKind kind, std::uint64_t amount, std::uint64_t of) {
    Connection& connection = thread_connection();
    if (!has_simulated_time() || connection.busy || connect_thread(connection) != 0) return 0;
    const Charged request{.kind = kind, .amount = amount, .of = of};
    const iovec part{const_cast<Charged*>(&request), sizeof request};
    std::size_t got = 0;
    return exchange(connection, {Op::charge, &part, 1, nullptr, 0, nullptr}, got) == 0 ? 1 : 0;
}
