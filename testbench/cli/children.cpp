#include "testbench/cli/children.h"

#include "testbench/cli/process_look.h"
#include "testbench/programs/protocol/messages.h"
#include "testbench/programs/server/descriptor_limit.h"
#include "testbench/results/text.h"
#include "testbench/run_result.h"

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

Children::Children(const std::vector<ProgramOnHost>& programs, std::filesystem::path socket,
                   std::filesystem::path libraries)
    : programs_(programs), socket_(std::move(socket)), libraries_(std::move(libraries)) {}

Children::~Children() {
    for (const pid_t child : running_) ::kill(child, SIGTERM);
}

void Children::reap() {
    std::erase_if(running_, [&](pid_t child) {
        int status = 0;
        if (::waitpid(child, &status, WNOHANG) != child) return false;
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (code_ == 0) code_ = code;
        return true;
    });
}

bool Children::over(const programs::Server& server) {
    reap();
    if (next_ == programs_.size()) return running_.empty();
    if (code_ != 0) {
        spdlog::error("a program has ended with code {}: {} after it not begun", code_,
                      counted(programs_.size() - next_, "program"));
        return true;
    }
    const auto now = Clock::now();
    if (!running_.empty() && !may_be_followed(running_.back(), server, now)) return false;
    running_.push_back(start(programs_[next_++]));
    looked_ = busy_ = now;
    return false;
}

bool Children::quiet() const {
    return next_ == programs_.size() &&
           std::ranges::all_of(running_, [](pid_t child) { return std::ranges::all_of(family_of(child), rests); });
}

/// Who takes connections is ready when it has nothing else to do. Who listens by rdma_cm need not even wait: rstream
/// asks again and again whether somebody has come.
bool Children::may_be_followed(pid_t child, const programs::Server& server, Clock::time_point now) {
    if (now - looked_ < kLook) return false;
    looked_ = now;
    const std::vector<pid_t> family = family_of(child);
    const auto any = [&](auto is) { return std::ranges::any_of(family, is); };
    if (any([&](pid_t process) { return server.listens(process); })) return true;
    if (any([&](pid_t process) { return !rests(process) || server.asks(process); })) {
        busy_ = now;
        return false;
    }
    return now - busy_ > kPatience || any(listens_by_tcp);
}

pid_t Children::start(const ProgramOnHost& program) const {
    const pid_t child = ::fork();
    if (child < 0) throw RunError(fmt::format("{}: cannot be started: {}", program.command[0], std::strerror(errno)));
    if (child > 0) return child;
    programs::restore_descriptor_limit();
    ::setenv(programs::kSocketVariable, socket_.c_str(), 1);
    ::setenv(programs::kHostVariable, program.host.c_str(), 1);
    put_before("LD_LIBRARY_PATH", libraries_);
    put_before("LD_PRELOAD", libraries_ / "librnicsim_preload.so");
    let_asan_come_second();
    std::vector<char*> words;
    for (const std::string& word : program.command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    std::fprintf(stderr, "error: %s: %s\n", words[0], std::strerror(errno));
    std::_Exit(127);
}

}  // namespace rnicsim::runner
