// Completions as the simulator gives them, and what the program knows them by.
#pragma once

#include "testbench/programs/library/objects.h"

namespace rnicsim::programs {

/// Most completions of one answer.
inline constexpr std::uint32_t kMostCompletions =
    (kMostMessage - sizeof(AnswerHeader) - sizeof(Polled)) / sizeof(Completion);

/// Asks for at most `most` completions (at most kMostCompletions). 0 or an errno.
int fetch(const Cq& cq, std::uint32_t most, Completion* to, std::uint32_t& count);

/// The wr_id of a completion, which frees the places of its queue. False: its QP is no more.
bool settle(Context& context, const Completion& completion, std::uint64_t& wr_id);

}  // namespace rnicsim::programs
