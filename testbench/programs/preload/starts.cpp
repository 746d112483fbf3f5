// SPDX-License-Identifier: Apache-2.0
// Functions of libc that begin to run another program: it begins with the machine's time stamp counter.
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/tsc.h"

#include <alloca.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

using namespace rnicsim::programs;

namespace {

using Words = char* const[];

Next<int(const char*, Words, Words)> g_execve("execve"), g_execvpe("execvpe");
Next<int(int, Words, Words)> g_fexecve("fexecve");
using Spawn = int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, Words, Words);
Next<Spawn> g_spawn("posix_spawn"), g_spawnp("posix_spawnp");
Next<int(const char*)> g_system("system");
Next<FILE*(const char*, const char*)> g_popen("popen");

/// Words of an argument list up to its null.
unsigned count_of(std::va_list list) {
    unsigned count = 1;
    while (va_arg(list, const char*) != nullptr) ++count;
    return count;
}

void fill(char** words, unsigned count, const char* first, std::va_list list) {
    words[0] = const_cast<char*>(first);
    for (unsigned i = 1; i <= count; ++i) words[i] = va_arg(list, char*);
}

}  // namespace

// No memory from malloc(): after fork() there may be none.
#define RNICSIM_WORDS(words, first)                                                \
    std::va_list list;                                                             \
    va_start(list, first);                                                         \
    const unsigned count = count_of(list);                                         \
    va_end(list);                                                                  \
    char** const words = static_cast<char**>(alloca((count + 1) * sizeof(char*))); \
    va_start(list, first);                                                         \
    fill(words, count, first, list)

extern "C" {

int execve(const char* path, Words words, Words environment) noexcept {
    const MachineTsc here;
    return g_execve(path, words, environment);
}
int execvpe(const char* file, Words words, Words environment) noexcept {
    const MachineTsc here;
    return g_execvpe(file, words, environment);
}
int fexecve(int file, Words words, Words environment) noexcept {
    const MachineTsc here;
    return g_fexecve(file, words, environment);
}
int execv(const char* path, Words words) noexcept { return ::execve(path, words, environ); }
int execvp(const char* file, Words words) noexcept { return ::execvpe(file, words, environ); }

int execl(const char* path, const char* first, ...) noexcept {
    RNICSIM_WORDS(words, first);
    va_end(list);
    return ::execv(path, words);
}
int execlp(const char* file, const char* first, ...) noexcept {
    RNICSIM_WORDS(words, first);
    va_end(list);
    return ::execvp(file, words);
}
int execle(const char* path, const char* first, ...) noexcept {
    RNICSIM_WORDS(words, first);
    char* const* const environment = va_arg(list, char* const*);
    va_end(list);
    return ::execve(path, words, environment);
}

int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, Words words, Words environment) {
    const MachineTsc here;
    return g_spawn(process, path, actions, attributes, words, environment);
}
int posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, Words words, Words environment) {
    const MachineTsc here;
    return g_spawnp(process, file, actions, attributes, words, environment);
}
int system(const char* command) {
    const MachineTsc here;
    return g_system(command);
}
FILE* popen(const char* command, const char* mode) {
    const MachineTsc here;
    return g_popen(command, mode);
}
}
