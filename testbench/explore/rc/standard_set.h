// SPDX-License-Identifier: Apache-2.0
// What `rnicsim explore --personality rc` goes through, and names of its bounds.
#pragma once

#include "testbench/explore/rc/unreliable_world.h"
#include "testbench/explore/rc/workload.h"

#include <array>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace rnicsim::rc {

using AnyWorkload = std::variant<Workload, UnreliableWorkload>;

inline constexpr std::array kExploredVerbs{Verb::send, Verb::write, Verb::write_imm, Verb::read, Verb::fetch_add};
/// What is made durable, and what waits for it: only beside those.
inline constexpr std::array kExploredPersistVerbs{Verb::write_persist, Verb::flush, Verb::atomic_write};
inline constexpr std::array kExploredUcVerbs{Verb::send, Verb::write, Verb::write_imm};

/// With these bounds each verb alone.
std::vector<Workload> singles_of(const Workload& bounds);
/// Each ordered pair; the first message is one of `firsts`.
std::vector<Workload> pairs_of(const Workload& bounds, std::span<const Verb> firsts = kExploredVerbs);
/// Two ask, one message each: each pair of verbs.
std::vector<Workload> meetings_of(const Workload& bounds);
/// UC: each verb alone and each ordered pair; UD: three SENDs.
std::vector<UnreliableWorkload> unreliable_of(Service service, std::uint32_t faults);
/// What is to be durable: WRITE_PERSISTs with a PACK of its own opcode, FLUSHes, ATOMIC WRITEs.
std::vector<Workload> persist_set();

/// All of it.
std::vector<AnyWorkload> standard_set();

/// "RC write, read, 2 packets, go_back_n, window 3, rd_atomic 1, F 1".
std::string describe(const Workload& workload);
std::string describe(const UnreliableWorkload& workload);

}  // namespace rnicsim::rc
