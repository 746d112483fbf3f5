#include "testbench/runner/plot.h"

#include <fcntl.h>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

namespace rnicsim::runner {
namespace {

constexpr const char* kPython = "/usr/bin/python3";  // Debian's: the one that has Debian's matplotlib
constexpr int kMatplotlibMissing = 3;                // exit code of scripts/plot

/// The source tree's script, or the one that stands relative to the program.
std::filesystem::path find_script() {
    std::error_code error;
    if (std::filesystem::exists(RNICSIM_PLOT_SCRIPT, error)) return RNICSIM_PLOT_SCRIPT;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    for (std::filesystem::path folder = program.parent_path(); folder.has_relative_path();
         folder = folder.parent_path()) {
        if (std::filesystem::exists(folder / "scripts/plot", error)) return folder / "scripts/plot";
    }
    return {};
}

/// Exit code of the script, -1 if it did not end by itself.
int run_python(std::string script, std::string out) {
    std::string python = kPython;
    const std::array<char*, 4> arguments{python.data(), script.data(), out.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t pid = -1;
    const int error = posix_spawn(&pid, kPython, &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return -1;
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

bool draw_plot(const std::filesystem::path& out) {
    const std::filesystem::path script = find_script();
    if (script.empty()) {
        spdlog::warn("no plot: scripts/plot was not found");
        return false;
    }
    const int code = run_python(script.string(), out.string());
    if (code == 0) return true;
    if (code != kMatplotlibMissing) {  // in that case the script has said so itself
        spdlog::warn("no plot: {} {} {} failed", kPython, script.string(), out.string());
    }
    return false;
}

}  // namespace rnicsim::runner
