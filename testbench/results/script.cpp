// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/script.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

namespace rnicsim::runner {
namespace {

constexpr const char* kPython = "/usr/bin/python3";  // Debian's: the one that has Debian's matplotlib

std::vector<std::string> script_command(const std::filesystem::path& script,
                                        const std::vector<std::string>& arguments) {
    std::vector<std::string> command{kPython, script.string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

/// As the system wants them; they point into `words`.
std::vector<char*> argument_pointers(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

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
    const std::vector<char*> arguments = argument_pointers(command);
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
    return run_program(script_command(script, arguments), output);
}

void become_script(const std::filesystem::path& script, const std::vector<std::string>& arguments) {
    std::vector<std::string> command = script_command(script, arguments);
    std::fflush(nullptr);
    execv(kPython, argument_pointers(command).data());
}

}  // namespace rnicsim::runner
