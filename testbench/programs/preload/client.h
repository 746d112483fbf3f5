// SPDX-License-Identifier: Apache-2.0
// What libibverbs.so.1 asks of the preloaded object: the thread's connection to the simulator, and its clock. Each
// returns 0 or an errno: EIO when the simulator is gone or talks nonsense, ENODEV when there has never been one.
#pragma once

#include "testbench/programs/protocol/messages.h"

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

extern "C" {

/// Most parts of a request.
inline constexpr unsigned kRnicsimParts = 4;

/// Sends a request and waits for its answer. What follows the answer's header comes to `answer`, which has `room`
/// bytes; `got` says how many. `descriptor`: where the answer brings one; null: it does not. EMFILE with an answer: the
/// process has as many descriptors as it may have; what was made is there, and the caller is to give it back.
int rnicsim_call(rnicsim::programs::Op op, const iovec* request, unsigned parts, void* answer, std::size_t room,
                 std::size_t* got, int* descriptor);

/// The same, with the answer in parts: one head, and what follows it.
int rnicsim_call_into(rnicsim::programs::Op op, const iovec* request, unsigned parts, const iovec* answer,
                      unsigned answer_parts, std::size_t* got);

/// Sends a request that has no answer, and lets the thread's clock advance by `cost` picoseconds.
int rnicsim_tell(rnicsim::programs::Op op, const iovec* request, unsigned parts, std::int64_t cost);

/// Waits in simulated time until something was sent to a descriptor that came with an answer: to this one, or another
/// of the process. A cancellation point.
int rnicsim_wait(int descriptor);

/// Reads the next event of a descriptor that came with an answer; if there is none, waits for it in simulated time,
/// or returns EAGAIN where the program made the descriptor O_NONBLOCK. A cancellation point.
int rnicsim_read_event(int descriptor, void* event, std::size_t bytes);

/// Memory of the program that is registered, in a list: its owner keeps it until it unpins it.
struct RnicsimPinned {
    std::uint64_t address, bytes;
    int process;
    RnicsimPinned *next, *previous;
};
void rnicsim_pin(RnicsimPinned* what);
void rnicsim_unpin(RnicsimPinned* what);

/// What the simulator said of itself; lives as long as the thread's connection. Null if there is none.
const rnicsim::programs::Welcome* rnicsim_welcome();

/// The thread's clock: simulated picoseconds.
std::int64_t rnicsim_clock();

/// The thread has seen something that happened then: its clock is not before that.
void rnicsim_reach(std::int64_t at);

/// One line on standard error, whatever the program did to stdio.
void rnicsim_say(const char* what, const char* of);
}
