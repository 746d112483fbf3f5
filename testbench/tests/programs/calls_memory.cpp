// SPDX-License-Identifier: Apache-2.0
// Memory that is not there, and memory that a program gives back while it is registered.
#include "testbench/tests/programs/calls.h"

#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <unistd.h>
#include <ctime>

#include <array>

namespace calls {
namespace {

constexpr std::size_t kPage = 4096, kBytes = 4 * kPage;

char* map(int protection) {
    void* const at = ::mmap(nullptr, kBytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED);
    return static_cast<char*>(at);
}

ibv_wc carry_out(const Pair& pair, ibv_wr_opcode opcode, std::uint64_t there, const ibv_mr* mr) {
    ibv_sge here = pair.sge(0, 64);
    ibv_send_wr wr = send_of(1, opcode, &here, 1);
    wr.wr.rdma = {there, mr->rkey};
    CHECK(post(pair.a, wr) == 0);
    return poll(pair.cq, 1)[0];
}

ibv_wc carry_out(const Pair& pair, ibv_wr_opcode opcode, const char* there, const ibv_mr* mr) {
    return carry_out(pair, opcode, reinterpret_cast<std::uint64_t>(there), mr);
}

bool holds(const char* memory, char what) {
    for (int i = 0; i < 64; ++i) {
        if (memory[i] != what) return false;
    }
    return true;
}

}  // namespace

CALLS_CASE(memory_that_is_not_there, "memory_that_is_not_there") {
    Opened card;
    char* const memory = map(PROT_READ | PROT_WRITE);
    CHECK(::munmap(memory + kPage, kPage) == 0);
    CHECK(fails(ibv_reg_mr(card.pd, memory, kBytes, kAll), EFAULT));
    CHECK(fails(ibv_reg_mr(card.pd, memory + kPage, 1, 0), EFAULT));
    CHECK(fails(ibv_reg_mr(card.pd, memory, kPage + 1, kAll), EFAULT));
    CHECK(fails(ibv_reg_mr(card.pd, nullptr, kPage, 0), EFAULT));
    ibv_mr* const mr = ibv_reg_mr(card.pd, memory, kPage, kAll);
    CHECK(mr != nullptr);
    CHECK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, memory, kBytes, 0) != 0 && errno == EFAULT);
    CHECK(ibv_dereg_mr(mr) == 0);
    CHECK(::mprotect(memory, kPage, PROT_READ) == 0);
    CHECK(fails(ibv_reg_mr(card.pd, memory, kPage, kAll), EFAULT));
    ibv_mr* const read = ibv_reg_mr(card.pd, memory, kPage, IBV_ACCESS_REMOTE_READ);
    CHECK(read != nullptr && ibv_dereg_mr(read) == 0);
    CHECK(::mprotect(memory, kPage, PROT_NONE) == 0);
    CHECK(fails(ibv_reg_mr(card.pd, memory, kPage, 0), EFAULT));
}

CALLS_CASE(more_than_the_machine_has, "more_than_the_machine_has") {
    const Opened card;
    const auto has =
        static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t bytes = has + (std::size_t{1} << 30U);
    constexpr int kReserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kReserved, -1, 0);
    if (at == MAP_FAILED) return;  // the machine does not promise more than it has (overcommit_memory 2)
    auto* const memory = static_cast<char*>(at);
    CHECK(fails(ibv_reg_mr(card.pd, memory, bytes, kAll), ENOMEM));
    // Half of it, and once more; the other half would be too much.
    const std::size_t half = (bytes / 2 + kPage) & ~(kPage - 1);
    ibv_mr* const first = ibv_reg_mr(card.pd, memory, half, kAll);
    ibv_mr* const again = ibv_reg_mr(card.pd, memory, half, kAll);
    CHECK(first != nullptr && again != nullptr);
    CHECK(fails(ibv_reg_mr(card.pd, memory + half, bytes - half, kAll), ENOMEM));
    CHECK(ibv_rereg_mr(again, IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, memory + half, bytes - half, 0) != 0);
    CHECK(errno == ENOMEM);
    CHECK(ibv_dereg_mr(first) == 0 && ibv_dereg_mr(again) == 0);
    ibv_mr* const other = ibv_reg_mr(card.pd, memory + half, bytes - half, kAll);
    CHECK(other != nullptr && ibv_dereg_mr(other) == 0);
    CHECK(::munmap(memory, bytes) == 0);
}

