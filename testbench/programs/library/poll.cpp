// SPDX-License-Identifier: Apache-2.0
// ibv_poll_cq. In strict mode a poll that finds nothing waits in the simulator for the next event.
#include "testbench/programs/library/poll.h"

#include "testbench/programs/library/ask.h"
#include "testbench/programs/library/operations.h"

#include <algorithm>
#include <array>

namespace rnicsim::programs {
namespace {

constexpr std::uint32_t kFew = 32;  // on the stack; programs that poll ask for so many at most, mostly

ibv_wc translate(const Completion& from, std::uint64_t wr_id) {
    ibv_wc to{};
    to.wr_id = wr_id;
    to.status = static_cast<ibv_wc_status>(from.status);
    to.opcode = static_cast<ibv_wc_opcode>(from.opcode);
    to.vendor_err = from.vendor_error;
    to.byte_len = from.bytes;
    to.imm_data = from.immediate_or_key;
    to.qp_num = from.qpn;
    to.src_qp = from.source_qpn;
    to.wc_flags = from.flags;
    to.sl = service_level(from);
    return to;
}

/// Of `count` completions, those that the program can know.
int give(Cq& cq, const Completion* from, std::uint32_t count, ibv_wc* to) {
    int given = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        std::uint64_t wr_id = 0;
        if (settle(of(cq.cq.context), from[i], wr_id)) to[given++] = translate(from[i], wr_id);
    }
    return given;
}

/// What is left of the last batch of an extended CQ comes first.
int give_left(Cq& cq, std::uint32_t most, ibv_wc* to) {
    const std::uint32_t count = std::min(most, cq.end - cq.at);
    const int given = give(cq, cq.batch + cq.at, count, to);
    cq.at += count;
    return given;
}

int poll_into(Cq& cq, Completion* room, std::uint32_t most, ibv_wc* to) {
    std::uint32_t count = 0;
    if (const int error = fetch(cq, most, room, count); error != 0) {
        errno = error;
        return -1;
    }
    return give(cq, room, count, to);
}

}  // namespace

int fetch(const Cq& cq, std::uint32_t most, Completion* to, std::uint32_t& count) {
    const Poll request{.cq = cq.cq.handle, .most = most};
    const iovec asked = detail::part_of(request);
    Polled head;
    const iovec into[] = {{&head, sizeof head}, {to, most * sizeof *to}};
    std::size_t got = 0;
    if (const int error = rnicsim_call_into(Op::poll, &asked, 1, into, 2, &got); error != 0) return error;
    if (got < sizeof head || head.count > most || got != sizeof head + head.count * sizeof *to) return EPROTO;
    count = head.count;
    return 0;
}

bool settle(Context& context, const Completion& completion, std::uint64_t& wr_id) {
    const Lock here(context.lock);
    Qp* const qp = context.qps.find(completion.qpn);
    if (qp == nullptr) return false;
    if (completion.receive == 0) return qp->sends.take(completion.index, wr_id);
    ibv_srq* const shared = qp->qp.qp_base.srq;
    if (shared == nullptr) return qp->receives.take(completion.index, wr_id);
    const Lock there(of(shared).lock);
    return of(shared).ids.take(completion.index, wr_id);
}

int poll_cq(ibv_cq* handle, int most, ibv_wc* to) {
    if (most <= 0) return 0;
    Cq& cq = of(handle);
    const Lock here(cq.poll_lock);
    const auto wanted = std::min(static_cast<std::uint32_t>(most), kMostCompletions);
    if (cq.at != cq.end) return give_left(cq, wanted, to);
    if (wanted <= kFew) {
        std::array<Completion, kFew> room;
        return poll_into(cq, room.data(), wanted, to);
    }
    auto* const room = static_cast<Completion*>(std::malloc(wanted * sizeof(Completion)));
    if (room == nullptr) {
        errno = ENOMEM;
        return -1;
    }
    const int given = poll_into(cq, room, wanted, to);
    std::free(room);
    return given;
}

}  // namespace rnicsim::programs
