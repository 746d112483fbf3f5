// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/children.h"

#include "testbench/cli/process_look.h"
#include "testbench/programs/protocol/messages.h"
#include "testbench/programs/server/descriptor_limit.h"
#include "testbench/records/run_result.h"
#include "testbench/results/text.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace rnicsim::runner {
namespace {

constexpr std::chrono::milliseconds kLook{5};
// Of the machine's time: who has done nothing for so long, and takes no connections, waits for something else.
constexpr std::chrono::seconds kPatience{1};
// ... and who computes for so long, and asks the simulator for nothing, is not waited for any longer: it spins.
constexpr std::chrono::seconds kLongest{10};

/// An empty element of such a list would be the current directory (ld.so(8)).
void put_before(const char* variable, const std::filesystem::path& path) {
    const char* const others = std::getenv(variable);
    const bool alone = others == nullptr || *others == '\0';
    const std::string all = path.string() + (alone ? "" : std::string(":") + others);
    ::setenv(variable, all.c_str(), 1);
}

/// ASan ends a program whose first library is another than its own, as the preloaded one is.
void let_asan_come_second() {
    constexpr const char* kVariable = "ASAN_OPTIONS";
    const char* const others = std::getenv(kVariable);
    // What is said last counts: the user's.
    const std::string all =
        std::string("verify_asan_link_order=0") + (others == nullptr ? "" : std::string(":") + others);
    ::setenv(kVariable, all.c_str(), 1);
}

}  // namespace

Children::Children(const std::vector<ProgramOnHost>& programs, std::vector<bool> until, std::filesystem::path socket,
                   std::filesystem::path libraries)
    : programs_(programs), until_(std::move(until)), socket_(std::move(socket)), libraries_(std::move(libraries)) {}

Children::~Children() {
    for (const Child& child : running_) ::kill(child.process, SIGTERM);
}

std::string Children::text(const Child& child) const {
    const ProgramOnHost& program = programs_[child.index];
    return fmt::format("{} ({}) on {}", name_of(program), child.process, program.host);
}

void Children::reap() {
    std::erase_if(running_, [&](const Child& child) {
        int status = 0;
        if (::waitpid(child.process, &status, WNOHANG) != child.process) return false;
        ended_ = Clock::now();
        if (ending_) return true;
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (WIFSIGNALED(status))
            spdlog::error("{} died of signal {} ({})", text(child), WTERMSIG(status), ::strsignal(WTERMSIG(status)));
        if (code_ == 0) code_ = code;
        return true;
    });
}

bool Children::over(const programs::Server& server) {
    reap();
    const auto now = Clock::now();
    if (ending_) return end_others(now);
    if (next_ == programs_.size()) {
        if (running_.empty()) return true;
        if (waited_for_have_ended()) return end_others(now);
        tell_who_runs_on(server, now);
        return false;
    }
    if (code_ != 0) {
        spdlog::error("a program has ended with code {}: {} after it not begun", code_,
                      counted(programs_.size() - next_, "program"));
        return true;
    }
    if (next_ != 0 && !may_go_on(server, now)) return false;
    group_ = next_;
    do running_.push_back({start(programs_[next_]), next_, now, false, 0, now});
    while (++next_ < programs_.size() && programs_[next_].joins);
    looked_ = begun_ = now;
    held_ = true;
    return false;
}

/// All that have begun are ready for more, or have ended; or their time is over.
bool Children::may_go_on(const programs::Server& server, Clock::time_point now) {
    if (now - looked_ < kLook) return false;
    looked_ = now;
    bool all = true;
    for (Child& child : running_) {
        if (child.index < group_ || child.is_ready) continue;
        child.is_ready = is_ready(child, server, now);
        if (!child.is_ready && now - child.asked > kLongest) {
            spdlog::warn("{} has been busy for {} s, asks for nothing and takes no connections: the next begins",
                         text(child), kLongest.count());
            child.is_ready = true;
        }
        all = all && child.is_ready;
    }
    return all;
}

