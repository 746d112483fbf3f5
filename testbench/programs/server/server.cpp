#include "testbench/programs/server/server.h"

#include "model/request_error.h"
#include "testbench/conservation.h"
#include "testbench/programs/server/values.h"
#include "testbench/run_result.h"

#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemc>

#include <poll.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace rnicsim::programs {
namespace {

constexpr Time kMostPatience = kMicrosecond * 100;  // of a vain poll, doubled from a microsecond
constexpr Time kMostSleep = kSecond * 1'000'000;    // at once, and
constexpr Time kLastWaking = kMostSleep * 8;        // at all: simulated time has 106 days
constexpr Time kMostStep = kSecond * 100;           // of nobody's answer
constexpr Time kSlice = kMicrosecond * 10;          // of free time, between two looks at the sockets
constexpr std::chrono::microseconds kLook{100};     // between two looks at those that compute
constexpr std::chrono::milliseconds kFreePatience{1};

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
    if (bound != 0 || ::listen(made.get(), 64) != 0 || ::rename(before.c_str(), name.c_str()) != 0) fail(name);
    return made;
}

/// ibv_mtu of each host's port.
std::vector<std::uint8_t> mtus_of(const RunConfig& config) {
    std::vector<std::uint8_t> out;
    for (const VerbsEndConfig& end : config.verbs) out.push_back(mtu_number(end.card.transport.port_mtu));
    return out;
}

/// Throws Refusal.
Posts posts_of(const Asked& asked, std::span<const std::byte> body) {
    return asked.op == Op::arm ? Posts{} : Body(body).take<Posts>();
}

