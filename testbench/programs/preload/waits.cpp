// SPDX-License-Identifier: Apache-2.0
// poll() and epoll_wait() in simulated time. Events of the simulator come with that, and it goes on meanwhile; what
// waits for others only lets it go on, too, but no faster than the machine's: they know nothing of it.
#include "testbench/programs/preload/waits.h"

#include "testbench/programs/preload/connection.h"
#include "testbench/programs/preload/exchange.h"
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/raw.h"
#include "testbench/programs/preload/thread_clock.h"
#include "testbench/programs/preload/timerfds.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>

using namespace rnicsim::programs;

namespace {

constexpr int kMostDescriptors = 65536;
// What a look without waiting takes that finds nothing, or a loop of them would stay where it is: ps, doubled each
// time. It ends when something comes.
constexpr std::int64_t kLeastVain = 1'000'000, kMostVain = 100'000'000;
constexpr std::int64_t kPsPerMs = 1'000'000'000;

/// Descriptors of the simulator, and those of epoll that have one. A number that is used anew for something else only
/// makes waiting for it quicker.
class Descriptors {
  public:
    void add(int descriptor) {
        if (descriptor < 0 || descriptor >= kMostDescriptors) return;
        words_[descriptor / 64].fetch_or(std::uint64_t{1} << (descriptor % 64));
    }
    [[nodiscard]] bool has(int descriptor) const {
        if (descriptor < 0 || descriptor >= kMostDescriptors) return false;
        return (words_[descriptor / 64].load(std::memory_order_relaxed) >> (descriptor % 64) & 1) != 0;
    }

  private:
    std::array<std::atomic<std::uint64_t>, kMostDescriptors / 64> words_{};
};
constinit Descriptors g_ours;
constinit Descriptors g_timers;  // of timerfd, and those of epoll that have one
constinit thread_local std::int64_t t_vain = kLeastVain;

Next<int(pollfd*, nfds_t, int)> g_poll("poll");
Next<int(pollfd*, nfds_t, const timespec*, const sigset_t*)> g_ppoll("ppoll");
Next<int(int, int, int, epoll_event*)> g_epoll_ctl("epoll_ctl");
Next<int(int, epoll_event*, int, int, const sigset_t*)> g_epoll_pwait("epoll_pwait");
Next<int(int, epoll_event*, int, int)> g_epoll_wait("epoll_wait");
Next<int(int, epoll_event*, int, const timespec*, const sigset_t*)> g_epoll_pwait2("epoll_pwait2");

/// One wait of the thread: for the simulator, and for the others of `all`, whose last place is free for the connection.
/// 1: go on; 0: the time is over; -1 and errno.
int wait_once(pollfd* all, unsigned count, std::optional<std::int64_t> longest, const sigset_t* mask, Pace pace) {
    Connection& connection = thread_connection();
    const Wait request{.longest = longest.value_or(-1), .outside = 1, .paced = pace == Pace::machine ? 1U : 0U};
    const iovec part{const_cast<Wait*>(&request), sizeof request};
    if (send_request(connection, Op::wait, &part, 1) != 0) return 0;
    all[count] = {connection.fd, POLLIN, 0};
    const long woken = raw::poll_once(all, count + 1, mask);
    const int error = errno;
    const bool answered = woken > 0 && all[count].revents != 0;
    if (!answered && send_request(connection, Op::stop_waiting, nullptr, 0) != 0) return 0;
    Woken answer;
    const iovec into{&answer, sizeof answer};
    std::size_t got = 0;
    if (receive_answer(connection, {Op::wait, nullptr, 0, &into, 1, nullptr}, got) != 0) return 0;
    if (woken < 0) {
        errno = error;
        return -1;
    }
    return answered && answer.timed_out != 0 ? 0 : 1;
}

std::optional<std::int64_t> longest_of_ms(int milliseconds) {
    return milliseconds < 0 ? std::nullopt : std::optional(milliseconds * kPsPerMs);
}

struct PollLook {
    pollfd* all;
    nfds_t count;
};
int look_at(void* of) {
    const auto& polled = *static_cast<const PollLook*>(of);
    return g_poll(polled.all, polled.count, 0);
}
struct EpollLook {
    int epoll;
    epoll_event* events;
    int most;
};
int look_at_epoll(void* of) {
    const auto& look = *static_cast<const EpollLook*>(of);
    return g_epoll_wait(look.epoll, look.events, look.most, 0);
}

/// How to wait for them, if in simulated time; nothing: in the machine's.
std::optional<Pace> pace_of(bool ours, bool timers, std::optional<std::int64_t> longest) {
    if ((!ours && !timers && !longest) || !can_wait()) return std::nullopt;
    return ours ? Pace::simulator : Pace::machine;
}

/// Who waits for others only, without end or not at all, waits as ever.
template <class Real>
int poll_of(pollfd* all, nfds_t count, std::optional<std::int64_t> longest, const sigset_t* mask, Real real) {
    if (!raw::has(all, std::min<nfds_t>(count, kMostWatched) * sizeof *all)) return real();  // EFAULT
    const std::optional<Pace> pace = pace_of_descriptors(all, count, longest);
    if (!pace) return real();
    if (count > kMostWatched) return waited_outside(real(), longest.value_or(0));
    if (*pace == Pace::machine && longest == 0) {
        const int ready = real();
        if (ready == 0) look_in_vain();
        return ready;
    }
    return poll_simulated(all, count, longest, mask, *pace);
}

template <class Real>
int epoll_of(int epoll, epoll_event* events, int most, std::optional<std::int64_t> longest, const sigset_t* mask,
             Real real) {
    const std::optional<Pace> pace = pace_of(g_ours.has(epoll), g_timers.has(epoll), longest);
    if (!pace) return real();
    if (*pace == Pace::machine && longest == 0) {
        const int ready = real();
        if (ready == 0) look_in_vain();
        return ready;
    }
    std::array<pollfd, 2> both{{{epoll, POLLIN, 0}}};
    EpollLook look{epoll, events, most};
    return wait_simulated(both.data(), 1, longest, mask, *pace, {look_at_epoll, &look});
}

}  // namespace

