// SPDX-License-Identifier: Apache-2.0
// Shared receive queues.
#include "testbench/programs/library/ask.h"
#include "testbench/programs/library/events.h"
#include "testbench/programs/library/objects.h"

using namespace rnicsim::programs;

namespace {

void forget(Context& context, std::uint32_t cookie) {
    const Lock here(context.lock);
    context.event_srqs.remove(cookie);
}

}  // namespace

ibv_srq* ibv_create_srq(ibv_pd* pd, ibv_srq_init_attr* wanted) {
    const Device& said = said_of(pd->context);
    ibv_srq_attr& attributes = wanted->attr;
    if (attributes.max_wr == 0 || attributes.max_wr > said.max_srq_wr || attributes.max_sge > said.max_srq_sge) {
        return fail(EINVAL);
    }
    auto made = owned<Srq>();
    if (made == nullptr) return fail(ENOMEM);
    Context& context = of(pd->context);
    {
        const Lock here(context.lock);
        made->cookie = context.event_srqs.number(made.get());
    }
    if (made->cookie == 0) return fail(ENOMEM);
    const SrqInit request{.pd = pd->handle,
                          .events = context.events,
                          .wqes = attributes.max_wr,
                          .sges = attributes.max_sge,
                          .limit = 0,  // a limit is armed later, by ibv_modify_srq
                          .cookie = made->cookie};
    SrqMade answer;
    int error = ask(Op::create_srq, request, answer);
    if (error == 0 && !made->ids.make(answer.wqes)) error = ENOMEM;
    if (error != 0) {
        forget(context, made->cookie);
        return fail(error);
    }
    made->sges = answer.sges;
    made->srq.context = pd->context;
    made->srq.srq_context = wanted->srq_context;
    made->srq.pd = pd;
    made->srq.handle = answer.srq;
    init_waiting(made->srq);
    attributes.max_wr = answer.wqes;
    attributes.max_sge = answer.sges;
    return &made.release()->srq;
}

int ibv_modify_srq(ibv_srq* srq, ibv_srq_attr* wanted, int what) {
    if (what == 0 || (what & ~(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT)) != 0) return EINVAL;
    const Lock here(of(srq).lock);
    const bool resizes = (what & IBV_SRQ_MAX_WR) != 0;
    if (resizes && wanted->max_wr < of(srq).ids.held()) return EINVAL;
    const SrqChange request{.srq = srq->handle,
                            .what = static_cast<std::uint32_t>(what),
                            .wqes = wanted->max_wr,
                            .limit = wanted->srq_limit};
    if (const int error = ask(Op::modify_srq, request); error != 0) return error;
    return !resizes || of(srq).ids.make(wanted->max_wr) ? 0 : ENOMEM;
}

int ibv_query_srq(ibv_srq* srq, ibv_srq_attr* to) {
    SrqChange answer;
    if (const int error = ask(Op::query_srq, srq->handle, answer); error != 0) return error;
    *to = {.max_wr = answer.wqes, .max_sge = answer.sges, .srq_limit = answer.limit};
    return 0;
}

int ibv_destroy_srq(ibv_srq* srq) {
    if (const int error = ask(Op::destroy_srq, srq->handle); error != 0) return error;
    const Owned<Srq> last(&of(srq));
    forget(of(srq->context), last->cookie);
    await_acknowledged(*last);
    return 0;
}
