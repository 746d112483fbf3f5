// SPDX-License-Identifier: Apache-2.0
// select() in simulated time, as poll() is (waits.cpp).
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/raw.h"
#include "testbench/programs/preload/thread_clock.h"
#include "testbench/programs/preload/waits.h"

#include <sys/select.h>

#include <algorithm>
#include <array>

using namespace rnicsim::programs;

namespace {

constexpr std::int64_t kPsPerUs = 1'000'000, kUsPerSecond = 1'000'000;

Next<int(int, fd_set*, fd_set*, fd_set*, timeval*)> g_select("select");
Next<int(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*)> g_pselect("pselect");

/// Sets as they were asked for: a look changes those of the caller.
struct Sets {
    /// All of them are memory: a whole set is read, as libc's is.
    [[nodiscard]] static bool are_there(const fd_set* reads, const fd_set* writes, const fd_set* others) {
        const auto has = [](const fd_set* set) { return set == nullptr || raw::has(set, sizeof *set); };
        return has(reads) && has(writes) && has(others);
    }
    int end;
    fd_set* of[3];
    fd_set asked[3]{};
    Sets(int end_of, fd_set* reads, fd_set* writes, fd_set* others)
        : end(std::clamp(end_of, 0, FD_SETSIZE)), of{reads, writes, others} {
        for (int i = 0; i < 3; ++i) {
            FD_ZERO(&asked[i]);
            if (of[i] != nullptr) asked[i] = *of[i];
        }
    }
    [[nodiscard]] unsigned list(pollfd* to) const {
        constexpr std::array<short, 3> kEvents{POLLIN, POLLOUT, POLLPRI};
        unsigned count = 0;
        for (int descriptor = 0; descriptor < end; ++descriptor) {
            short events = 0;
            for (int i = 0; i < 3; ++i) {
                if (FD_ISSET(descriptor, &asked[i])) events = static_cast<short>(events | kEvents[i]);
            }
            if (events != 0) to[count++] = {descriptor, events, 0};
        }
        return count;
    }
    int look() const {
        for (int i = 0; i < 3; ++i) {
            if (of[i] != nullptr) *of[i] = asked[i];
        }
        timeval none{};
        return g_select(end, of[0], of[1], of[2], &none);
    }
};
int look_at(void* of) { return static_cast<const Sets*>(of)->look(); }

/// `left`: as wait_simulated.
template <class Real>
int select_of(const Sets& sets, std::optional<std::int64_t> longest, const sigset_t* mask, std::int64_t* left,
              Real real) {
    std::array<pollfd, kMostWatched + 1> all{};
    const unsigned count = sets.list(all.data());
    const std::optional<Pace> pace = pace_of_descriptors(all.data(), count, longest);
    if (!pace) return real();
    if (*pace == Pace::machine && longest == 0) {
        const int ready = real();
        if (ready == 0) look_in_vain();
        return ready;
    }
    return wait_simulated(all.data(), count, longest, mask, *pace, {look_at, const_cast<Sets*>(&sets)}, left);
}

}  // namespace

static_assert(FD_SETSIZE <= kMostWatched);

extern "C" {

/// As Linux does, it leaves what is left of the time.
int select(int end, fd_set* reads, fd_set* writes, fd_set* others, timeval* time) {
    const bool is_time = time == nullptr || (time->tv_sec >= 0 && time->tv_usec >= 0);
    if (end < 0 || !is_time || !Sets::are_there(reads, writes, others))
        return g_select(end, reads, writes, others, time);
    std::optional<std::int64_t> longest;
    if (time != nullptr) {
        const std::int64_t us = time->tv_sec * kUsPerSecond + time->tv_usec;
        longest = std::max<std::int64_t>(ps_of({us / kUsPerSecond, us % kUsPerSecond * 1000}), 0);
    }
    std::int64_t left = -1;
    const int result = select_of({end, reads, writes, others}, longest, nullptr, &left,
                                 [&] { return g_select(end, reads, writes, others, time); });
    if (time != nullptr && left >= 0) {
        const std::int64_t us = left / kPsPerUs;
        *time = {us / kUsPerSecond, us % kUsPerSecond};
    }
    return result;
}

int pselect(int end, fd_set* reads, fd_set* writes, fd_set* others, const timespec* time, const sigset_t* mask) {
    if (end < 0 || (time != nullptr && ps_of(*time) < 0) || !Sets::are_there(reads, writes, others))
        return g_pselect(end, reads, writes, others, time, mask);
    return select_of({end, reads, writes, others}, longest_of(time), mask, nullptr,
                     [&] { return g_pselect(end, reads, writes, others, time, mask); });
}
}
