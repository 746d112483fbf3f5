// SPDX-License-Identifier: Apache-2.0
// The post API of ibv_wr_post(3): work requests are collected between wr_start and wr_complete, under the send lock,
// and then posted like a list. What is wrong with one of them is the result of wr_complete, which then posts none.
#include "testbench/programs/library/ask.h"
#include "testbench/programs/library/operations.h"

#include <cstring>

namespace rnicsim::programs {

/// As many of each as the send queue holds.
struct Staged {
    ibv_send_wr* wrs = nullptr;
    ibv_sge* sges = nullptr;          ///< max_send_sge each, one at least
    std::uint8_t* inlined = nullptr;  ///< max_inline_data each
    std::uint32_t count = 0;
    int error = 0;
    ibv_send_wr nowhere{};  ///< what comes after an error is written to, and not posted
};

namespace {

std::size_t sges_each(const Qp& qp) { return qp.cap.max_send_sge == 0 ? 1 : qp.cap.max_send_sge; }

void blame(Qp& qp, int error) {
    if (qp.staged->error == 0) qp.staged->error = error;
}

ibv_send_wr& begin(ibv_qp_ex* handle, ibv_wr_opcode opcode) {
    Qp& qp = of(handle);
    Staged& staged = *qp.staged;
    if (!qp.sends.has_room(staged.count + 1)) blame(qp, ENOMEM);
    if (staged.error != 0) return staged.nowhere;
    ibv_send_wr& wr = staged.wrs[staged.count];
    wr = {};
    wr.wr_id = handle->wr_id;
    wr.send_flags = handle->wr_flags;
    wr.opcode = opcode;
    if (staged.count != 0) staged.wrs[staged.count - 1].next = &wr;
    ++staged.count;
    return wr;
}

/// The one that is being set up. Null after an error.
ibv_send_wr* current(Qp& qp) {
    Staged& staged = *qp.staged;
    if (staged.count == 0) blame(qp, EINVAL);
    return staged.error != 0 ? nullptr : &staged.wrs[staged.count - 1];
}

void begin_rdma(ibv_qp_ex* qp, ibv_wr_opcode opcode, std::uint32_t rkey, std::uint64_t address) {
    ibv_send_wr& wr = begin(qp, opcode);
    wr.wr.rdma.remote_addr = address;
    wr.wr.rdma.rkey = rkey;
}

void begin_atomic(ibv_qp_ex* qp, ibv_wr_opcode opcode, std::uint32_t rkey, std::uint64_t address,
                  std::uint64_t compare_add, std::uint64_t swap) {
    auto& atomic = begin(qp, opcode).wr.atomic;
    atomic.remote_addr = address;
    atomic.compare_add = compare_add;
    atomic.swap = swap;
    atomic.rkey = rkey;
}

void begin_flush(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t address, std::size_t bytes, std::uint8_t placement,
                 std::uint8_t selectivity) {
    begin_atomic(qp, kOpcodeFlush, rkey, address, bytes, placement | std::uint64_t{selectivity} << 8U);
}

/// Where later headers have wr_flush. That of Debian 12 ends before it, and here there is room for what is later.
constexpr std::size_t kFlushCall = offsetof(ibv_qp_ex, wr_atomic_write) + sizeof(void*);
static_assert(kFlushCall + sizeof(void*) <= offsetof(Qp, later) + sizeof(Later));

void set_flush(Qp& qp) {
    void (*const call)(ibv_qp_ex*, std::uint32_t, std::uint64_t, std::size_t, std::uint8_t, std::uint8_t) = begin_flush;
    std::memcpy(reinterpret_cast<char*>(&qp) + kFlushCall, &call, sizeof call);
}

void set_sges(ibv_qp_ex* handle, std::size_t count, const ibv_sge* from) {
    Qp& qp = of(handle);
    if (count > qp.cap.max_send_sge) blame(qp, EINVAL);
    ibv_send_wr* const wr = current(qp);
    if (wr == nullptr) return;
    wr->sg_list = qp.staged->sges + (qp.staged->count - 1) * sges_each(qp);
    wr->num_sge = static_cast<int>(count);
    if (count != 0) std::memcpy(wr->sg_list, from, count * sizeof *from);
}

/// An ATOMIC WRITE's eight bytes are inline, whatever the QP has room for.
std::size_t inline_each(const Qp& qp) { return std::max<std::size_t>(qp.cap.max_inline_data, kAtomicBytes); }

void put_inline(Qp& qp, std::size_t count, const ibv_data_buf* from) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) bytes += from[i].length;
    ibv_send_wr* const wr = current(qp);
    if (wr == nullptr) return;
    const std::size_t place = qp.staged->count - 1;
    std::uint8_t* const to = qp.staged->inlined + place * inline_each(qp);
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; at += from[i++].length) {
        if (from[i].length != 0) std::memcpy(to + at, from[i].addr, from[i].length);
    }
    wr->sg_list = qp.staged->sges + place * sges_each(qp);
    wr->sg_list[0] = {
        .addr = reinterpret_cast<std::uint64_t>(to), .length = static_cast<std::uint32_t>(bytes), .lkey = 0};
    wr->num_sge = bytes == 0 ? 0 : 1;
    wr->send_flags |= IBV_SEND_INLINE;
}

void set_inline(ibv_qp_ex* handle, std::size_t count, const ibv_data_buf* from) {
    Qp& qp = of(handle);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) bytes += from[i].length;
    if (bytes > qp.cap.max_inline_data) blame(qp, EINVAL);
    put_inline(qp, count, from);
}

