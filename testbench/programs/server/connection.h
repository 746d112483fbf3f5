// SPDX-License-Identifier: Apache-2.0
// A thread of a program, as the simulator sees it: its socket, its clock, and what it does.
#pragma once

#include "testbench/programs/server/descriptor.h"
#include "testbench/programs/server/host_service.h"
#include "testbench/programs/server/shared_clock.h"
#include "testbench/programs/server/spinning.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <vector>

namespace rnicsim::programs {

/// CQs that a thread finds empty.
class VainPolls {
  public:
    /// Is this the one of its turn where it waits?
    bool waits_at(Handle cq) {
        const bool again = cq == waited_at_ || waited_at_ == 0 || std::ranges::find(others_, cq) != others_.end();
        if (again) {
            waited_at_ = cq;
            others_.clear();
        } else {
            others_.push_back(cq);
        }
        return again;
    }
    /// Completions lie in other CQs, the newest of them is the program's `newest`th; 0: none. May it look there next?
    /// Not if it has come back here so often since that one came: then they are of nobody that polls now.
    bool looks_elsewhere(std::uint64_t newest) {
        if (newest != newest_) {
            newest_ = newest;
            came_back_ = 0;
        }
        return newest != 0 && came_back_ < kLooks;
    }
    /// It has come back to where it waits.
    void come_back() { ++came_back_; }

  private:
    static constexpr unsigned kLooks = 16;
    Handle waited_at_ = 0;
    std::uint64_t newest_ = 0;
    unsigned came_back_ = 0;      ///< since the newest completion elsewhere has come
    std::vector<Handle> others_;  ///< since it has waited
};

class Connection final : public Caller {
  public:
    enum class State : std::uint8_t {
        running,  ///< it computes: its next request is not before its clock
        asks,     ///< its request is being carried out
        waits,    ///< ... until something happens to its program
        gone,     ///< its socket is closed
    };
    /// `observer`: not owned; null: nobody looks.
    Connection(Descriptor socket, SharedClock& shown, CallObserver* observer)
        : socket_(std::move(socket)), shown_(shown), observer_(observer) {}

    [[nodiscard]] int descriptor() const { return socket_.get(); }
    [[nodiscard]] State state() const { return state_; }
    void set_state(State state) { state_ = state; }
    /// Its socket is closed.
    void end() {
        state_ = State::gone;
        socket_ = Descriptor();
    }
    /// A thread of this process waits for an answer, and not for news.
    [[nodiscard]] bool asks_for(pid_t process) const {
        return state_ == State::asks && program_ != nullptr && program_->process == process;
    }
    /// Of a running one; its next request is not earlier.
    [[nodiscard]] Time clock() const { return clock_; }
    void advance(Time to) { clock_ = std::max(clock_, to); }

    /// Throws Refusal, and nothing happens, if /proc has no such thread.
    void introduce(Program& program, HostService& service, pid_t thread);
    /// What the thread calls itself.
    [[nodiscard]] pid_t own_number() const { return own_number_; }
    /// ... and what it is here.
    [[nodiscard]] pid_t number() const { return number_; }
    /// Among all threads that have ever come: in the order in which processes, and threads in each, have begun, as long
    /// as the system does not give numbers of processes again.
    [[nodiscard]] std::uint64_t rank() const {
        return std::uint64_t{static_cast<std::uint32_t>(program_->process)} << 16U | thread_;
    }
    [[nodiscard]] bool introduced() const { return program_ != nullptr; }
    [[nodiscard]] Program& program() override { return *program_; }
    [[nodiscard]] bool program_is(const Program& program) const { return program_ == &program; }
    [[nodiscard]] HostService& service() { return *service_; }

    /// What the operating system says of it.
    enum class Doing : std::uint8_t {
        computes,
        blocked,  ///< in something that is no request, if it has none under way; or it has ended
        stopped,  ///< by SIGSTOP or a debugger, which want to see all as it is
    };
    [[nodiscard]] Doing doing() const;
    /// It waits for what only comes with simulated time.
    [[nodiscard]] bool hurries() const { return state_ == State::asks || (state_ == State::waits && !paced); }
    /// It has no request under way, or one that it would leave for something else.
    [[nodiscard]] bool may_compute() const {
        return state_ == State::running || (state_ == State::waits && outside) || signaled;
    }
    /// Nanoseconds of processor time of its program, as the operating system says.
    [[nodiscard]] std::int64_t computed() const;

    /// It asks, at this time; `body`: what stands behind the header.
    Asked ask(Op op, std::span<const std::byte> body, Time at);
    void answer(Time now, int error, const Reply& reply, int descriptor) override;

    /// It has got completions.
    void found() { patience = kMicrosecond; }

    bool news = false;      ///< something was sent to its program since its last answer
    bool signaled = false;  ///< its program has got a signal: it may be handling it, whatever it has asked for

    // Of a waiting one.
    std::vector<std::byte> poll;    ///< the request; empty: it waits for anything
    std::optional<Cycle> longest;   ///< and not longer
    bool outside = false;           ///< it also waits for something else
    bool paced = false;             ///< ... and for nothing of the simulator's
    std::uint64_t wait_number = 0;  ///< counts its waits
    Cycle waits_since{};
    VainPolls vain;
    std::uint64_t looks_again = 0;  ///< number of the last wait that a write into its memory ends
    Time patience = kMicrosecond;   ///< how long the next vain poll waits at most
    std::chrono::steady_clock::time_point since{};
    Spinning spinning;  // of a running one

  private:
    Descriptor socket_;
    SharedClock& shown_;
    CallObserver* observer_;  // not owned
    Asked asked_;             // last
    std::uint16_t thread_ = 0;
    pid_t own_number_ = 0, number_ = 0;
    Descriptor stat_;                 // of the thread, in /proc
    Program* program_ = nullptr;      // not owned
    HostService* service_ = nullptr;  // not owned
    clockid_t processor_ = 0;         // its program's
    State state_ = State::running;
    Time clock_{};
};

}  // namespace rnicsim::programs