bool is_answered(Op op) {
    return op != Op::post_send && op != Op::post_receive && op != Op::post_srq_receive && op != Op::arm;
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
    const auto hosts = static_cast<unsigned>(config.names.size());
    for (unsigned host = 0; host < hosts; ++host) {
        services_.push_back(std::make_unique<HostService>(
            verbs_of(config, host), system.verbs_end(host),
            HostService::Surroundings{host, hosts, options.strict, options.ring_bytes, memory_, judge, options.observer,
                                      [this](Program& program) { news(program); }}));
    }
    for (unsigned host = 0; host < hosts; ++host) tree_.add(config.names[host], services_[host]->device());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

Server::~Server() { ::unlink(options_.socket.c_str()); }

void Server::run(const std::function<bool()>& over) {
    while (!over()) {
        const bool heard = listen({});
        if (advance() || heard) continue;
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
        ++requests_;
        const auto bytes = std::span(buffer_).first(static_cast<std::size_t>(got));
        RequestHeader header;
        if (bytes.size() < sizeof header) return close(c);
        std::memcpy(&header, bytes.data(), sizeof header);
        const auto body = bytes.subspan(sizeof header);
        try {
            if (header.bytes != bytes.size() || (!c.introduced() && header.op != Op::hello)) throw Refusal{EPROTO};
            if (header.op == Op::hello) {
                hello(c, Body(body));
            } else {
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
    auto program = std::ranges::find_if(
        programs_, [&](const Program& p) { return p.process == peer.pid && p.host == host && !p.gone; });
    if (program == programs_.end()) {
        programs_.push_back({peer.pid, hello.program, host, memory_.open(peer.pid)});
        program = std::prev(programs_.end());
        program->number = static_cast<std::uint16_t>(std::ranges::count(programs_, host, &Program::host) - 1);
        if (options_.observer != nullptr) options_.observer->begins(*program);
    }
    c.introduce(*program, *services_[host], hello.thread);
    c.answer(current_time(), 0, Reply(services_[host]->welcome()), shown_.descriptor());
}

void Server::request(Connection& c, const RequestHeader& header, std::vector<std::byte> body) {
    HostService& service = c.service();
    Time at = options_.strict ? std::max({std::min(Time{header.at}, kLastWaking), c.clock(), current_time()})
                              : current_time();
    // To see that a byte in memory has changed costs as much as to take a completion.
    if (options_.strict && c.spinning.has_seen()) {
        at += service.host().clock().time(verbs_of(config_, c.program().host).host.costs.poll);
        c.spinning.begin(c.computed());
    }
    const Cycle due = service.host().edge(at);
    const Op op = header.op;
    const Asked asked = c.ask(op, body, at);
    if (is_answered(op) && op != Op::poll) c.spinning.forget();
    if (op == Op::stop_waiting) {
        service.host().call_at(due, [this, &c, number = c.wait_number](Cycle now) {
            if (c.state() == Connection::State::waits && c.poll.empty() && c.wait_number == number) wake(c, now, true);
        });
        c.outside = false;
        return;
    }
    if (!is_answered(op)) {
        const VerbsCosts& costs = verbs_of(config_, c.program().host).host.costs;
        const bool pushes = verbs_of(config_, c.program().host).host.posting == Posting::push;
        const Cycle sends = costs.post + (pushes ? costs.push : Cycle{});
        const Cycle cost = op == Op::arm ? Cycle{} : op == Op::post_send ? sends : costs.receive;
        const Time done = at + service.host().clock().time(cost);  // the card hears of it at the end of the call
        c.advance(done);
        c.spinning.begin(c.computed());
        service.host().call_at(service.host().edge(done), [this, &c, asked, op, body = std::move(body)](Cycle now) {
            if (c.program().gone) return;
            try {
                if (options_.observer != nullptr)
                    options_.observer->told(c.program(), asked, posts_of(asked, body),
                                            c.service().host().clock().time(now));
                c.service().tell(c.program(), op, body, now);
            } catch (const Refusal&) { spdlog::warn("{}: a malformed work request", c.program().name); }
        });
        return;
    }
    if (op == Op::async_events && !std::exchange(c.program().opened, true))
        spdlog::info("{} ({}) on {}", c.program().name, c.program().process, config_.names[c.program().host]);
    c.set_state(Connection::State::asks);
    if (op == Op::sleep) {
        const Time time{std::clamp(Body(body).take<Sleep>().time, std::int64_t{0}, kMostSleep.ps)};
        if (at + time > kLastWaking) return c.answer(current_time(), EOVERFLOW, {}, -1);
        const Clock& clock = service.host().clock();
        service.host().call_at(due + clock.edge(time),
                               [&c, &clock](Cycle now) { c.answer(clock.time(now), 0, {}, -1); });
        return;
    }
    if (op == Op::poll || op == Op::wait) {
        ++c.wait_number;  // now: it may be stopped before its time comes
        c.poll.clear();
        c.longest.reset();
        c.outside = false;
        if (op == Op::poll) {
            static_cast<void>(Body(body).take<Poll>());
            c.poll = std::move(body);
        } else {
            const Wait wait = Body(body).take<Wait>();
            c.outside = wait.outside != 0;
            if (wait.longest >= 0 && at + kMostSleep <= kLastWaking)
                c.longest = service.host().clock().edge(Time{std::min(wait.longest, kMostSleep.ps)});
        }
        service.host().call_at(due, [this, &c](Cycle now) { wait(c, now); });
        return;
    }
    service.host().call_at(due, [this, &c, op, body = std::move(body)](Cycle now) {
        if (!ConnectionManager::has(op)) return c.service().call(c, op, body, now);
        if (!c.program().gone) manager_.call(c, op, body, c.service().host().clock().time(now));
    });
}

/// An empty poll waits, for a while, until its program has news: what it would have asked again and again for.
void Server::wait(Connection& c, Cycle now) {
    if (c.state() == Connection::State::gone) return;
    if (!c.poll.empty()) {
        if (c.service().poll(c, c.poll, now)) {
            c.patience = kMicrosecond;
            return;
        }
        if (c.service().has_entries(c.program())) return wake(c, now + Cycle{1}, true);  // elsewhere
        c.longest = c.service().host().clock().edge(c.patience);
        c.patience = std::min(c.patience * 2, kMostPatience);
    } else if (c.news) {
        return wake(c, now, false);
    }
    c.set_state(Connection::State::waits);
    c.since = std::chrono::steady_clock::now();
    const std::uint64_t number = c.wait_number;
    if (!options_.strict || !c.longest) return;
    c.service().host().call_at(now + *c.longest, [this, &c, number](Cycle then) {
        if (c.state() == Connection::State::waits && c.wait_number == number) wake(c, then, true);
    });
}

void Server::wake(Connection& c, Cycle now, bool timed_out) {
    const Time at = c.service().host().clock().time(now);
    if (c.poll.empty()) return c.answer(at, 0, Reply(Woken{timed_out ? std::uint8_t{1} : std::uint8_t{0}}), -1);
    c.set_state(Connection::State::asks);
    if (!timed_out && c.service().poll(c, c.poll, now)) {
        c.patience = kMicrosecond;
        return;
    }
    c.answer(at, 0, Reply(Polled{}), -1);
}

void Server::news(Program& program) {
    const Cycle now = services_[program.host]->host().edge({});
    for (Connection& c : connections_) {
        if (!c.introduced() || &c.program() != &program) continue;
        if (c.state() == Connection::State::waits) {
            wake(c, now, false);
        } else {
            c.news = true;
        }
    }
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
    });
}

bool Server::asks(pid_t process) const {
    return std::ranges::any_of(connections_, [&](const Connection& c) { return c.asks_for(process); });
}

void Server::lost_memory(ProcessMemory::Window window, std::uint64_t address) {
    const auto program = std::ranges::find(programs_, window, &Program::window);
    if (program == programs_.end() || program->gone) return;
    spdlog::warn("{}: has registered memory at {:#x} that it does not have (any more): the region is no more",
                 program->name, address);
    services_[program->host]->lose_memory(*program, address);
}

Server::Threads Server::look() {
    // Twice: one that has been seen blocked may have been woken by another, which has been seen blocked after that.
    unsigned spinning = 0;
    for (int times = 0; times < 2; ++times) {
        unsigned outside = 0;
        for (Connection& c : connections_) {
            if (!c.may_compute() || !c.introduced()) continue;
            const bool is_outside = c.is_outside();
            if (!is_outside && (c.state() == Connection::State::waits || !c.spinning.spins(c.computed())))
                return Threads::compute;
            // It may have asked for something just before that.
            pollfd said{c.descriptor(), POLLIN, 0};
            if (::poll(&said, 1, 0) != 0) return Threads::compute;
            if (is_outside) {
                ++outside;
            } else {
                c.spinning.think();
                ++spinning;
            }
        }
        if (outside < 2) break;
    }
    return spinning != 0 ? Threads::spin : Threads::rest;
}

/// To the next write into the memory of one of those, or somebody's answer, or by a slice.
void Server::spin() {
    const auto spins = [](const Connection& c) {
        return c.state() == Connection::State::running && c.spinning.thought_to();
    };
    Time slice = Spinning::kMostSlice;
    for (const Connection& c : connections_) {
        if (spins(c)) slice = std::min(slice, c.spinning.slice());
    }
    const Time end = current_time() + slice;
    run_to(end);
    if (current_time() < end) return;
    for (Connection& c : connections_) {
        if (spins(c)) c.spinning.pass(c.computed());
    }
}

/// Who spins must not see anything before its time, which it could look at.
bool Server::keep(ProcessMemory::Window window, Time visible) {
    const auto spins = [window](Connection& c) {
        return c.state() == Connection::State::running && c.spinning.thought_to() && c.program().window == window;
    };
    if (std::ranges::none_of(connections_, spins) && !memory_.keeps(window)) return false;
    const auto program = std::ranges::find(programs_, window, &Program::window);
    if (program == programs_.end()) return false;
    ProgramHost& host = services_[program->host]->host();
    host.call_at(host.edge(visible), [this, window, spins](Cycle) {
        shown_.show(current_time());
        memory_.deliver(window);
        for (Connection& c : connections_) {
            if (!spins(c)) continue;
            c.spinning.touch(c.computed());
            sc_core::sc_pause();
        }
    });
    return true;
}

bool Server::advance() {
    for (const auto& service : services_) service->hand_on_events();
    const auto any = [&](auto... states) {
        return std::ranges::any_of(connections_, [&](const Connection& c) { return ((c.state() == states) || ...); });
    };
    using enum Connection::State;
    if (!options_.strict) return advance_freely(any(asks, waits));
    const Threads threads = look();
    if (threads == Threads::compute || !sc_core::sc_pending_activity()) return false;
    if (threads == Threads::spin) {
        spin();
        return true;
    }
    if (!any(asks, waits)) return false;
    // Until somebody is answered; who sleeps for days is not waited for by the millisecond.
    const Time end = current_time() + step_;
    run_to(end);
    step_ = current_time() < end ? kMillisecond : std::min(step_ * 2, kMostStep);
    return true;
}

bool Server::advance_freely(bool awaited) {
    const auto now = std::chrono::steady_clock::now();
    for (Connection& c : connections_) {
        if (c.state() == Connection::State::waits && (!c.poll.empty() || c.longest) && now - c.since > kFreePatience)
            wake(c, c.service().host().edge({}), true);
    }
    const bool busy = std::ranges::any_of(services_, [](const auto& s) { return !s->host().idle(); });
    if (!awaited && !busy && system_.idle()) return false;
    if (!sc_core::sc_pending_activity()) return false;
    run_to(current_time() + kSlice);
    return true;
}

void Server::run_to(Time end) {
    try {
        system_.run(end - current_time(), Ahead::never);
    } catch (const sc_core::sc_report& report) { throw RunError(std::string("SystemC: ") + report.what()); }
    if (!judge_.violation().empty()) throw RunError(judge_.violation());
    if (const std::string lost = not_conserved(system_, config_); !lost.empty()) throw RunError(lost);
    shown_.show(current_time());
}

}  // namespace rnicsim::programs