void set_ud_addr(ibv_qp_ex* handle, ibv_ah* ah, std::uint32_t qpn, std::uint32_t qkey) {
    ibv_send_wr* const wr = current(of(handle));
    if (wr == nullptr) return;
    wr->wr.ud = {.ah = ah, .remote_qpn = qpn, .remote_qkey = qkey};
}

void start(ibv_qp_ex* handle) {
    Qp& qp = of(handle);
    pthread_mutex_lock(&qp.send_lock);
    qp.staged->count = 0;
    qp.staged->error = 0;
}

int complete(ibv_qp_ex* handle) {
    Qp& qp = of(handle);
    ibv_send_wr* bad = nullptr;
    int error = qp.staged->error;
    ibv_send_wr* const first = qp.staged->count == 0 ? nullptr : qp.staged->wrs;
    if (error == 0) error = check_sends(qp, first);
    if (error == 0 && first != nullptr) error = post_send_locked(qp, first, &bad, PostApi::calls);
    pthread_mutex_unlock(&qp.send_lock);
    return error;
}

void set_operations(ibv_qp_ex& qp) {
    qp.wr_atomic_cmp_swp = [](ibv_qp_ex* to, std::uint32_t rkey, std::uint64_t address, std::uint64_t compare,
                              std::uint64_t swap) {
        begin_atomic(to, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, address, compare, swap);
    };
    qp.wr_atomic_fetch_add = [](ibv_qp_ex* to, std::uint32_t rkey, std::uint64_t address, std::uint64_t add) {
        begin_atomic(to, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, address, add, 0);
    };
    qp.wr_atomic_write = [](ibv_qp_ex* to, std::uint32_t rkey, std::uint64_t address, const void* value) {
        begin_rdma(to, IBV_WR_ATOMIC_WRITE, rkey, address);
        const ibv_data_buf one{const_cast<void*>(value),
                               kAtomicBytes};  // NOLINT(cppcoreguidelines-pro-type-const-cast)
        put_inline(of(to), 1, &one);
    };
    qp.wr_rdma_read = [](ibv_qp_ex* to, std::uint32_t rkey, std::uint64_t address) {
        begin_rdma(to, IBV_WR_RDMA_READ, rkey, address);
    };
    qp.wr_rdma_write = [](ibv_qp_ex* to, std::uint32_t rkey, std::uint64_t address) {
        begin_rdma(to, IBV_WR_RDMA_WRITE, rkey, address);
    };
    qp.wr_rdma_write_imm = [](ibv_qp_ex* to, std::uint32_t rkey, std::uint64_t address, __be32 immediate) {
        begin_rdma(to, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, address);
        if (ibv_send_wr* const wr = current(of(to))) wr->imm_data = immediate;
    };
    qp.wr_send = [](ibv_qp_ex* to) { begin(to, IBV_WR_SEND); };
    qp.wr_send_imm = [](ibv_qp_ex* to, __be32 immediate) { begin(to, IBV_WR_SEND_WITH_IMM).imm_data = immediate; };
    qp.wr_send_inv = [](ibv_qp_ex* to, std::uint32_t key) { begin(to, IBV_WR_SEND_WITH_INV).invalidate_rkey = key; };
    qp.wr_set_ud_addr = set_ud_addr;
    qp.wr_set_sge = [](ibv_qp_ex* to, std::uint32_t lkey, std::uint64_t address, std::uint32_t length) {
        const ibv_sge one{address, length, lkey};
        set_sges(to, 1, &one);
    };
    qp.wr_set_sge_list = set_sges;
    qp.wr_set_inline_data = [](ibv_qp_ex* to, void* address, std::size_t length) {
        const ibv_data_buf one{address, length};
        set_inline(to, 1, &one);
    };
    qp.wr_set_inline_data_list = set_inline;
    qp.wr_start = start;
    qp.wr_complete = complete;
    qp.wr_abort = [](ibv_qp_ex* to) { pthread_mutex_unlock(&of(to).send_lock); };
}

/// What ibv_create_qp_ex has refused; a program that calls it nevertheless gets an error and no crash.
void set_refused(ibv_qp_ex& qp) {
    qp.wr_bind_mw = [](ibv_qp_ex* to, ibv_mw*, std::uint32_t, const ibv_mw_bind_info*) { blame(of(to), EOPNOTSUPP); };
    qp.wr_local_inv = [](ibv_qp_ex* to, std::uint32_t) { blame(of(to), EOPNOTSUPP); };
    qp.wr_send_tso = [](ibv_qp_ex* to, void*, std::uint16_t, std::uint16_t) { blame(of(to), EOPNOTSUPP); };
    qp.wr_set_xrc_srqn = [](ibv_qp_ex* to, std::uint32_t) { blame(of(to), EOPNOTSUPP); };
}

}  // namespace

bool set_new_post(Qp& qp) {
    qp.staged = make<Staged>();
    if (qp.staged == nullptr) return false;
    const std::size_t count = qp.cap.max_send_wr + std::size_t{1};
    qp.staged->wrs = static_cast<ibv_send_wr*>(std::calloc(count, sizeof(ibv_send_wr)));
    qp.staged->sges = static_cast<ibv_sge*>(std::calloc(count * sges_each(qp), sizeof(ibv_sge)));
    qp.staged->inlined = static_cast<std::uint8_t*>(std::calloc(count, inline_each(qp)));
    set_operations(qp.qp);
    set_flush(qp);
    set_refused(qp.qp);
    return qp.staged->wrs != nullptr && qp.staged->sges != nullptr && qp.staged->inlined != nullptr;
}

void free_new_post(Qp& qp) {
    if (qp.staged == nullptr) return;
    std::free(qp.staged->wrs);
    std::free(qp.staged->sges);
    std::free(qp.staged->inlined);
    std::free(qp.staged);
}

}  // namespace rnicsim::programs
