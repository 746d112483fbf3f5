#include "testbench/cli/serve.h"

#include "model/request_error.h"
#include "testbench/programs/server/program_run.h"
#include "testbench/results/text.h"
#include "testbench/run_result.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

namespace rnicsim::runner {
namespace {

std::filesystem::path socket_of(const ServeOptions& options) {
    if (!options.socket.empty()) return options.socket;
    return std::filesystem::temp_directory_path() / fmt::format("rnicsim-{}.socket", ::getpid());
}

RunRequest request_of(const Scenario& scenario, const ServeOptions& options) {
    const auto refuse = [&](const char* why) { throw ScenarioError(scenario.file.string() + ": " + why); };
    if (scenario.points.size() != 1) refuse("sweeps; expected a scenario of one point for programs");
    const std::vector<RunConfig>& variants = scenario.points.front().configs;
    if (variants.front().verbs.size() != variants.front().names.size())
        refuse("has hosts without a RoCEv2 RNIC; expected that all have one, for programs");
    if (variants.size() != 1) refuse("has variants; expected one, for programs");
    RunRequest request = variants.front();
    request.observe = options.observe;
    return request;
}

/// What cannot be made is what an option asks for.
std::unique_ptr<programs::ProgramRun> made(const RunRequest& request, const std::filesystem::path& socket,
                                           bool strict) {
    try {
        return std::make_unique<programs::ProgramRun>(request, socket, strict);
    } catch (const RequestError& error) { throw ScenarioError(error.what()); }
}

ExitCode runs(programs::ProgramRun& run, const std::function<bool()>& over) {
    try {
        run.run(over);
        if (const std::uint64_t unused = run.unused_faults(); unused > 0)
            spdlog::warn("{} of the tape did not come up", counted(unused, "fault"));
        return kOk;
    } catch (const RunError& error) {
        spdlog::error("{}", error.what());
        return kSimulationFailed;
    }
}

/// Where libibverbs.so.1 and what it needs lie, beside this program.
std::filesystem::path library_folder() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib" / "programs";
}

pid_t start(const ProgramOnHost& program, const std::filesystem::path& socket) {
    const pid_t child = ::fork();
    if (child < 0) throw RunError(fmt::format("{}: cannot be started: {}", program.command[0], std::strerror(errno)));
    if (child > 0) return child;
    ::setenv(programs::kSocketVariable, socket.c_str(), 1);
    ::setenv(programs::kHostVariable, program.host.c_str(), 1);
    const char* const before = std::getenv("LD_LIBRARY_PATH");
    const std::string path = library_folder().string() + (before == nullptr ? "" : std::string(":") + before);
    ::setenv("LD_LIBRARY_PATH", path.c_str(), 1);
    const char* const others = std::getenv("LD_PRELOAD");
    const std::string preload =
        (library_folder() / "librnicsim_preload.so").string() + (others == nullptr ? "" : std::string(":") + others);
    ::setenv("LD_PRELOAD", preload.c_str(), 1);
    std::vector<char*> words;
    for (const std::string& word : program.command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    std::fprintf(stderr, "error: %s: %s\n", words[0], std::strerror(errno));
    std::_Exit(127);
}

/// It waits for something, as the operating system says: for another program, perhaps.
bool rests(pid_t child) {
    std::ifstream file(fmt::format("/proc/{}/stat", child));
    std::string line;
    if (!std::getline(file, line)) return true;
    const std::size_t behind_name = line.rfind(')');
    return behind_name != std::string::npos && behind_name + 2 < line.size() && line[behind_name + 2] == 'S';
}

/// Who listens by rdma_cm need not wait for that: rstream asks again and again whether somebody has come.
bool may_be_followed(pid_t child, const programs::Server& server) { return rests(child) || server.listens(child); }

class Children {
  public:
    Children(const std::vector<ProgramOnHost>& programs, std::filesystem::path socket)
        : programs_(programs), socket_(std::move(socket)) {}
    ~Children() {
        for (const pid_t child : running_) ::kill(child, SIGTERM);
    }
    Children(const Children&) = delete;
    Children& operator=(const Children&) = delete;

    /// Starts and ends what is due; true: all have ended.
    bool over(const programs::Server& server) {
        std::erase_if(running_, [&](pid_t child) {
            int status = 0;
            if (::waitpid(child, &status, WNOHANG) != child) return false;
            const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            if (code_ == 0) code_ = code;
            return true;
        });
        const auto now = std::chrono::steady_clock::now();
        const bool long_enough = now - started_ > kSettles;
        if (next_ < programs_.size() &&
            (running_.empty() || (long_enough && may_be_followed(running_.back(), server)))) {
            running_.push_back(start(programs_[next_++], socket_));
            started_ = now;
        }
        return next_ == programs_.size() && running_.empty();
    }
    [[nodiscard]] int code() const { return code_; }

  private:
    static constexpr std::chrono::milliseconds kSettles{300};  // a program that listens has begun to by then
    const std::vector<ProgramOnHost>& programs_;
    std::filesystem::path socket_;
    std::vector<pid_t> running_;
    std::size_t next_ = 0;
    std::chrono::steady_clock::time_point started_{};
    int code_ = 0;
};

}  // namespace

std::vector<ProgramOnHost> programs_of(const std::vector<std::string>& words) {
    std::vector<ProgramOnHost> all;
    for (std::size_t i = 0; i < words.size();) {
        if (words[i] != "--on" || i + 3 >= words.size() || words[i + 2] != "--")
            throw ScenarioError("'" + words[i] + "': expected --on HOST -- PROGRAM ARGUMENTS, once or more");
        ProgramOnHost program{words[i + 1], {}};
        for (i += 3; i < words.size() && words[i] != "--on"; ++i) program.command.push_back(words[i]);
        if (program.command.empty()) throw ScenarioError("--on " + program.host + " --: expected a program");
        all.push_back(std::move(program));
    }
    if (all.empty()) throw ScenarioError("expected --on HOST -- PROGRAM ARGUMENTS, once or more");
    return all;
}

ExitCode serve(const Scenario& scenario, const ServeOptions& options, const std::function<bool()>& interrupted) {
    const std::filesystem::path socket = socket_of(options);
    const auto run = made(request_of(scenario, options), socket, !options.free);
    spdlog::info("programs find it with RNICSIM_SOCKET={} LD_LIBRARY_PATH={}", socket.string(),
                 library_folder().string());
    return runs(*run, interrupted);
}

int execute(const Scenario& scenario, const ServeOptions& options, const std::vector<ProgramOnHost>& programs,
            const std::function<bool()>& interrupted) {
    const RunRequest request = request_of(scenario, options);
    for (const ProgramOnHost& program : programs) {
        if (!request.names.find(program.host))
            throw ScenarioError("--on " + program.host + ": expected a host of " + scenario.file.string());
    }
    const std::filesystem::path socket = socket_of(options);
    const auto run = made(request, socket, !options.free);
    Children children(programs, socket);
    const ExitCode code = runs(*run, [&] { return interrupted() || children.over(run->server()); });
    if (code != kOk) return code;
    spdlog::info("the simulation ends after {} ns and {} requests", current_time().ps / kNanosecond.ps,
                 run->server().requests());
    return interrupted() ? kInterrupted : children.code();
}

}  // namespace rnicsim::runner
