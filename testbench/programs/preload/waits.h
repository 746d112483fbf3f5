// SPDX-License-Identifier: Apache-2.0
// Waiting for descriptors in simulated time, in strict mode: events of the simulator come with that, all else does not.
#pragma once

#include <poll.h>

#include <csignal>
#include <cstdint>
#include <ctime>
#include <optional>

namespace rnicsim::programs {

/// A descriptor on which the simulator sends events.
void watch_descriptor(int descriptor);
/// A descriptor of timerfd: who waits for it waits for what else may come as well.
void watch_timer(int descriptor);

/// The thread can wait in simulated time now.
[[nodiscard]] bool can_wait();

/// Who drives the time meanwhile.
enum class Pace : bool {
    simulator,  ///< what is waited for comes with simulated time
    machine,    ///< ... or from outside, at any moment: for this wait alone time goes on no faster than the machine's
};
inline constexpr unsigned kMostWatched = 1024;  // of one call; those with more wait in the machine's time
/// How to wait for these; nothing: as ever, in the machine's time.
[[nodiscard]] std::optional<Pace> pace_of_descriptors(pollfd* all, nfds_t count,
                                                      std::optional<std::int64_t> longest_ps);

/// As poll(2), in simulated time. Precondition: can_wait().
int poll_simulated(pollfd* all, nfds_t count, std::optional<std::int64_t> longest_ps, const sigset_t* mask, Pace pace);

/// A wait with descriptors that says itself, by `look`, what is ready by now. `all` has room for one more. `left`:
/// null, or where the rest of the time goes, ps.
struct Look {
    int (*ready)(void* of);
    void* of;
};
int wait_simulated(pollfd* all, unsigned count, std::optional<std::int64_t> longest_ps, const sigset_t* mask, Pace pace,
                   Look look, std::int64_t* left = nullptr);

/// Too many for one call have waited in vain, in the machine's time: as long passes in simulated time.
int waited_outside(int result, std::int64_t ps);
/// A look at descriptors of others, or a yield, has found nothing: after some in a row they take time.
void look_in_vain();

[[nodiscard]] std::optional<std::int64_t> longest_of(const timespec* time);

}  // namespace rnicsim::programs
