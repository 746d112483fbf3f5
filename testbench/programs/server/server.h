// SPDX-License-Identifier: Apache-2.0
// Programs of the machine on hosts of the simulation: their sockets, and how far time may go.
//
// Strict: simulated time stands still while a thread computes, as what that asks for next is to happen now; one that is
// blocked in something else does not hold it up. So all depends on what threads ask for, and not on how fast they are.
// Free: time goes on whenever there is something to do.
// server.cpp: who comes and goes; requests.cpp: what they ask for; timers.cpp, own_timers.cpp: theirs; progress.cpp:
// time.
#pragma once

#include "model/config.h"
#include "model/system.h"
#include "testbench/programs/server/call_observer.h"
#include "testbench/programs/server/cm.h"
#include "testbench/programs/server/connection.h"
#include "testbench/programs/server/device_tree.h"

#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <vector>

namespace rnicsim::programs {

struct ServerOptions {
    std::filesystem::path socket;
    bool strict = true;
    std::uint64_t ring_bytes = 0;      ///< of each host's memory
    CallObserver* observer = nullptr;  ///< not owned; null: nobody looks
};

/// Simulated time has 106 days: no timer expires later.
inline constexpr Time kLastTimer = kSecond * 8'000'000;
/// At least a cycle, at most a million seconds.
Cycle timer_cycles(const Clock& clock, std::int64_t ps);

/// What is known of the programs' processes, asked again and again.
struct Outside {
    std::function<bool()> over;
    std::function<bool()> quiet;  ///< none of them does anything; null: nobody knows
    std::function<bool()> holds;  ///< time is not to go on yet; null: it may
};

class Server {
  public:
    /// Of hosts with a RoCEv2 RNIC only. Throws RequestError if the socket cannot be made.
    /// Neither `system` nor `judge` is owned.
    Server(const RunConfig& config, System& system, ProgramJudge& judge, const ServerOptions& options);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Until it is over. Throws RunError, also if a rule of the protocol is broken.
    void run(const Outside& outside);
    [[nodiscard]] std::size_t programs() const { return programs_.size(); }
    /// By rdma_cm.
    [[nodiscard]] bool listens(pid_t process) const { return manager_.listens(process); }
    /// A thread of it waits for an answer, and not for news.
    [[nodiscard]] bool asks(pid_t process) const;
    /// It has come, and is still there.
    [[nodiscard]] bool knows(pid_t process) const;
    /// A QP of it has been connected to another, or may send datagrams.
    [[nodiscard]] bool has_met(pid_t process) const;
    [[nodiscard]] std::uint64_t requests() const { return requests_; }
    [[nodiscard]] std::uint64_t requests_of(pid_t process) const;

  private:
    /// Waits for messages at most so long; returns whether there were any.
    bool listen(std::chrono::nanoseconds longest);
    void accept();
    void receive(Connection& c);
    void hello(Connection& c, Body body);
    void request(Connection& c, const RequestHeader& header, std::vector<std::byte> body);
    /// Of those that do not end what their thread waits for.
    void aside(Connection& c, Op op, Body body, Cycle due);
    void wait(Connection& c, Cycle now);
    void wake(Connection& c, Cycle now, bool timed_out);
    void look_again(Connection& c, Time visible);
    void news(Program& program);
    void close(Connection& c);
    void lost_memory(ProcessMemory::Window window, std::uint64_t address);
    void set_timer(Program& program, const Timer& timer, Cycle now);
    void plan_timer(Program& program, Cycle due);
    void expire(Program& program, Cycle now);
    void make_timer(Connection& c, const TimerInit& init, Time now);
    void set_timer(const TimerSetting& setting, Cycle now);
    void plan_timer(Handle handle, Cycle due);
    void expire(Handle handle, Cycle now);
    void free_timer(Handle handle);
    void free_timers(const Program& program);
    /// A signal has been sent to it: time stands still while a handler runs, whatever its thread has asked for.
    void signaled(Program& program);
    [[nodiscard]] bool timers_run() const;

    /// What the threads do that have no request under way, as far as the operating system says.
    enum class Threads : std::uint8_t {
        rest,     ///< all are blocked in something else, or there are none
        compute,  ///< one may ask for something at any moment, and that would be now
        spin,     ///< those that are not blocked wait for their memory to change
    };
    Threads look();
    void spin();
    bool keep(ProcessMemory::Window window, Time visible);
    /// True: something has happened.
    bool advance();
    /// Nobody waits for the simulator alone.
    void advance_alone(bool waits);
    bool advance_freely(bool awaited);
    void run_to(Time end);

    const RunConfig& config_;
    System& system_;
    ProgramJudge& judge_;
    const ServerOptions options_;
    Descriptor socket_;
    ProcessMemory memory_;
    SharedClock shown_;
    std::vector<std::unique_ptr<HostService>> services_;  // by host
    ConnectionManager manager_;
    DeviceTree tree_;
    std::list<Program> programs_;
    std::list<Connection> connections_;
    Table<OwnTimer> timers_;
    std::vector<std::byte> buffer_;
    std::uint64_t requests_ = 0;
    Time step_ = kMillisecond;  // that goes on at once while all wait
    unsigned alone_ = 0;        // looks since somebody waited for the simulator and for nothing else
    unsigned quiet_ = 0;        // of them the last, with all processes quiet
    Outside outside_;
    std::chrono::steady_clock::time_point looked_at_all_{};
    bool stopped_ = false;  // a thread was, at the last look
};

}  // namespace rnicsim::programs
