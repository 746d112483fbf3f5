// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/preload/rdma_cm.h"

#include "testbench/programs/preload/client.h"
#include "testbench/programs/preload/paths.h"
#include "testbench/programs/preload/raw.h"

#include <poll.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstring>

namespace rnicsim::programs {
namespace {

// By descriptor, as each write and close of the program asks; 0: it is something else. Pages that nobody touches cost
// nothing.
constexpr std::size_t kDescriptors = std::size_t{1} << 16U;
constinit std::array<std::atomic<Handle>, kDescriptors> g_channels{};

// The most that a command may take or give: well above what the kernel's structs have.
constexpr std::size_t kMostCommand = 1024;
constexpr std::size_t kMostAnswer = 1024;

// A forked child has the descriptors, but none of the identifiers.
void in_child() {
    for (auto& channel : g_channels) {
        if (channel.load(std::memory_order_relaxed) != 0) channel.store(0, std::memory_order_relaxed);
    }
}

Handle channel_of(int descriptor) {
    if (descriptor < 0 || static_cast<std::size_t>(descriptor) >= kDescriptors) return 0;
    return g_channels[static_cast<std::size_t>(descriptor)].load(std::memory_order_acquire);
}

int fail(int error) {
    errno = error;
    return -1;
}

void give_back(Handle channel) {
    const iovec request{&channel, sizeof channel};
    rnicsim_call(Op::cm_close, &request, 1, nullptr, 0, nullptr, nullptr);
}

/// One command; its answer goes to where the program wants it.
int carry_out(Handle channel, const void* command, std::size_t bytes) {
    const CmCommand head{channel, 0};
    const std::array<iovec, 2> request{
        {{const_cast<CmCommand*>(&head), sizeof head}, {const_cast<void*>(command), bytes}}};
    CmAnswer answer;
    std::array<std::byte, kMostAnswer> rest{};
    const std::array<iovec, 2> into{{{&answer, sizeof answer}, {rest.data(), rest.size()}}};
    std::size_t got = 0;
    const int error = rnicsim_call_into(Op::cm_command, request.data(), request.size(), into.data(), into.size(), &got);
    if (error != 0) return error;
    if (got < sizeof answer) return EIO;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): librdmacm's, as it said
    if (got > sizeof answer) std::memcpy(reinterpret_cast<void*>(answer.to), rest.data(), got - sizeof answer);
    return 0;
}

}  // namespace

bool is_rdma_cm(const char* path) { return std::strcmp(path, "/dev/infiniband/rdma_cm") == 0 && has_simulator(); }

int open_rdma_cm(int flags) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, [] { pthread_atfork(nullptr, nullptr, in_child); });
    Made made;
    int descriptor = -1;
    std::size_t got = 0;
    const int error = rnicsim_call(Op::cm_open, nullptr, 0, &made, sizeof made, &got, &descriptor);
    if (error == EMFILE && got == sizeof made) give_back(made.handle);
    if (error != 0) return fail(error);
    if (got != sizeof made || static_cast<std::size_t>(descriptor) >= kDescriptors) {
        raw::close(descriptor);
        return fail(got != sizeof made ? EIO : EMFILE);
    }
    if ((flags & O_NONBLOCK) != 0) ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
    if ((flags & O_CLOEXEC) == 0) ::fcntl(descriptor, F_SETFD, 0);
    g_channels[static_cast<std::size_t>(descriptor)].store(made.handle, std::memory_order_release);
    return descriptor;
}

bool is_rdma_cm(int descriptor) { return channel_of(descriptor) != 0; }

/// Only the command that fetches an event answers EAGAIN: then the thread waits for one, in simulated time. Who does
/// not want to wait (O_NONBLOCK) may ask again and again: it takes as long as a look with poll() that finds nothing.
ssize_t write_rdma_cm(int descriptor, const void* command, std::size_t bytes) {
    const Handle channel = channel_of(descriptor);
    if (bytes > kMostCommand) return fail(EINVAL);
    for (;;) {
        const int error = carry_out(channel, command, bytes);
        if (error == 0) return static_cast<ssize_t>(bytes);
        if (error != EAGAIN) return fail(error);
        if (!raw::waits(descriptor)) {
            pollfd look{descriptor, POLLIN, 0};
            if (::poll(&look, 1, 0) <= 0) return fail(EAGAIN);
            continue;
        }
        if (const int lost = rnicsim_wait(descriptor); lost != 0) return fail(lost);
    }
}

void leave_rdma_cm(int descriptor) {
    const Handle channel = g_channels[static_cast<std::size_t>(descriptor)].exchange(0);
    if (channel != 0) give_back(channel);
}

}  // namespace rnicsim::programs
