// A card has pinned the memory that is registered: what a program gives back to its system stays the card's, with the
// bytes that are there. The simulator reads them before they are gone. Not seen is what libc gives back by itself
// (free() of a large block), and mremap().
#include "testbench/programs/preload/client.h"
#include "testbench/programs/preload/connection.h"
#include "testbench/programs/preload/next.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <unistd.h>

using namespace rnicsim::programs;

namespace {

constexpr std::uint64_t kPage = 4096;

Next<int(void*, std::size_t)> g_munmap("munmap");
Next<int(void*, std::size_t, int)> g_madvise("madvise");

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

int madvise(void* at, size_t bytes, int what) noexcept {
    if (what == MADV_DONTNEED) give_back(at, bytes);
    return g_madvise(at, bytes, what);
}
}
