// SPDX-License-Identifier: Apache-2.0
// What clocks show to a thread of a program in strict mode: simulated time.
//
// It is the greater of the thread's own clock (its answers, posts and reads of clocks) and the simulator's time, which
// stands still while the thread computes. A process whose environment names a simulator connects at its first look at a
// clock, so that time is simulated from its beginning. Without a simulator, or in free mode, clocks are the machine's.
#pragma once

#include <cstdint>
#include <ctime>

namespace rnicsim::programs {

inline constexpr std::int64_t kPsPerNs = 1000;
inline constexpr std::int64_t kPsPerSecond = 1'000'000'000'000;
inline constexpr std::int64_t kNsPerSecond = 1'000'000'000;

/// Is time simulated for this thread?
bool has_simulated_time();

/// From here on it is not, for this process.
void leave_simulated_time();

/// Looks at the clock, which takes Welcome.clock_read. Precondition of both: has_simulated_time().
std::int64_t read_clock();
/// Nanoseconds since 1970 of what read_clock() said.
std::int64_t date_of(std::int64_t ps);
std::int64_t cycles_of(std::int64_t ps);

/// Until the thread's clock is later by so much. False: it cannot, and the machine's time has to do.
bool sleep_simulated(std::int64_t ps);

/// The simulator is gone: what clocks show goes on from here as fast as the machine's.
void go_on_alone(std::int64_t reached);

/// A time of the machine's kind: ps, at most some 100 days. Negative: none.
std::int64_t ps_of(const timespec& time);
timespec timespec_of(std::int64_t nanoseconds);

}  // namespace rnicsim::programs
