// SPDX-License-Identifier: Apache-2.0
// Completions as the simulator gives them, and what the program knows them by.
#pragma once

#include "testbench/programs/library/objects.h"

namespace rnicsim::programs {

/// Most completions of one answer.
inline constexpr std::uint32_t kMostCompletions =
    (kMostMessage - sizeof(AnswerHeader) - sizeof(Polled)) / sizeof(Completion);

/// Asks for at most `most` completions (at most kMostCompletions). 0 or an errno.
int fetch(const Cq& cq, std::uint32_t most, Completion* to, std::uint32_t& count);

/// There is none; cards say here of a datagram over RoCE of what kind it was (mlx5, "RoCE packet type"), and UCX looks
/// for its own address where that says that it is: with UDP (bit 3), IPv4 (2).
inline std::uint8_t service_level(const Completion& completion) {
    return (completion.flags & IBV_WC_GRH) != 0 ? 8 | 2 : 0;
}

/// The wr_id of a completion, which frees the places of its queue. False: its QP is no more.
bool settle(Context& context, const Completion& completion, std::uint64_t& wr_id);

}  // namespace rnicsim::programs