CALLS_CASE(more_than_it_may_lock, "more_than_it_may_lock") {
    const Opened card;  // 16 pages
    std::array<__user_cap_data_struct, 2> capabilities{};
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    CHECK(::syscall(SYS_capget, &header, capabilities.data()) == 0);
    const bool may_lock_anything = (capabilities.front().effective >> CAP_IPC_LOCK & 1U) != 0;
    char* const memory = map(PROT_READ | PROT_WRITE);
    rlimit limit{};
    CHECK(::getrlimit(RLIMIT_MEMLOCK, &limit) == 0);
    if (limit.rlim_cur <= card.kBytes + 2 * kPage) return;  // the machine's own is lower
    limit.rlim_cur = card.kBytes + 2 * kPage;
    CHECK(::setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
    ibv_mr* mr = ibv_reg_mr(card.pd, memory, kBytes, kAll);
    CHECK((mr != nullptr) == may_lock_anything);
    if (mr != nullptr) CHECK(ibv_dereg_mr(mr) == 0);
    capabilities.front().effective &= ~(1U << CAP_IPC_LOCK);
    CHECK(::syscall(SYS_capset, &header, capabilities.data()) == 0);
    CHECK(fails(ibv_reg_mr(card.pd, memory, kBytes, kAll), ENOMEM));
    mr = ibv_reg_mr(card.pd, memory, 2 * kPage, kAll);
    CHECK(mr != nullptr);
    CHECK(fails(ibv_reg_mr(card.pd, memory, 1, 0), ENOMEM));
    CHECK(ibv_dereg_mr(mr) == 0);
    limit.rlim_cur = 0;
    CHECK(::setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
    CHECK(fails(ibv_reg_mr(card.pd, memory, 1, 0), EPERM));
}

CALLS_CASE(memory_that_is_given_back, "memory_that_is_given_back") {
    Pair pair;
    for (const bool by_madvise : {false, true}) {
        char* const memory = map(PROT_READ | PROT_WRITE);
        std::memset(memory, 7, kBytes);
        ibv_mr* const mr = ibv_reg_mr(pair.pd, memory, kBytes, kAll);
        CHECK(mr != nullptr);
        CHECK((by_madvise ? ::madvise(memory + kPage, kPage, MADV_DONTNEED) : ::munmap(memory + kPage, kPage)) == 0);
        char* const gone = memory + kPage;
        CHECK(carry_out(pair, IBV_WR_RDMA_READ, gone, mr).status == IBV_WC_SUCCESS && holds(pair.memory, 7));
        std::memset(pair.memory, 8, 64);
        CHECK(carry_out(pair, IBV_WR_RDMA_WRITE, gone, mr).status == IBV_WC_SUCCESS);
        // Another mapping there is other memory; what is still the program's is the card's as well.
        CHECK(::mmap(gone, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == gone);
        std::memset(gone, 9, kPage);
        CHECK(carry_out(pair, IBV_WR_RDMA_WRITE, memory, mr).status == IBV_WC_SUCCESS && holds(memory, 8));
        std::memset(pair.memory, 0, 64);
        CHECK(carry_out(pair, IBV_WR_RDMA_READ, gone, mr).status == IBV_WC_SUCCESS && holds(pair.memory, 8));
        CHECK(carry_out(pair, IBV_WR_RDMA_READ, memory + 2 * kPage, mr).status == IBV_WC_SUCCESS);
        CHECK(holds(pair.memory, 7) && holds(gone, 9));
        // Registered anew, it is the new memory.
        ibv_mr* const other = ibv_reg_mr(pair.pd, gone, kPage, kAll);
        CHECK(other != nullptr);
        CHECK(carry_out(pair, IBV_WR_RDMA_READ, gone, other).status == IBV_WC_SUCCESS && holds(pair.memory, 9));
        CHECK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, memory, kBytes, 0) == 0);
        CHECK(carry_out(pair, IBV_WR_RDMA_READ, gone, mr).status == IBV_WC_SUCCESS && holds(pair.memory, 9));
        CHECK(ibv_dereg_mr(other) == 0 && ibv_dereg_mr(mr) == 0);
        CHECK(::munmap(memory, kBytes) == 0);
    }
}

CALLS_CASE(memory_that_is_replaced, "memory_that_is_replaced") {
    Pair pair;
    constexpr int kAnywhere = MAP_PRIVATE | MAP_ANONYMOUS;
    enum class By { mmap, shrinking, moving, growing };
    for (const By by : {By::mmap, By::shrinking, By::moving, By::growing}) {
        char* const memory = map(PROT_READ | PROT_WRITE);
        std::memset(memory, 7, kBytes);
        ibv_mr* const mr = ibv_reg_mr(pair.pd, memory, kBytes, kAll);
        CHECK(mr != nullptr);
        char* const last = memory + kBytes - kPage;
        if (by == By::mmap) {
            // One that fails leaves what is there.
            CHECK(::mmap(last, kPage, PROT_READ, MAP_PRIVATE | MAP_FIXED, -1, 0) == MAP_FAILED && errno == EBADF);
            std::memset(last, 6, kPage);
            CHECK(carry_out(pair, IBV_WR_RDMA_READ, last, mr).status == IBV_WC_SUCCESS && holds(pair.memory, 6));
            std::memset(last, 7, kPage);
            CHECK(::mmap(last, kPage, PROT_READ | PROT_WRITE, kAnywhere | MAP_FIXED, -1, 0) == last && holds(last, 0));
        } else if (by == By::shrinking) {
            CHECK(::mremap(memory, kBytes, kBytes - kPage, 0) == memory);
        } else if (by == By::moving) {
            char* const other = map(PROT_READ);
            CHECK(::mremap(memory, kBytes, kBytes, MREMAP_MAYMOVE | MREMAP_FIXED, other) == other && holds(other, 7));
            CHECK(::munmap(other, kBytes) == 0);
        } else {
            void* const behind = ::mmap(memory + kBytes, kPage, PROT_READ, kAnywhere | MAP_FIXED_NOREPLACE, -1, 0);
            void* const grown = ::mremap(memory, kBytes, 4 * kBytes, MREMAP_MAYMOVE);
            CHECK(grown != MAP_FAILED && grown != memory && holds(static_cast<char*>(grown), 7));
            CHECK(::munmap(grown, 4 * kBytes) == 0 && (behind == MAP_FAILED || ::munmap(behind, kPage) == 0));
        }
        std::memset(pair.memory, 0, 64);
        CHECK(carry_out(pair, IBV_WR_RDMA_READ, last, mr).status == IBV_WC_SUCCESS && holds(pair.memory, 7));
        std::memset(pair.memory, 8, 64);
        CHECK(carry_out(pair, IBV_WR_RDMA_WRITE, last, mr).status == IBV_WC_SUCCESS);
        std::memset(pair.memory, 0, 64);
        CHECK(carry_out(pair, IBV_WR_RDMA_READ, last, mr).status == IBV_WC_SUCCESS && holds(pair.memory, 8));
        CHECK(ibv_dereg_mr(mr) == 0);
        if (by == By::mmap || by == By::shrinking)
            CHECK(::munmap(memory, by == By::mmap ? kBytes : kBytes - kPage) == 0);
    }
}

CALLS_CASE(large_blocks_of_malloc, "large_blocks_of_malloc") {
    Pair pair;
    constexpr std::size_t kLarge = std::size_t{1} << 24U;
    auto* const memory = static_cast<char*>(std::aligned_alloc(kPage, kLarge));
    std::memset(memory, 7, kLarge);
    ibv_mr* const mr = ibv_reg_mr(pair.pd, memory, kLarge, kAll);
    const auto there = reinterpret_cast<std::uint64_t>(memory);
    std::free(memory);  // libc gives it back by itself: its bytes are not known, but it is no error
    CHECK(carry_out(pair, IBV_WR_RDMA_READ, there, mr).status == IBV_WC_SUCCESS && holds(pair.memory, 0));
    std::memset(pair.memory, 8, 64);
    CHECK(carry_out(pair, IBV_WR_RDMA_WRITE, there, mr).status == IBV_WC_SUCCESS);
    std::memset(pair.memory, 0, 64);
    CHECK(carry_out(pair, IBV_WR_RDMA_READ, there, mr).status == IBV_WC_SUCCESS && holds(pair.memory, 8));
    CHECK(ibv_dereg_mr(mr) == 0);
}

namespace {

std::int64_t nanoseconds() {
    timespec now{};
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

/// Says how long it took.
template <class Call>
void timed(const char* name, const Call& call) {
    const std::int64_t begin = nanoseconds();
    call();
    std::printf("%s %lld\n", name, static_cast<long long>(nanoseconds() - begin));
}

}  // namespace

/// Who knows the costs compares: costs_test.py.
CALLS_CASE(times_of_regions, "times_of_regions") {
    const Opened card;
    constexpr std::size_t kPage = 4096, kPages = 512;
    auto* const memory = static_cast<char*>(std::aligned_alloc(kPage, kPages * kPage));
    std::memset(memory, 1, kPages * kPage);
    ibv_mr* mr = nullptr;
    const auto add = [&](std::size_t from, std::size_t bytes) {
        return [&mr, &card, at = memory + from, bytes] { mr = ibv_reg_mr(card.pd, at, bytes, kAll); };
    };
    const auto end = [&mr] { CHECK(ibv_dereg_mr(mr) == 0); };
    timed("add_256", add(0, 256 * kPage));
    timed("end_256", end);
    timed("add_1", add(0, kPage));
    timed("end_1", end);
    timed("add_2", add(kPage - 1, 2));
    timed("change_3",
          [&] { CHECK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, memory, 3 * kPage, 0) == 0); });
    timed("change_0", [&] { CHECK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, nullptr, nullptr, 0, kAll) == 0); });
    timed("end_3", end);
    timed("fail_0", [&] { CHECK(ibv_reg_mr(card.pd, nullptr, 64 * kPage, kAll) == nullptr); });
    timed("fails_0", [&] { CHECK(ibv_reg_mr(card.pd, memory, ~std::size_t{0} / 2, kAll) == nullptr); });
    timed("make_cq", [&] { CHECK(ibv_create_cq(card.context, 16, nullptr, nullptr, 0) != nullptr); });
    std::free(memory);
}

}  // namespace calls
