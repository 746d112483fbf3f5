// SPDX-License-Identifier: Apache-2.0
// Completion queues: making, changing and destroying them.
#include "testbench/programs/library/ask.h"
#include "testbench/programs/library/events.h"
#include "testbench/programs/library/operations.h"
#include "testbench/programs/library/poll.h"
#include "testbench/programs/library/refuse.h"

using namespace rnicsim::programs;

namespace {

constexpr std::uint64_t kReadable = std::uint64_t{IBV_WC_STANDARD_FLAGS} | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
                                    IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;

void hold_channel(ibv_context* context, ibv_comp_channel* channel, int more) {
    if (channel == nullptr) return;
    const Lock here(context->mutex);
    channel->refcnt += more;
}

void forget(Context& context, std::uint32_t cookie) {
    const Lock here(context.lock);
    context.cqs.remove(cookie);
}

Cq* create(ibv_context* context, std::uint32_t cqes, void* cq_context, ibv_comp_channel* channel,
           std::uint32_t vector) {
    const Device& said = said_of(context);
    if (cqes == 0 || cqes > said.max_cqe || vector >= static_cast<std::uint32_t>(context->num_comp_vectors)) {
        return fail(EINVAL);
    }
    auto made = owned<Cq>();
    if (made == nullptr) return fail(ENOMEM);
    ibv_cq_ex& cq = made->cq;
    cq.context = context;
    cq.channel = channel;
    cq.cq_context = cq_context;
    init_waiting(cq);
    {
        const Lock here(of(context).lock);
        made->cookie = of(context).cqs.number(made.get());
    }
    if (made->cookie == 0) return fail(ENOMEM);
    const CqInit request{.cqes = cqes,
                         .channel = channel == nullptr ? 0 : of(channel).handle,
                         .events = of(context).events,
                         .cookie = made->cookie};
    CqMade answer;
    if (const int error = ask(Op::create_cq, request, answer); error != 0) {
        forget(of(context), made->cookie);
        return fail(error);
    }
    cq.handle = answer.cq;
    cq.cqe = static_cast<int>(answer.cqes);
    hold_channel(context, channel, 1);
    return made.release();
}

int check(const ibv_cq_init_attr_ex& wanted) {
    static std::atomic<bool> said{false};
    const bool has_flags = (wanted.comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) != 0;
    constexpr std::uint32_t kFlags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED | IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
    if ((wanted.comp_mask & ~std::uint32_t{IBV_CQ_INIT_ATTR_MASK_FLAGS}) != 0) return EOPNOTSUPP;
    if (has_flags && (wanted.flags & ~kFlags) != 0) return EOPNOTSUPP;
    return (wanted.wc_flags & ~kReadable) == 0 ? 0 : refuse("a CQ with VLANs, flow tags or tag matching", said);
}

}  // namespace

namespace rnicsim::programs {

ibv_cq_ex* create_cq_ex(ibv_context* context, ibv_cq_init_attr_ex* wanted) {
    if (const int error = check(*wanted); error != 0) return fail(error);
    auto* const batch = static_cast<Completion*>(std::calloc(kMostCompletions, sizeof(Completion)));
    if (batch == nullptr) return fail(ENOMEM);
    Cq* const cq = create(context, wanted->cqe, wanted->cq_context, wanted->channel, wanted->comp_vector);
    if (cq == nullptr) {
        std::free(batch);
        return nullptr;
    }
    cq->batch = batch;
    set_extended_poll(*cq);
    return &cq->cq;
}

int req_notify_cq(ibv_cq* cq, int solicited_only) {
    const Arm request{.cq = cq->handle, .solicited_only = solicited_only != 0 ? 1U : 0U};
    const iovec part = detail::part_of(request);
    const Welcome* const welcome = rnicsim_welcome();
    return rnicsim_tell(Op::arm, &part, 1, welcome == nullptr ? 0 : welcome->arm);
}

}  // namespace rnicsim::programs

ibv_cq* ibv_create_cq(ibv_context* context, int cqes, void* cq_context, ibv_comp_channel* channel, int vector) {
    if (cqes < 1) return fail(EINVAL);
    Cq* const cq =
        create(context, static_cast<std::uint32_t>(cqes), cq_context, channel, static_cast<std::uint32_t>(vector));
    return cq == nullptr ? nullptr : as_cq(*cq);
}

int ibv_resize_cq(ibv_cq* cq, int cqes) {
    if (cqes < 1 || static_cast<std::uint32_t>(cqes) > said_of(cq->context).max_cqe) return EINVAL;
    const CqSize request{.cq = cq->handle, .cqes = static_cast<std::uint32_t>(cqes)};
    CqMade answer;
    if (const int error = ask(Op::resize_cq, request, answer); error != 0) return error;
    cq->cqe = static_cast<int>(answer.cqes);
    return 0;
}

int ibv_destroy_cq(ibv_cq* cq) {
    if (const int error = ask(Op::destroy_cq, cq->handle); error != 0) return error;
    const Owned<Cq> last(&of(cq));
    forget(of(cq->context), last->cookie);
    hold_channel(cq->context, cq->channel, -1);
    await_acknowledged(*last);
    std::free(last->batch);
    return 0;
}
