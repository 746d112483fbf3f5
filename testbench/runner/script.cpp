#include "testbench/runner/script.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace rnicsim::runner {
namespace {

constexpr const char* kPython = "/usr/bin/python3";  // Debian's: the one that has Debian's matplotlib

}  // namespace

std::filesystem::path find_script(const std::string_view name) {
    std::error_code error;
    std::filesystem::path source = std::filesystem::path(RNICSIM_SCRIPTS) / name;
    if (std::filesystem::exists(source, error)) return source;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    for (std::filesystem::path folder = program.parent_path(); folder.has_relative_path();
         folder = folder.parent_path()) {
        if (std::filesystem::exists(folder / "scripts" / name, error)) return folder / "scripts" / name;
    }
    return {};
}

int run_program(std::vector<std::string> command, const ScriptOutput output) {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (output == ScriptOutput::hidden) {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    }
    pid_t pid = -1;
    const int error = posix_spawnp(&pid, command.front().c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return -1;
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int run_script(const std::filesystem::path& script, const std::vector<std::string>& arguments,
               const ScriptOutput output) {
    std::vector<std::string> command{kPython, script.string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run_program(std::move(command), output);
}

}  // namespace rnicsim::runner
