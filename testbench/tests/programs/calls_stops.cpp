// SPDX-License-Identifier: Apache-2.0
// Processes that are stopped: simulated time stands still. Programs of `rnicsim exec` in strict mode.
#include "testbench/tests/programs/calls.h"

#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <string>

namespace {

using namespace calls;

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t machine_ns() {
    timespec time{};
    CHECK(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time) == 0);
    return time.tv_sec * kSecond + time.tv_nsec;
}

/// A process that the simulator does not know lets it go on, in the machine's time.
void go_on_later(pid_t process) {
    const std::string command = "sleep 0.3; kill -CONT " + std::to_string(process);
    const char* const words[] = {"env", "-i", "/bin/sh", "-c", command.c_str(), nullptr};
    pid_t helper = 0;
    CHECK(posix_spawnp(&helper, "env", nullptr, nullptr, const_cast<char* const*>(words), environ) == 0);
}

/// Runs `blocks` in a child that says when it begins, stops that, and sleeps for a simulated millisecond.
void stop_while(void (*blocks)()) {
    int begun[2];
    CHECK(pipe(begun) == 0);
    usleep(1);  // the simulator knows it
    const pid_t child = fork();
    if (child == 0) {
        usleep(1);
        CHECK(write(begun[1], "x", 1) == 1);
        blocks();
        _exit(0);
    }
    char byte = 0;
    CHECK(read(begun[0], &byte, 1) == 1);
    usleep(10);  // when it returns the child is blocked
    const std::int64_t before = machine_ns();
    CHECK(kill(child, SIGSTOP) == 0);
    go_on_later(child);
    while (machine_ns() - before < kSecond / 50) {}  // until it is: this one computes, so that time cannot go on
    CHECK(usleep(1000) == 0);
    CHECK(machine_ns() - before > kSecond / 5);
    int status = 0;
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
}

CALLS_CASE(stopped_outside, "time stands still while a process is stopped that is blocked in something else") {
    stop_while([] {
        int ends[2];
        char byte = 0;
        CHECK(pipe(ends) == 0);
        CHECK(read(ends[0], &byte, 1) == 1);
    });
}

CALLS_CASE(stopped_asking, "time stands still while a process is stopped that waits for the simulator") {
    stop_while([] { sleep(3600); });
}

}  // namespace
