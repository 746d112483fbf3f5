// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/apps/sockets.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace rnicsim::apps {
namespace {

int made(int descriptor, const char* what) {
    if (descriptor < 0) throw Unusable(fmt::format("{}: {}", what, std::strerror(errno)));
    return descriptor;
}

void set(int socket, int level, int option) {
    const int one = 1;
    ::setsockopt(socket, level, option, &one, sizeof one);
}

}  // namespace

Sockets Sockets::listen(std::uint16_t port, std::uint32_t count) {
    Sockets sockets;
    const int listener = made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    set(listener, SOL_SOCKET, SO_REUSEADDR);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    const bool listens = ::bind(listener, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 &&
                         ::listen(listener, static_cast<int>(count)) == 0;
    const int error = errno;
    for (std::uint32_t i = 0; listens && i < count; ++i)
        sockets.all_.push_back(made(::accept(listener, nullptr, nullptr), "accept"));
    ::close(listener);
    if (!listens) throw Unusable(fmt::format("--listen {}: {}: choose another port", port, std::strerror(error)));
    for (const int socket : sockets.all_) set(socket, IPPROTO_TCP, TCP_NODELAY);
    return sockets;
}

Sockets Sockets::connect(const std::string& address, std::uint16_t port, std::uint32_t count) {
    Sockets sockets;
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    if (::inet_pton(AF_INET, address.c_str(), &to.sin_addr) != 1)
        throw Unusable(
            fmt::format("--connect: found '{}', expected an IPv4 address and a port, 10.0.0.1:7000", address));
    for (std::uint32_t i = 0; i < count; ++i) {
        sockets.all_.push_back(made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
        if (::connect(sockets.all_.back(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
            throw Unusable(fmt::format("--connect {}:{}: {}: start the other side first, with --listen {}", address,
                                       port, std::strerror(errno), port));
        set(sockets.all_.back(), IPPROTO_TCP, TCP_NODELAY);
    }
    return sockets;
}

Sockets::~Sockets() {
    for (const int socket : all_) ::close(socket);
}

Hello Sockets::exchange(std::size_t which, const Hello& mine) const {
    Hello its;
    if (::send(all_[which], &mine, sizeof mine, MSG_NOSIGNAL) != sizeof mine ||
        ::recv(all_[which], &its, sizeof its, MSG_WAITALL) != sizeof its)
        throw Unusable("the other side has ended: it says why");
    if (its.settings != mine.settings)
        throw Unusable("the other side has another scenario: give both the same file, --item and --set");
    return its;
}

}  // namespace rnicsim::apps
