// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/preload/connection.h"

#include "testbench/programs/preload/client.h"
#include "testbench/programs/preload/exchange.h"
#include "testbench/programs/preload/raw.h"
#include "testbench/programs/preload/thread_clock.h"
#include "testbench/programs/preload/tsc.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/un.h>

#include <atomic>
#include <cstring>

namespace rnicsim::programs {
namespace {

// No constructor and no destructor: it is there from a thread's first instruction to its last.
constinit thread_local Connection t_connection;

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
Connection* g_open = nullptr;
pthread_key_t g_key;
pthread_once_t g_once = PTHREAD_ONCE_INIT;
std::atomic<const ClockPage*> g_page{nullptr};
std::atomic<bool> g_gone{false};
std::atomic<bool> g_said{false};

void say_once(const char* what, const char* of) {
    if (!g_said.exchange(true)) rnicsim_say(what, of);
}

/// Once a process.
void map_clock(int page) {
    if (g_page.load() == nullptr) {
        void* const at = raw::map_shared(page, sizeof(ClockPage));
        if (at != MAP_FAILED) g_page.store(static_cast<const ClockPage*>(at));
    }
    raw::close(page);
}

void close_socket(Connection& of) {
    if (of.fd < 0) return;
    pthread_mutex_lock(&g_lock);
    (of.previous != nullptr ? of.previous->next : g_open) = of.next;
    if (of.next != nullptr) of.next->previous = of.previous;
    of.next = of.previous = nullptr;
    pthread_mutex_unlock(&g_lock);
    raw::close(of.fd);
    of.fd = -1;
}

// A key and not a destructor of thread_local: other keys' destructors may still call verbs, then this one runs again.
void end_of_thread(void* connection) { close_socket(*static_cast<Connection*>(connection)); }

// The child has the sockets of all threads of its parent: closed, or the simulator would not see those threads' end.
void in_child() {
    for (Connection* each = g_open; each != nullptr;) {
        Connection* const next = each->next;
        raw::close(each->fd);
        each->fd = -1;
        each->next = each->previous = nullptr;
        each = next;
    }
    g_open = nullptr;
    pthread_mutex_unlock(&g_lock);
}

void prepare_process() {
    pthread_key_create(&g_key, end_of_thread);
    pthread_atfork([] { pthread_mutex_lock(&g_lock); }, [] { pthread_mutex_unlock(&g_lock); }, in_child);
}

void remember(Connection& connection) {
    pthread_mutex_lock(&g_lock);
    connection.next = g_open;
    if (g_open != nullptr) g_open->previous = &connection;
    g_open = &connection;
    pthread_mutex_unlock(&g_lock);
    pthread_setspecific(g_key, &connection);
}

/// Who may write into this process's memory has to be the same user.
bool is_of_this_user(int fd) {
    ucred peer{};
    socklen_t bytes = sizeof peer;
    return raw::option(fd, SOL_SOCKET, SO_PEERCRED, &peer, bytes) == 0 && peer.uid == raw::user();
}

/// A socket to the simulator, or -1 and errno.
int open_socket(const char* path) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    if (std::strlen(path) >= sizeof to.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    std::memcpy(to.sun_path, path, std::strlen(path) + 1);
    const int fd = raw::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    const bool connected = raw::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    if (connected && is_of_this_user(fd)) return fd;
    const int error = connected ? EPERM : errno;
    raw::close(fd);
    errno = error;
    return -1;
}

Hello hello() {
    Hello made;
    made.thread = raw::thread();
    if (const char* const host = std::getenv(kHostVariable)) std::strncpy(made.host, host, sizeof made.host - 1);
    std::strncpy(made.program, program_invocation_short_name, sizeof made.program - 1);
    return made;
}

}  // namespace

Connection& thread_connection() { return t_connection; }

std::int64_t simulated_now() {
    const ClockPage* const page = g_page.load(std::memory_order_relaxed);
    return page == nullptr ? 0 : __atomic_load_n(&page->now, __ATOMIC_ACQUIRE);
}

bool simulator_gone() { return g_gone.load(std::memory_order_relaxed); }

int lose_simulator(Connection& connection, const char* why) {
    if (!g_gone.load()) go_on_alone(std::max(connection.clock, simulated_now()));
    g_gone.store(true);
    close_socket(connection);
    say_once("the simulator is lost, from here on verbs fail with EIO: ", why);
    return EIO;
}

int connect_thread(Connection& connection, Complaints complaints) {
    if (simulator_gone()) return EIO;
    if (connection.fd >= 0) return 0;
    const auto complain = [complaints](const char* what, const char* of) {
        if (complaints != Complaints::none) say_once(what, of);
    };
    const char* const path = std::getenv(kSocketVariable);
    if (path == nullptr || *path == '\0') {
        complain("no simulator, as there is no environment variable ", kSocketVariable);
        return ENODEV;
    }
    const int fd = open_socket(path);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE)) return errno;  // later there may be a place
    if (fd < 0) {
        complain(errno == EPERM ? "another user's process, and no simulator of this one, is at " : "no simulator at ",
                 path);
        return ENODEV;
    }
    pthread_once(&g_once, prepare_process);
    connection.fd = fd;
    remember(connection);
    const Hello request = hello();
    const iovec part{const_cast<Hello*>(&request), sizeof request};
    std::size_t got = 0;
    const iovec into{&connection.welcome, sizeof connection.welcome};
    int page = -1;
    int error = exchange(connection, {Op::hello, &part, 1, &into, 1, &page}, got);
    if (error == 0) map_clock(page);
    if (error == EMFILE && g_page.load() != nullptr) error = 0;  // it has the page of another thread
    if (error == 0 && got == sizeof connection.welcome) {
        if (connection.welcome.strict != 0) trap_tsc();
        return 0;
    }
    if (error == 0) return lose_simulator(connection, "its welcome is not one of this version");
    if (simulator_gone()) return EIO;
    close_socket(connection);
    if (error == EMFILE) return error;
    say_once("the simulator refuses this program: ", std::strerror(error));
    return error;
}

}  // namespace rnicsim::programs
