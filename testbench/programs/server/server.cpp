// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/server.h"

#include "model/request_error.h"
#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "testbench/programs/server/descriptor_limit.h"
#include "testbench/programs/server/values.h"

#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <poll.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace rnicsim::programs {
namespace {

constexpr std::chrono::microseconds kLook{100};  // between two looks at those that compute

[[noreturn]] void fail(const std::string& path) {
    throw RequestError("the socket " + path + ": cannot be made: " + std::strerror(errno));
}

/// Has its name when it listens, and not before: who waits for the name may connect.
Descriptor listening_socket(const std::filesystem::path& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = path.string(), before = name + "~";
    if (before.size() >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        fail(name);
    }
    std::memcpy(address.sun_path, before.c_str(), before.size() + 1);
    Descriptor made(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (made.get() < 0) fail(name);
    ::unlink(before.c_str());
    const mode_t mask = ::umask(0077);  // nobody else's programs
    const int bound = ::bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::umask(mask);
    if (bound == 0 && ::listen(made.get(), 64) == 0 && ::rename(before.c_str(), name.c_str()) == 0) return made;
    const int error = errno;
    if (bound == 0) ::unlink(before.c_str());
    errno = error;
    fail(name);
}

/// ibv_mtu of each host's port.
std::vector<std::uint8_t> mtus_of(const RunConfig& config) {
    std::vector<std::uint8_t> out;
    for (const VerbsEndConfig& end : verbs_ends(config)) out.push_back(mtu_number(end.card.transport.port_mtu));
    return out;
}

}  // namespace

Server::Server(const RunConfig& config, System& system, ProgramJudge& judge, const ServerOptions& options)
    : config_(config),
      system_(system),
      judge_(judge),
      options_(options),
      socket_(listening_socket(options.socket)),
      memory_([this](ProcessMemory::Window window, std::uint64_t address) { lost_memory(window, address); },
              [this](ProcessMemory::Window window, Time visible) { return keep(window, visible); }),
      manager_(mtus_of(config), [this](Program& program) { news(program); }),
      tree_(options.socket),
      buffer_(kMostMessage) {
    raise_descriptor_limit();
    const auto hosts = static_cast<unsigned>(config.names.size());
    for (unsigned host = 0; host < hosts; ++host) {
        services_.push_back(std::make_unique<HostService>(
            verbs_of(config, host), verbs_end(system, host),
            HostService::Surroundings{host, hosts, options.strict, options.ring_bytes, memory_, judge, options.observer,
                                      [this](Program& program) { news(program); }, config.names,
                                      [this](unsigned peer, rc::Qpn qp, const rc::SendWqe& wqe) {
                                          return services_[peer]->why_refused(qp, wqe);
                                      }}));
    }
    for (unsigned host = 0; host < hosts; ++host) tree_.add(config.names[host], services_[host]->device());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

Server::~Server() { ::unlink(options_.socket.c_str()); }

void Server::run(const Outside& outside) {
    outside_ = outside;
    while (!outside_.over()) {
        const bool heard = listen({});
        const bool held = outside_.holds && outside_.holds();
        if ((!held && advance()) || heard) continue;
        listen(kLook);
    }
}

bool Server::listen(std::chrono::nanoseconds longest) {
    std::vector<pollfd> watched{{socket_.get(), POLLIN, 0}};
    std::vector<Connection*> of;
    for (Connection& c : connections_) {
        if (c.state() == Connection::State::gone) continue;
        watched.push_back({c.descriptor(), POLLIN, 0});
        of.push_back(&c);
    }
    const timespec most{0, static_cast<long>(longest.count())};
    if (::ppoll(watched.data(), watched.size(), &most, nullptr) <= 0) return false;
    for (std::size_t i = 0; i < of.size(); ++i) {
        if (watched[i + 1].revents != 0) receive(*of[i]);
    }
    if (watched[0].revents != 0) accept();
    return true;
}

void Server::accept() {
    Descriptor made(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (made.get() < 0) return;
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(made.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != ::geteuid()) return;
    connections_.emplace_back(std::move(made), shown_, options_.observer);
}

/// All that it has said by now.
void Server::receive(Connection& c) {
    while (c.state() != Connection::State::gone) {
        const ssize_t got = ::recv(c.descriptor(), buffer_.data(), buffer_.size(), 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (got <= 0) return close(c);
        const auto bytes = std::span(buffer_).first(static_cast<std::size_t>(got));
        RequestHeader header;
        if (bytes.size() < sizeof header) return close(c);
        std::memcpy(&header, bytes.data(), sizeof header);
        // One that ends a wait depends on whether its thread is awake before the answer comes.
        if (header.op != Op::stop_waiting) ++requests_;
        const auto body = bytes.subspan(sizeof header);
        try {
            if (header.bytes != bytes.size() || (!c.introduced() && header.op != Op::hello)) throw Refusal{EPROTO};
            if (header.op == Op::hello) {
                hello(c, Body(body));
            } else {
                ++c.program().requests;
                request(c, header, {body.begin(), body.end()});
            }
        } catch (const Refusal& refusal) {
            c.answer(current_time(), refusal.error, {}, -1);
            return close(c);
        }
    }
}

void Server::hello(Connection& c, Body body) {
    Hello hello = body.take<Hello>();
    if (c.introduced() || hello.version != kProtocol) throw Refusal{EPROTO};
    hello.host[sizeof hello.host - 1] = hello.program[sizeof hello.program - 1] = '\0';
    unsigned host = 0;
    if (hello.host[0] != '\0') {
        const auto found = config_.names.find(hello.host);
        if (!found) {
            spdlog::warn("{}: there is no host '{}'", hello.program, hello.host);
            throw Refusal{ENODEV};
        }
        host = *found;
    }
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(c.descriptor(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) throw Refusal{EPROTO};
    if (peer.pid == 0) {
        spdlog::warn(
            "{}: refused, as its process has no number here: it is in a PID namespace that is not within that of "
            "the simulator; begin rnicsim in one that has it",
            hello.program);
        throw Refusal{ESRCH};
    }
    auto program = std::ranges::find_if(
        programs_, [&](const Program& p) { return p.process == peer.pid && p.host == host && !p.gone; });
    if (program == programs_.end()) {
        programs_.push_back({peer.pid, hello.program, host, memory_.open(peer.pid)});
        program = std::prev(programs_.end());
        program->number = static_cast<std::uint16_t>(std::ranges::count(programs_, host, &Program::host) - 1);
        if (options_.observer != nullptr) options_.observer->begins(*program);
    }
    try {
        c.introduce(*program, *services_[host], hello.thread);
    } catch (const Refusal&) {
        spdlog::warn(
            "{}: refused, as /proc does not show thread {} of process {}, and time would pass while it computes",
            hello.program, hello.thread, peer.pid);
        throw;
    }
    c.answer(current_time(), 0, Reply(services_[host]->welcome()), shown_.descriptor());
}

void Server::close(Connection& c) {
    c.end();
    if (!c.introduced()) return;
    Program& program = c.program();
    const bool lives = std::ranges::any_of(connections_, [&](Connection& other) {
        return other.introduced() && &other.program() == &program && other.state() != Connection::State::gone;
    });
    if (lives || std::exchange(program.gone, true)) return;
    if (program.opened) spdlog::info("{} ({}) has left {}", program.name, program.process, config_.names[program.host]);
    HostService& service = c.service();
    service.host().call_at(service.host().edge({}), [this, &service, &program](Cycle now) {
        service.forget(program, now);
        manager_.forget(program);
        free_timers(program);
    });
}

bool Server::knows(pid_t process) const {
    return std::ranges::any_of(programs_, [&](const Program& p) { return p.process == process && !p.gone; });
}

std::uint64_t Server::requests_of(pid_t process) const {
    std::uint64_t sum = 0;
    for (const Program& p : programs_) sum += p.process == process ? p.requests : 0;
    return sum;
}

bool Server::has_met(pid_t process) const {
    return std::ranges::any_of(programs_, [&](const Program& p) { return p.process == process && p.met; });
}

bool Server::asks(pid_t process) const {
    return std::ranges::any_of(connections_, [&](const Connection& c) { return c.asks_for(process); });
}

void Server::lost_memory(ProcessMemory::Window window, std::uint64_t address) {
    const auto program = std::ranges::find(programs_, window, &Program::window);
    if (program == programs_.end() || program->gone) return;
    if (std::exchange(program->lost_memory, true)) return;
    spdlog::warn(
        "{}: memory at {:#x} is registered, and the program has given it back in a way that is not seen here (free() "
        "of "
        "a large block): a card would have its bytes, here they are zeros; deregister it before",
        program->name, address);
}

}  // namespace rnicsim::programs
