// SPDX-License-Identifier: Apache-2.0
// Work requests with a wrong key, bounds or rights: the program gets a status, and `rnicsim exec` says what was wrong.
#include "testbench/tests/programs/calls.h"

#include <initializer_list>

namespace {

using namespace calls;

struct Ends : Opened {
    ibv_qp* a = nullptr;
    ibv_qp* b = nullptr;
    Ends() {
        ibv_qp_init_attr init = init_of(*this);
        init.cap.max_send_sge = 1;
        a = ibv_create_qp(pd, &init);
        b = ibv_create_qp(pd, &init);
        CHECK(a != nullptr && b != nullptr);
        connect(a, b->qp_num);
        connect(b, a->qp_num);
    }
    ~Ends() { CHECK(ibv_destroy_qp(a) == 0 && ibv_destroy_qp(b) == 0); }
    Ends(const Ends&) = delete;
    Ends& operator=(const Ends&) = delete;
};

/// A WRITE of 64 bytes; its status.
ibv_wc_status write(const Ends& ends, std::uint64_t address, std::uint32_t rkey, std::uint32_t lkey) {
    ibv_sge sge{reinterpret_cast<std::uint64_t>(ends.memory), 64, lkey};
    ibv_send_wr wr = send_of(1, IBV_WR_RDMA_WRITE, &sge, 1);
    wr.wr.rdma = {address, rkey};
    CHECK(post(ends.a, wr) == 0);
    return poll(ends.cq, 1).front().status;
}

CALLS_CASE(refused, "wrong keys, bounds and rights") {
    const auto at = [](const Ends& ends) { return reinterpret_cast<std::uint64_t>(ends.memory); };
    {
        const Ends ends;
        CHECK(write(ends, at(ends), 0xABCD00, ends.mr->lkey) == IBV_WC_REM_ACCESS_ERR);
    }
    {
        const Ends ends;
        CHECK(write(ends, at(ends) + Opened::kBytes - 32, ends.mr->rkey, ends.mr->lkey) == IBV_WC_REM_ACCESS_ERR);
    }
    {
        const Ends ends;
        ibv_mr* const reads = ibv_reg_mr(ends.pd, ends.memory, 4096, IBV_ACCESS_REMOTE_READ);
        CHECK(reads != nullptr && write(ends, at(ends), reads->rkey, ends.mr->lkey) == IBV_WC_REM_ACCESS_ERR);
        CHECK(ibv_dereg_mr(reads) == 0);
    }
    {
        const Ends ends;
        CHECK(write(ends, at(ends), ends.mr->rkey, 0x123400) == IBV_WC_LOC_PROT_ERR);
    }
}

}  // namespace
