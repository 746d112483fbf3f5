// SPDX-License-Identifier: Apache-2.0
// The processor writes back what its caches hold of some memory, on the simulated host, too: msync(MS_SYNC), and what
// libpmem has for it. What a program writes back by instructions of its own (CLWB) nobody sees.
#include "testbench/programs/preload/connection.h"
#include "testbench/programs/preload/exchange.h"
#include "testbench/programs/preload/next.h"

#include <sys/mman.h>

#include <cerrno>

using namespace rnicsim::programs;

namespace {

Next<int(void*, std::size_t, int)> g_msync("msync");

/// A program may have loaded libpmem for an object of its own only, where RTLD_NEXT does not look.
using Persist = void(const void*, std::size_t);
Persist* of_libpmem(const char* name) {
    void* found = ::dlsym(RTLD_NEXT, name);
    void* const loaded = found == nullptr ? ::dlopen("libpmem.so.1", RTLD_NOLOAD | RTLD_LAZY) : nullptr;
    if (loaded != nullptr) found = ::dlsym(loaded, name);
    return reinterpret_cast<Persist*>(found);
}

void write_back(const void* address, std::size_t bytes) {
    Connection& connection = thread_connection();
    if (connection.busy) return;  // in a handler of a signal
    const int error = errno;
    if (connect_thread(connection, Complaints::none) == 0) {
        WriteBack request{.address = reinterpret_cast<std::uint64_t>(address), .bytes = bytes};
        const iovec part{&request, sizeof request};
        std::size_t got = 0;
        // It is written whatever the simulator says.
        static_cast<void>(exchange(connection, {Op::write_back, &part, 1, nullptr, 0, nullptr}, got));
    }
    errno = error;
}

}  // namespace

int msync(void* address, std::size_t bytes, int flags) {
    const int result = g_msync(address, bytes, flags);
    if (result == 0 && (flags & MS_SYNC) != 0) write_back(address, bytes);
    return result;
}

extern "C" {

void pmem_flush(const void* address, std::size_t bytes) {
    if (Persist* const next = of_libpmem("pmem_flush"); next != nullptr) next(address, bytes);
    write_back(address, bytes);
}

void pmem_persist(const void* address, std::size_t bytes) {
    if (Persist* const next = of_libpmem("pmem_persist"); next != nullptr) next(address, bytes);
    write_back(address, bytes);
}
}
