// SPDX-License-Identifier: Apache-2.0
// The stand-in as a program: fake_simulator SOCKET [strict] [slow] [end-after N] [lie-after N]
//   strict       says that time is simulated: each request costs what Welcome says and 1 ns
//   slow         takes 300 us for each message of posts
//   end-after N  is gone before it answers request N
//   lie-after N  answers request N with a length that is none
// It writes "ready" when it listens, and ends with its standard input.
#include "testbench/tests/programs/fake_state.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <string>

using namespace rnicsim::programs;
using namespace rnicsim::programs::fake;

namespace {

constexpr std::int64_t kPsPerNs = 1000;

struct Connection {
    int socket = -1;
    pid_t process = 0;
    bool waits = false;  ///< for an event
    bool told = false;   ///< one was sent since the last answer
    std::int64_t at = 0;
};

struct Options {
    bool strict = false, slow = false;
    long end_after = 0, lie_after = 0;
};

class Server {
  public:
    explicit Server(const Options& options) : options_(options) {}

    void add(int socket) {
        ucred peer{};
        socklen_t bytes = sizeof peer;
        getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes);
        connections_.push_back({.socket = socket, .process = peer.pid});
    }

    [[nodiscard]] std::vector<pollfd> watched() const {
        std::vector<pollfd> all;
        for (const Connection& each : connections_) all.push_back({each.socket, POLLIN, 0});
        return all;
    }

    void serve(int socket) {
        const auto found = std::ranges::find(connections_, socket, &Connection::socket);
        if (found == connections_.end()) return;
        if (!serve(*found)) drop(found);
        wake();
    }

  private:
    bool serve(Connection& from) {
        Bytes message(kMostMessage);
        const ssize_t got = recv(from.socket, message.data(), message.size(), 0);
        if (got <= 0) return false;
        Reader in{message.data(), message.data() + got};
        const auto header = in.take<RequestHeader>();
        if (!in.good || header.bytes != static_cast<std::size_t>(got)) return false;
        if (++requests_ == options_.end_after) std::exit(0);
        from.at = header.at;
        state_.now = std::max(state_.now, header.at) + kPsPerNs;
        if (header.op == Op::post_send || header.op == Op::post_receive || header.op == Op::post_srq_receive ||
            header.op == Op::arm) {
            if (options_.slow && header.op != Op::arm) usleep(300);
            hear(state_, from.process, header.op, in);
            return true;
        }
        if (header.op == Op::wait && !from.told) {
            from.waits = true;
            return true;
        }
        respond(from, header.op, in);
        return true;
    }

    void respond(Connection& to, Op op, Reader in) {
        Bytes body;
        int descriptor = -1;
        AnswerHeader header{.now = options_.strict ? to.at + kPsPerNs : 0};
        if (op == Op::hello) {
            append(body, welcome());
            descriptor = clock_page();
        } else if (op == Op::wait)
            append(body, Woken{});
        else
            header.error = fake::answer(state_, to.process, op, in, body, descriptor);
        if (header.error != 0) body.clear();
        header.bytes = static_cast<std::uint32_t>(sizeof header + body.size());
        if (requests_ == options_.lie_after) ++header.bytes;
        to.told = to.waits = false;
        send(to.socket, header, body, descriptor);
    }

    /// Time 0: threads go by what they are answered.
    static int clock_page() {
        const int page = memfd_create("clock", MFD_CLOEXEC);
        if (ftruncate(page, sizeof(ClockPage)) != 0) std::exit(1);
        return page;
    }

    [[nodiscard]] Welcome welcome() const {
        return {.strict = options_.strict,
                .hosts = 1,
                .post = 250 * kPsPerNs,
                .push = 130 * kPsPerNs,
                .receive = 60 * kPsPerNs,
                .start = 1'700'000'000'000'000'000};
    }

    static void send(int socket, AnswerHeader& header, Bytes& body, int descriptor) {
        iovec parts[2] = {{&header, sizeof header}, {body.data(), body.size()}};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)]{};
        msghdr message{};
        message.msg_iov = parts;
        message.msg_iovlen = 2;
        if (descriptor >= 0) {
            message.msg_control = control;
            message.msg_controllen = sizeof control;
            cmsghdr* const rights = CMSG_FIRSTHDR(&message);
            rights->cmsg_level = SOL_SOCKET;
            rights->cmsg_type = SCM_RIGHTS;
            rights->cmsg_len = CMSG_LEN(sizeof descriptor);
            std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
        }
        sendmsg(socket, &message, MSG_NOSIGNAL);
        if (descriptor >= 0) close(descriptor);
    }

    void drop(std::list<Connection>::iterator which) {
        const pid_t process = which->process;
        close(which->socket);
        connections_.erase(which);
        const auto same = [process](const Connection& each) { return each.process == process; };
        if (std::ranges::none_of(connections_, same)) forget(state_, process);
    }

    /// Threads of processes to which something was sent.
    void wake() {
        for (Connection& each : connections_) {
            if (std::ranges::find(state_.told, each.process) == state_.told.end()) continue;
            each.told = true;
            if (each.waits) respond(each, Op::wait, {nullptr, nullptr});
        }
        state_.told.clear();
    }

    Options options_;
    State state_;
    std::list<Connection> connections_;
    long requests_ = 0;
};

int listen_at(const char* path) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    const int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (bind(listener, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 || listen(listener, 64) != 0) {
        std::perror(path);
        std::exit(1);
    }
    return listener;
}

Options options_of(int count, char** words) {
    Options options;
    for (int i = 2; i < count; ++i) {
        const std::string word = words[i];
        if (word == "strict")
            options.strict = true;
        else if (word == "slow")
            options.slow = true;
        else if (word == "end-after" && i + 1 < count)
            options.end_after = std::atol(words[++i]);
        else if (word == "lie-after" && i + 1 < count)
            options.lie_after = std::atol(words[++i]);
        else
            std::exit(2);
    }
    return options;
}

}  // namespace

int main(int count, char** words) {
    if (count < 2) return 2;
    Server server(options_of(count, words));
    const int listener = listen_at(words[1]);
    std::puts("ready");
    std::fflush(stdout);
    for (;;) {
        std::vector<pollfd> all = server.watched();
        all.push_back({listener, POLLIN, 0});
        all.push_back({STDIN_FILENO, POLLIN, 0});
        if (poll(all.data(), all.size(), -1) < 0) return 1;
        if (all.back().revents != 0) return 0;
        all.pop_back();
        if (all.back().revents != 0) server.add(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
        all.pop_back();
        for (const pollfd& each : all) {
            if (each.revents != 0) server.serve(each.fd);
        }
    }
}
