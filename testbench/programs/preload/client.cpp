// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/preload/client.h"

#include "testbench/programs/preload/connection.h"
#include "testbench/programs/preload/exchange.h"
#include "testbench/programs/preload/raw.h"
#include "testbench/programs/preload/waits.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

using namespace rnicsim::programs;

namespace {

constexpr unsigned kManyEvents = 8;  // the least room that sockets have for them, and more

/// A waiting thread may be cancelled though the system call that it is in is no cancellation point.
class Cancellable {
  public:
    Cancellable() { pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before_); }
    ~Cancellable() { pthread_setcanceltype(before_, nullptr); }
    Cancellable(const Cancellable&) = delete;
    Cancellable& operator=(const Cancellable&) = delete;

  private:
    int before_ = PTHREAD_CANCEL_DEFERRED;
};

/// Real time is what counts: sleeps until the descriptor or the simulator's end.
int wait_freely(Connection& connection, int descriptor) {
    std::array<pollfd, 2> both{{{descriptor, POLLIN, 0}, {connection.fd, POLLIN, 0}}};
    {
        const Cancellable here;
        if (raw::poll(both.data(), both.size()) < 0) return errno;
    }
    if (both[0].revents != 0) return 0;
    return lose_simulator(connection, "it has closed its socket");
}

/// Simulated time is what counts: the simulator says when something has happened to this process.
int wait_strictly(Connection& connection) {
    const Wait request{.longest = -1};
    const iovec part{const_cast<Wait*>(&request), sizeof request};
    Woken answer;
    const Cancellable here;
    const iovec into{&answer, sizeof answer};
    std::size_t got = 0;
    return exchange(connection, {Op::wait, &part, 1, &into, 1, nullptr}, got);
}

int call(const Exchange& what, std::size_t* got) {
    Connection& connection = thread_connection();
    if (const int error = connect_thread(connection); error != 0) return error;
    std::size_t unwanted = 0;
    return exchange(connection, what, got == nullptr ? unwanted : *got);
}

bool is_strict() { return thread_connection().fd >= 0 && thread_connection().welcome.strict != 0; }

/// Lets the simulator do what it has to do for this thread, in no time.
int look() {
    const Wait request{};
    const iovec part{const_cast<Wait*>(&request), sizeof request};
    Woken answer;
    const iovec into{&answer, sizeof answer};
    return call({Op::wait, &part, 1, &into, 1, nullptr}, nullptr);
}

}  // namespace

int rnicsim_call(Op op, const iovec* request, unsigned parts, void* answer, std::size_t room, std::size_t* got,
                 int* descriptor) {
    const iovec into{answer, room};
    const int error = call({op, request, parts, &into, room == 0 ? 0U : 1U, descriptor}, got);
    if (error == 0 && descriptor != nullptr) (op == Op::make_timer ? watch_timer : watch_descriptor)(*descriptor);
    return error;
}

int rnicsim_call_into(Op op, const iovec* request, unsigned parts, const iovec* answer, unsigned answer_parts,
                      std::size_t* got) {
    return call({op, request, parts, answer, answer_parts, nullptr}, got);
}

int rnicsim_tell(Op op, const iovec* request, unsigned parts, std::int64_t cost) {
    Connection& connection = thread_connection();
    if (const int error = connect_thread(connection); error != 0) return error;
    const int error = send_request(connection, op, request, parts);
    connection.clock += cost;
    return error;
}

int rnicsim_wait(int descriptor) {
    Connection& connection = thread_connection();
    if (const int error = connect_thread(connection); error != 0) return error;
    return connection.welcome.strict == 0 ? wait_freely(connection, descriptor) : wait_strictly(connection);
}

int rnicsim_read_event(int descriptor, void* event, std::size_t bytes) {
    static constinit thread_local unsigned events_in_a_row = 0;
    for (;;) {
        const ssize_t got = raw::take(descriptor, event, bytes);
        if (got == static_cast<ssize_t>(bytes)) {
            ++events_in_a_row;
            return 0;
        }
        if (got >= 0) return EIO;
        if (errno != EAGAIN) return errno;
        if (raw::waits(descriptor)) {
            if (const int error = rnicsim_wait(descriptor); error != 0) return error;
            continue;
        }
        // There may be more than the socket had room for, which comes when the simulator is asked for something.
        if (std::exchange(events_in_a_row, 0) < kManyEvents || !is_strict() || look() != 0) return EAGAIN;
    }
}

const Welcome* rnicsim_welcome() {
    Connection& connection = thread_connection();
    return connect_thread(connection) == 0 ? &connection.welcome : nullptr;
}

std::int64_t rnicsim_clock() { return std::max(thread_connection().clock, simulated_now()); }

void rnicsim_reach(std::int64_t at) {
    Connection& connection = thread_connection();
    connection.clock = std::max(connection.clock, at);
}

void rnicsim_say(const char* what, const char* of) {
    std::array<char, 256> line{};
    const int length = std::snprintf(line.data(), line.size(), "rnicsim: %s%s\n", what, of);
    if (length <= 0) return;
    const auto bytes = std::min(static_cast<std::size_t>(length), line.size() - 1);
    line[bytes - 1] = '\n';
    [[maybe_unused]] const ssize_t written = raw::write(STDERR_FILENO, line.data(), bytes);
}
