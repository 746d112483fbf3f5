// SPDX-License-Identifier: Apache-2.0
// A card has pinned the memory that is registered: what a program gives back to its system stays the card's, with the
// bytes that are there. The simulator reads them before they are gone. Not seen is what libc gives back by itself
// (free() and realloc() of a large block), and bare system calls.
#include "testbench/programs/preload/client.h"
#include "testbench/programs/preload/connection.h"
#include "testbench/programs/preload/next.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <unistd.h>

#include <cstdarg>

using namespace rnicsim::programs;

namespace {

constexpr std::uint64_t kPage = 4096;

Next<int(void*, std::size_t)> g_munmap("munmap");
Next<int(void*, std::size_t, int)> g_madvise("madvise");
Next<void*(void*, std::size_t, int, int, int, off_t)> g_mmap("mmap");
Next<void*(void*, std::size_t, std::size_t, int, void*)> g_mremap("mremap");

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_once_t g_once = PTHREAD_ONCE_INIT;
RnicsimPinned* g_all = nullptr;

int process() { return static_cast<int>(::syscall(SYS_getpid)); }

bool is_pinned(std::uint64_t address, std::uint64_t bytes) {
    if (__atomic_load_n(&g_all, __ATOMIC_RELAXED) == nullptr) return false;
    pthread_mutex_lock(&g_lock);
    const RnicsimPinned* each = g_all;
    while (each != nullptr) {
        const std::uint64_t begin = each->address & ~(kPage - 1);
        const std::uint64_t end = (each->address + each->bytes + kPage - 1) & ~(kPage - 1);
        if (address < end && begin < address + bytes) break;
        each = each->next;
    }
    const bool found = each != nullptr && each->process == process();  // a forked child's is not the card's
    pthread_mutex_unlock(&g_lock);
    return found;
}

std::size_t whole(std::size_t bytes) { return (bytes + kPage - 1) & ~std::size_t{kPage - 1}; }

/// Its errno is the program's, which has asked for something else.
void give_back(void* at, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uint64_t>(at);
    if (address % kPage != 0 || bytes == 0 || address + bytes < address) return;  // the system refuses it
    if (!is_pinned(address, bytes) || thread_connection().busy) return;
    const int before = errno;
    const GivenBack request{.address = address, .bytes = bytes};
    const iovec part{const_cast<GivenBack*>(&request), sizeof request};
    (void)rnicsim_call(Op::give_back_memory, &part, 1, nullptr, 0, nullptr, nullptr);
    errno = before;
}

}  // namespace

void rnicsim_pin(RnicsimPinned* what) {
    pthread_once(&g_once, [] {
        const auto unlock = [] { pthread_mutex_unlock(&g_lock); };
        pthread_atfork([] { pthread_mutex_lock(&g_lock); }, unlock, unlock);
    });
    pthread_mutex_lock(&g_lock);
    what->process = process();
    what->previous = nullptr;
    what->next = g_all;
    if (g_all != nullptr) g_all->previous = what;
    g_all = what;
    pthread_mutex_unlock(&g_lock);
}

void rnicsim_unpin(RnicsimPinned* what) {
    pthread_mutex_lock(&g_lock);
    (what->previous != nullptr ? what->previous->next : g_all) = what->next;
    if (what->next != nullptr) what->next->previous = what->previous;
    pthread_mutex_unlock(&g_lock);
}

extern "C" {

int munmap(void* at, size_t bytes) noexcept {
    give_back(at, bytes);
    return g_munmap(at, bytes);
}

// What is there goes, if the call does not fail: that is tried elsewhere.
void* mmap(void* at, size_t bytes, int protection, int flags, int descriptor, off_t offset) noexcept {
    const bool replaces = (flags & MAP_FIXED) != 0 && (flags & MAP_FIXED_NOREPLACE) == 0;
    if (replaces && is_pinned(reinterpret_cast<std::uint64_t>(at), whole(bytes))) {
        void* const tried = g_mmap(nullptr, bytes, protection, flags & ~MAP_FIXED, descriptor, offset);
        if (tried == MAP_FAILED) return tried;
        g_munmap(tried, bytes);
        give_back(at, whole(bytes));
    }
    return g_mmap(at, bytes, protection, flags, descriptor, offset);
}
void* mmap64(void* at, size_t bytes, int protection, int flags, int descriptor, off64_t offset) noexcept {
    return mmap(at, bytes, protection, flags, descriptor, offset);
}

void* mremap(void* at, size_t bytes, size_t wanted, int flags, ...) noexcept {
    va_list more;
    va_start(more, flags);
    void* const to = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : nullptr;
    va_end(more);
    const auto from = reinterpret_cast<std::uint64_t>(at);
    const bool moves = (flags & MREMAP_FIXED) != 0 || (flags & MREMAP_DONTUNMAP) != 0;
    if (!moves && wanted != 0 && bytes > wanted && from % kPage == 0)
        give_back(static_cast<char*>(at) + whole(wanted), whole(bytes) - whole(wanted));  // its end is cut off
    if (!moves && wanted > bytes && (flags & MREMAP_MAYMOVE) != 0 && is_pinned(from, whole(bytes))) {
        void* const same = g_mremap(at, bytes, wanted, flags & ~MREMAP_MAYMOVE, nullptr);
        if (same != MAP_FAILED) return same;
        if (bytes != 0) give_back(at, whole(bytes));
    }
    if (moves) {
        give_back(at, whole(bytes));
        if (to != nullptr) give_back(to, whole(wanted));
    }
    return g_mremap(at, bytes, wanted, flags, to);
}

int madvise(void* at, size_t bytes, int what) noexcept {
    if (what == MADV_DONTNEED) give_back(at, bytes);
    return g_madvise(at, bytes, what);
}
}
