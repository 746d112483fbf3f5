// SPDX-License-Identifier: Apache-2.0
// What a program's processor works for, as a program may tell the simulator: by itself it computes in no simulated
// time. rnicsim_charge() is weak here: on a machine with a card, or without a simulator, it is not there.
#pragma once

#include <cstdint>

namespace rnicsim::programs {

/// Its cost is that of system.host.cpu of the program's host.
enum class ChargeKind : std::uint32_t {
    copy,         ///< bytes, of a buffer of so many
    touch,        ///< pages that nobody has touched before
    call,         ///< calls of another process of the host, each with its answer
    system_call,  ///< system calls, without what else they cost
    work          ///< picoseconds
};

}  // namespace rnicsim::programs

extern "C" {

/// The thread's time goes on by what this costs. `of`: of a copy, else 0. 0: nobody charges, as there is no simulator,
/// or it lets programs see the machine's clocks; else 1.
[[gnu::weak]] int rnicsim_charge(rnicsim::programs::ChargeKind kind, std::uint64_t amount, std::uint64_t of);
}
