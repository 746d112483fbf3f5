// poll(), select() and epoll_wait() where one of the descriptors is the simulator's: its events come in simulated time,
// and that goes on meanwhile; so does the time that is waited for. What waits for other descriptors only is the
// system's.
#include "testbench/programs/preload/waits.h"

#include "testbench/programs/preload/connection.h"
#include "testbench/programs/preload/exchange.h"
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/raw.h"
#include "testbench/programs/preload/thread_clock.h"

#include <sys/epoll.h>
#include <sys/select.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

using namespace rnicsim::programs;

namespace {

constexpr int kMostDescriptors = 65536;
// What a look without waiting takes that finds nothing, or a loop of them would stay where it is: ps, doubled each
// time. It ends when something comes.
constexpr std::int64_t kLeastVain = 1'000'000, kMostVain = 100'000'000;
constexpr std::int64_t kPsPerMs = 1'000'000'000;
constexpr unsigned kMostWatched = FD_SETSIZE;  // of one call; those with more wait in the machine's time

/// Descriptors of the simulator, and those of epoll that have one. A number that is used anew for something else only
/// makes waiting for it simulated.
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
constinit thread_local std::int64_t t_vain = kLeastVain;

Next<int(pollfd*, nfds_t, int)> g_poll("poll");
Next<int(pollfd*, nfds_t, const timespec*, const sigset_t*)> g_ppoll("ppoll");
Next<int(int, fd_set*, fd_set*, fd_set*, timeval*)> g_select("select");
Next<int(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*)> g_pselect("pselect");
Next<int(int, int, int, epoll_event*)> g_epoll_ctl("epoll_ctl");
Next<int(int, epoll_event*, int, int, const sigset_t*)> g_epoll_pwait("epoll_pwait");
Next<int(int, epoll_event*, int, int)> g_epoll_wait("epoll_wait");

/// One wait of the thread: for the simulator, and for the others of `all`, whose last place is free for the connection.
/// 1: go on; 0: the time is over; -1 and errno.
int wait_once(pollfd* all, unsigned count, std::optional<std::int64_t> longest, const sigset_t* mask) {
    Connection& connection = thread_connection();
    const Wait request{.longest = longest.value_or(-1), .outside = 1};
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

/// `look`: says what is ready by now, and never waits.
template <class Look>
int wait_for(pollfd* all, unsigned count, std::optional<std::int64_t> longest, const sigset_t* mask, Look look) {
    if (const int ready = look(); ready != 0) {
        t_vain = kLeastVain;
        return ready;
    }
    Connection& connection = thread_connection();
    connection.clock = std::max(connection.clock, simulated_now());
    const std::int64_t until = connection.clock + std::max(longest.value_or(0), t_vain);
    t_vain = std::min(2 * t_vain, kMostVain);
    for (;;) {
        std::optional<std::int64_t> left;
        if (longest) left = std::max<std::int64_t>(until - connection.clock, 0);
        const int went = wait_once(all, count, left, mask);
        if (went < 0) return went;
        const int ready = look();
        if (ready != 0 || went == 0) return ready;
    }
}

/// A wait in simulated time is possible, and wanted for one of these.
bool has_ours(const pollfd* all, nfds_t count) {
    if (count > kMostWatched) return false;
    return std::any_of(all, all + count, [](const pollfd& each) { return g_ours.has(each.fd); });
}
bool can_wait() {
    return has_simulated_time() && !thread_connection().busy &&
           connect_thread(thread_connection(), Complaints::none) == 0;
}

std::optional<std::int64_t> longest_of(int milliseconds) {
    return milliseconds < 0 ? std::nullopt : std::optional(milliseconds * kPsPerMs);
}
std::optional<std::int64_t> longest_of(const timespec* time) {
    return time == nullptr ? std::nullopt : std::optional(std::max<std::int64_t>(ps_of(*time), 0));
}

int poll_simulated(pollfd* all, nfds_t count, std::optional<std::int64_t> longest, const sigset_t* mask) {
    std::array<pollfd, kMostWatched + 1> copy{};
    std::copy_n(all, count, copy.begin());
    return wait_for(copy.data(), static_cast<unsigned>(count), longest, mask, [&] { return g_poll(all, count, 0); });
}

int epoll_simulated(int epoll, epoll_event* events, int most, std::optional<std::int64_t> longest,
                    const sigset_t* mask) {
    std::array<pollfd, 2> both{{{epoll, POLLIN, 0}}};
    return wait_for(both.data(), 1, longest, mask, [&] { return g_epoll_wait(epoll, events, most, 0); });
}

/// Sets as they were asked for: a look changes those of the caller.
struct Sets {
    fd_set* of[3];
    fd_set asked[3]{};
    Sets(fd_set* reads, fd_set* writes, fd_set* others) : of{reads, writes, others} {
        for (int i = 0; i < 3; ++i) {
            FD_ZERO(&asked[i]);
            if (of[i] != nullptr) asked[i] = *of[i];
        }
    }
    [[nodiscard]] unsigned list(int end, pollfd* to) const {
        constexpr std::array<short, 3> kEvents{POLLIN, POLLOUT, POLLPRI};
        unsigned count = 0;
        for (int descriptor = 0; descriptor < std::min(end, FD_SETSIZE); ++descriptor) {
            short events = 0;
            for (int i = 0; i < 3; ++i) {
                if (FD_ISSET(descriptor, &asked[i])) events = static_cast<short>(events | kEvents[i]);
            }
            if (events != 0) to[count++] = {descriptor, events, 0};
        }
        return count;
    }
    void restore() const {
        for (int i = 0; i < 3; ++i) {
            if (of[i] != nullptr) *of[i] = asked[i];
        }
    }
};

bool select_is_ours(int end, const fd_set* reads) {
    if (reads == nullptr) return false;
    for (int descriptor = 0; descriptor < std::min(end, FD_SETSIZE); ++descriptor) {
        if (FD_ISSET(descriptor, reads) && g_ours.has(descriptor)) return true;
    }
    return false;
}

int select_simulated(int end, const Sets& sets, std::optional<std::int64_t> longest, const sigset_t* mask) {
    std::array<pollfd, kMostWatched + 1> all{};
    const unsigned count = sets.list(end, all.data());
    return wait_for(all.data(), count, longest, mask, [&] {
        sets.restore();
        timeval none{};
        return g_select(end, sets.of[0], sets.of[1], sets.of[2], &none);
    });
}

}  // namespace

namespace rnicsim::programs {

void watch_descriptor(int descriptor) { g_ours.add(descriptor); }

}  // namespace rnicsim::programs

extern "C" {

int poll(pollfd* all, nfds_t count, int milliseconds) {
    if (!has_ours(all, count) || !can_wait()) return g_poll(all, count, milliseconds);
    return poll_simulated(all, count, longest_of(milliseconds), nullptr);
}

int ppoll(pollfd* all, nfds_t count, const timespec* time, const sigset_t* mask) {
    if (!has_ours(all, count) || !can_wait()) return g_ppoll(all, count, time, mask);
    return poll_simulated(all, count, longest_of(time), mask);
}

int select(int end, fd_set* reads, fd_set* writes, fd_set* others, timeval* time) {
    if (!select_is_ours(end, reads) || !can_wait()) return g_select(end, reads, writes, others, time);
    std::optional<std::int64_t> longest;
    if (time != nullptr) longest = ps_of({time->tv_sec, time->tv_usec * 1000});
    return select_simulated(end, {reads, writes, others}, longest, nullptr);
}

int pselect(int end, fd_set* reads, fd_set* writes, fd_set* others, const timespec* time, const sigset_t* mask) {
    if (!select_is_ours(end, reads) || !can_wait()) return g_pselect(end, reads, writes, others, time, mask);
    return select_simulated(end, {reads, writes, others}, longest_of(time), mask);
}

int epoll_ctl(int epoll, int what, int descriptor, epoll_event* event) noexcept {
    if (what == EPOLL_CTL_ADD && g_ours.has(descriptor)) g_ours.add(epoll);
    return g_epoll_ctl(epoll, what, descriptor, event);
}

int epoll_wait(int epoll, epoll_event* events, int most, int milliseconds) {
    if (!g_ours.has(epoll) || !can_wait()) return g_epoll_wait(epoll, events, most, milliseconds);
    return epoll_simulated(epoll, events, most, longest_of(milliseconds), nullptr);
}

int epoll_pwait(int epoll, epoll_event* events, int most, int milliseconds, const sigset_t* mask) {
    if (!g_ours.has(epoll) || !can_wait()) return g_epoll_pwait(epoll, events, most, milliseconds, mask);
    return epoll_simulated(epoll, events, most, longest_of(milliseconds), mask);
}
}
