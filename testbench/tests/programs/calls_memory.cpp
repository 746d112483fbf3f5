// Memory that is not there, and memory that a program gives back while it is registered.
#include "testbench/tests/programs/calls.h"

#include <sys/mman.h>

#include <unistd.h>

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

}  // namespace calls
