// SPDX-License-Identifier: Apache-2.0
// Protection domains and memory regions.
#include "testbench/programs/library/ask.h"
#include "testbench/programs/library/objects.h"
#include "testbench/programs/library/refuse.h"
#include "testbench/programs/protocol/flush_numbers.h"

using namespace rnicsim::programs;

namespace {

constexpr std::uint64_t kPage = 4096;
// The card has no use for huge pages and does not order less than it could. Zero-based is as cards have it: no other.
constexpr unsigned kAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                             IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_ZERO_BASED | IBV_ACCESS_HUGETLB |
                             kAccessFlushGlobal | kAccessFlushPersistent;

struct Mr {
    ibv_mr mr{};
    RnicsimPinned pinned{};
};
Mr& of(ibv_mr* mr) { return *reinterpret_cast<Mr*>(mr); }

/// As the kernel checks it.
int check_access(unsigned access) {
    access &= ~unsigned{IBV_ACCESS_OPTIONAL_RANGE};  // by definition what is not there is ignored
    static std::atomic<bool> said_odp{false}, said_mw{false};
    if ((access & IBV_ACCESS_ON_DEMAND) != 0) return refuse("a memory region on demand", said_odp);
    if ((access & IBV_ACCESS_MW_BIND) != 0) return refuse("a memory region for memory windows", said_mw);
    if ((access & ~kAccess) != 0) return EINVAL;
    const bool writes = (access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) != 0;
    return writes && (access & IBV_ACCESS_LOCAL_WRITE) == 0 ? EINVAL : 0;
}

int check_range(std::uint64_t address, std::uint64_t bytes, std::uint64_t iova) {
    if (bytes == 0 || address + bytes < address) return EINVAL;
    return address % kPage == iova % kPage ? 0 : EINVAL;
}

ibv_mr* register_memory(ibv_pd* pd, void* address, std::size_t bytes, std::uint64_t iova, unsigned access) {
    const Registration request{.pd = pd->handle,
                               .access = access & 0xffffU,
                               .address = reinterpret_cast<std::uint64_t>(address),
                               .bytes = bytes,
                               .iova = iova};
    if (const int error = check_access(access); error != 0) return fail(error);
    if (const int error = check_range(request.address, bytes, iova); error != 0) return fail(error);
    auto made = owned<Mr>();
    if (made == nullptr) return fail(ENOMEM);
    Registered answer;
    if (const int error = ask(Op::register_memory, request, answer); error != 0) return fail(error);
    made->mr = {.context = pd->context,
                .pd = pd,
                .addr = address,
                .length = bytes,
                .handle = answer.region,
                .lkey = answer.lkey,
                .rkey = answer.rkey};
    made->pinned.address = request.address;
    made->pinned.bytes = bytes;
    rnicsim_pin(&made->pinned);
    return &made.release()->mr;
}

int refuse_change(int error, int code) {
    errno = error;
    return code;
}

}  // namespace

ibv_pd* ibv_alloc_pd(ibv_context* context) {
    auto made = owned<ibv_pd>();
    if (made == nullptr) return fail(ENOMEM);
    Made answer;
    if (const int error = ask(Op::alloc_pd, Nothing{}, answer); error != 0) return fail(error);
    *made = {.context = context, .handle = answer.handle};
    return made.release();
}

int ibv_dealloc_pd(ibv_pd* pd) {
    if (const int error = ask(Op::free_pd, pd->handle); error != 0) return error;
    std::free(pd);
    return 0;
}

ibv_mr* ibv_reg_mr(ibv_pd* pd, void* address, std::size_t bytes, int access) {
    return register_memory(pd, address, bytes, reinterpret_cast<std::uint64_t>(address), static_cast<unsigned>(access));
}

ibv_mr* ibv_reg_mr_iova(ibv_pd* pd, void* address, std::size_t bytes, std::uint64_t iova, int access) {
    return register_memory(pd, address, bytes, iova, static_cast<unsigned>(access));
}

ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* address, std::size_t bytes, std::uint64_t iova, unsigned access) {
    return register_memory(pd, address, bytes, iova, access);
}

int ibv_rereg_mr(ibv_mr* mr, int flags, ibv_pd* pd, void* address, std::size_t bytes, int access) {
    const auto start = reinterpret_cast<std::uint64_t>(address);
    const bool moves = (flags & IBV_REREG_MR_CHANGE_TRANSLATION) != 0;
    const bool changes_pd = (flags & IBV_REREG_MR_CHANGE_PD) != 0;
    const bool changes_access = (flags & IBV_REREG_MR_CHANGE_ACCESS) != 0;
    if (flags == 0 || (flags & ~IBV_REREG_MR_FLAGS_SUPPORTED) != 0)
        return refuse_change(EINVAL, IBV_REREG_MR_ERR_INPUT);
    if (moves && (address == nullptr || check_range(start, bytes, start) != 0)) {
        return refuse_change(EINVAL, IBV_REREG_MR_ERR_INPUT);
    }
    if ((changes_pd && pd == nullptr) || (!changes_access && access != 0)) {
        return refuse_change(EINVAL, IBV_REREG_MR_ERR_INPUT);
    }
    if (const int error = check_access(static_cast<unsigned>(access)); error != 0) {
        return refuse_change(error, IBV_REREG_MR_ERR_INPUT);
    }
    const Reregistration request{.region = mr->handle,
                                 .what = static_cast<std::uint32_t>(flags),
                                 .to = {.pd = changes_pd ? pd->handle : 0,
                                        .access = static_cast<std::uint32_t>(access) & 0xffffU,
                                        .address = start,
                                        .bytes = bytes,
                                        .iova = start}};
    Registered answer;
    if (const int error = ask(Op::reregister_memory, request, answer); error != 0) {
        return refuse_change(error, IBV_REREG_MR_ERR_CMD);
    }
    mr->handle = answer.region;
    mr->lkey = answer.lkey;
    mr->rkey = answer.rkey;
    if (changes_pd) mr->pd = pd;
    if (!moves) return 0;
    mr->addr = address;
    mr->length = bytes;
    rnicsim_unpin(&of(mr).pinned);
    of(mr).pinned.address = start;
    of(mr).pinned.bytes = bytes;
    rnicsim_pin(&of(mr).pinned);
    return 0;
}

int ibv_dereg_mr(ibv_mr* mr) {
    if (const int error = ask(Op::free_memory, mr->handle); error != 0) return error;
    rnicsim_unpin(&of(mr).pinned);
    std::free(mr);
    return 0;
}