namespace rnicsim::programs {

void watch_descriptor(int descriptor) { g_ours.add(descriptor); }
void watch_timer(int descriptor) { g_timers.add(descriptor); }

std::optional<Pace> pace_of_descriptors(pollfd* all, nfds_t count, std::optional<std::int64_t> longest) {
    const auto any = [&](const Descriptors& of) {
        return std::any_of(all, all + std::min<nfds_t>(count, kMostWatched),
                           [&](const pollfd& each) { return of.has(each.fd); });
    };
    // Nothing else can end it: a sleep, or a timer alone.
    const bool of_time = (count == 0 && longest) || (count == 1 && is_timerfd(all->fd));
    return pace_of(of_time || any(g_ours), any(g_timers), longest);
}

bool can_wait() {
    return has_simulated_time() && !thread_connection().busy &&
           connect_thread(thread_connection(), Complaints::none) == 0;
}

std::optional<std::int64_t> longest_of(const timespec* time) {
    return time == nullptr ? std::nullopt : std::optional(std::max<std::int64_t>(ps_of(*time), 0));
}

int wait_simulated(pollfd* all, unsigned count, std::optional<std::int64_t> longest, const sigset_t* mask, Pace pace,
                   Look look, std::int64_t* left_over) {
    Connection& connection = thread_connection();
    connection.clock = std::max(connection.clock, simulated_now());
    const std::int64_t begun = connection.clock, asked = longest.value_or(0);
    const auto done = [&](int result) {
        if (left_over != nullptr) *left_over = std::max<std::int64_t>(begun + asked - connection.clock, 0);
        return result;
    };
    if (const int ready = look.ready(look.of); ready != 0) {
        t_vain = kLeastVain;
        return done(ready);
    }
    const std::int64_t until = begun + std::max(asked, t_vain);
    t_vain = std::min(2 * t_vain, kMostVain);
    for (;;) {
        std::optional<std::int64_t> left;
        if (longest) left = std::max<std::int64_t>(until - connection.clock, 0);
        const int went = wait_once(all, count, left, mask, pace);
        if (went < 0) return done(went);
        const int ready = look.ready(look.of);
        if (ready != 0 || went == 0) return done(ready);
    }
}

int poll_simulated(pollfd* all, nfds_t count, std::optional<std::int64_t> longest, const sigset_t* mask, Pace pace) {
    std::array<pollfd, kMostWatched + 1> copy{};
    std::copy_n(all, count, copy.begin());
    PollLook polled{all, count};
    return wait_simulated(copy.data(), static_cast<unsigned>(count), longest, mask, pace, {look_at, &polled});
}

int waited_outside(int result, std::int64_t ps) {
    if (result == 0) sleep_simulated(ps);
    return result;
}

}  // namespace rnicsim::programs

extern "C" {

int poll(pollfd* all, nfds_t count, int milliseconds) {
    return poll_of(all, count, longest_of_ms(milliseconds), nullptr, [&] { return g_poll(all, count, milliseconds); });
}
int ppoll(pollfd* all, nfds_t count, const timespec* time, const sigset_t* mask) {
    return poll_of(all, count, longest_of(time), mask, [&] { return g_ppoll(all, count, time, mask); });
}
// What they become in programs that are built with _FORTIFY_SOURCE.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are libc's
int __poll_chk(pollfd* all, nfds_t count, int milliseconds, size_t room) {
    if (room / sizeof *all < count) std::abort();
    return ::poll(all, count, milliseconds);
}
int __ppoll_chk(pollfd* all, nfds_t count, const timespec* time, const sigset_t* mask, size_t room) {
    if (room / sizeof *all < count) std::abort();
    return ::ppoll(all, count, time, mask);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

int epoll_ctl(int epoll, int what, int descriptor, epoll_event* event) noexcept {
    if (what == EPOLL_CTL_ADD && g_ours.has(descriptor)) g_ours.add(epoll);
    if (what == EPOLL_CTL_ADD && g_timers.has(descriptor)) g_timers.add(epoll);
    return g_epoll_ctl(epoll, what, descriptor, event);
}

int epoll_wait(int epoll, epoll_event* events, int most, int milliseconds) {
    return epoll_of(epoll, events, most, longest_of_ms(milliseconds), nullptr,
                    [&] { return g_epoll_wait(epoll, events, most, milliseconds); });
}
int epoll_pwait(int epoll, epoll_event* events, int most, int milliseconds, const sigset_t* mask) {
    return epoll_of(epoll, events, most, longest_of_ms(milliseconds), mask,
                    [&] { return g_epoll_pwait(epoll, events, most, milliseconds, mask); });
}
int epoll_pwait2(int epoll, epoll_event* events, int most, const timespec* time, const sigset_t* mask) {
    return epoll_of(epoll, events, most, longest_of(time), mask,
                    [&] { return g_epoll_pwait2(epoll, events, most, time, mask); });
}
}
