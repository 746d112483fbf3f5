// SPDX-License-Identifier: Apache-2.0
// One request on a socket, and its answer.
#pragma once

#include "testbench/programs/preload/connection.h"

#include <sys/uio.h>

#include <cstddef>

namespace rnicsim::programs {

/// Sends a request. 0 or an errno; EIO: the simulator is lost.
int send_request(Connection& connection, Op op, const iovec* request, unsigned parts);

/// A request with its answer, see rnicsim_call.
struct Exchange {
    Op op{};
    const iovec* request = nullptr;
    unsigned parts = 0;
    const iovec* answer = nullptr;
    unsigned answer_parts = 0;
    int* descriptor = nullptr;  ///< null: none is expected
};

/// Waits for the answer to a request that has been sent; `got`: its bytes behind the header.
int receive_answer(Connection& connection, const Exchange& what, std::size_t& got);

/// Sends the request and waits for the answer; `got`: its bytes behind the header.
int exchange(Connection& connection, const Exchange& what, std::size_t& got);

}  // namespace rnicsim::programs