/// Who takes connections is ready when it has nothing else to do. Who listens by rdma_cm need not even wait: rstream
/// asks again and again whether somebody has come.
bool Children::is_ready(Child& child, const programs::Server& server, Clock::time_point now) const {
    const std::vector<pid_t> family = family_of(child.process);
    const auto any = [&](auto is) { return std::ranges::any_of(family, is); };
    if (any([&](pid_t process) { return server.listens(process); })) return true;
    std::uint64_t requests = 0;
    for (const pid_t process : family) requests += server.requests_of(process);
    if (std::exchange(child.requests, requests) != requests) child.asked = now;
    if (any([&](pid_t process) { return !rests(process) || server.asks(process); })) {
        child.busy = now;
        return false;
    }
    return now - child.busy > kPatience || any(listens_by_tcp);
}

bool Children::quiet() const {
    return next_ == programs_.size() && std::ranges::all_of(running_, [](const Child& child) {
               return std::ranges::all_of(family_of(child.process), rests);
           });
}

/// Those that begin together until the simulator knows each of them; others that it does not know as long as they
/// compute: one that has just begun, or one for whose connection another has waited. Else time would go on by as much
/// as this machine takes to start them.
bool Children::holds(const programs::Server& server) {
    if (!held_) return false;
    const bool together = next_ - group_ > 1;
    const auto knows = [&](pid_t process) { return server.knows(process); };
    bool all_known = true, waits_for = false;
    for (const Child& child : running_) {
        const std::vector<pid_t> family = family_of(child.process);
        if (std::ranges::any_of(family, knows)) continue;
        all_known = false;
        waits_for = waits_for || (together && child.index >= group_) || !std::ranges::all_of(family, rests);
    }
    held_ = !all_known && Clock::now() - begun_ < kPatience;
    return held_ && waits_for;
}

bool Children::waited_for_have_ended() const {
    return std::ranges::find(until_, true) != until_.end() &&
           std::ranges::none_of(running_, [&](const Child& child) { return until_[child.index]; });
}

/// They are asked to, and have some time for it, in which the simulation goes on.
bool Children::end_others(Clock::time_point now) {
    if (!std::exchange(ending_, true)) {
        begun_ = now;
        for (const Child& child : running_) {
            spdlog::info("{} still runs, and is ended", text(child));
            ::kill(child.process, SIGTERM);
        }
    }
    return running_.empty() || now - begun_ > kPatience;
}

/// Once, when some have ended: who has been left waits for something, or has work to do.
void Children::tell_who_runs_on(const programs::Server& server, Clock::time_point now) {
    if (told_ || running_.size() == programs_.size() || now - ended_ < kPatience) return;
    told_ = true;
    for (const Child& child : running_) {
        const std::vector<pid_t> family = family_of(child.process);
        const auto any = [&](auto is) { return std::ranges::any_of(family, is); };
        const bool listens = any([&](pid_t process) { return server.listens(process) || listens_by_tcp(process); });
        const bool met = any([&](pid_t process) { return server.has_met(process); });
        spdlog::info("{} {}", text(child),
                     listens && !met ? "takes connections, and no client has come to it" : "runs on");
    }
    spdlog::info("the run ends when all have ended; --until NAME: when those of that name have");
}

pid_t Children::start(const ProgramOnHost& program) const {
    const pid_t child = ::fork();
    if (child < 0) throw RunError(fmt::format("{}: cannot be started: {}", program.command[0], std::strerror(errno)));
    if (child > 0) return child;
    programs::restore_descriptor_limit();
    ::setenv(programs::kSocketVariable, socket_.c_str(), 1);
    ::setenv(programs::kHostVariable, program.host.c_str(), 1);
    const std::filesystem::path preload = libraries_ / "librnicsim_preload.so";
    if (::access(preload.c_str(), R_OK) != 0) {  // the program would run without the simulator, and nobody would say so
        std::fprintf(stderr, "error: %s: %s; cmake --build builds it, scripts/run does not\n", preload.c_str(),
                     std::strerror(errno));
        std::_Exit(127);
    }
    put_before("LD_LIBRARY_PATH", libraries_);
    put_before("LD_PRELOAD", preload);
    let_asan_come_second();
    std::vector<char*> words;
    for (const std::string& word : program.command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    std::fprintf(stderr, "error: %s: %s\n", words[0], std::strerror(errno));
    std::_Exit(127);
}

}  // namespace rnicsim::runner
