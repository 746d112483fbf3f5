// SPDX-License-Identifier: Apache-2.0
// Completion channels and asynchronous events. What is destroyed first waits until the program has acknowledged its
// events, as ibv_get_cq_event(3) promises.
#include "testbench/programs/library/events.h"

#include "testbench/programs/library/ask.h"

#include <unistd.h>

using namespace rnicsim::programs;

namespace {

/// A pointer to the object that an event tells of, if it is still there; counted as got.
template <class Object>
Object* got(const Directory<Object>& objects, std::uint64_t cookie) {
    Object* const object = objects.find(cookie);
    if (object != nullptr) ++object->async_got;
    return object;
}

/// False: it is of something that is no more.
bool translate(Context& context, const AsyncEvent& from, ibv_async_event& to) {
    const Lock here(context.lock);
    to.event_type = static_cast<ibv_event_type>(from.type);
    switch (to.event_type) {
        case IBV_EVENT_CQ_ERR: {
            Cq* const cq = got(context.cqs, from.cookie);
            to.element.cq = cq == nullptr ? nullptr : as_cq(*cq);
            return cq != nullptr;
        }
        case IBV_EVENT_SRQ_ERR:
        case IBV_EVENT_SRQ_LIMIT_REACHED: {
            Srq* const srq = got(context.event_srqs, from.cookie);
            to.element.srq = srq == nullptr ? nullptr : &srq->srq;
            return srq != nullptr;
        }
        case IBV_EVENT_QP_FATAL:
        case IBV_EVENT_QP_REQ_ERR:
        case IBV_EVENT_QP_ACCESS_ERR:
        case IBV_EVENT_COMM_EST:
        case IBV_EVENT_SQ_DRAINED:
        case IBV_EVENT_PATH_MIG:
        case IBV_EVENT_PATH_MIG_ERR:
        case IBV_EVENT_QP_LAST_WQE_REACHED: {
            Qp* const qp = got(context.event_qps, from.cookie);
            to.element.qp = qp == nullptr ? nullptr : &qp->qp.qp_base;
            return qp != nullptr;
        }
        default: to.element.port_num = 1; return true;
    }
}

template <class Object>
void acknowledge(Object& object, std::uint32_t& completed) {
    const Lock here(object.mutex);
    ++completed;
    pthread_cond_signal(&object.cond);
}

template <class Object>
void await(Object& object, const std::uint32_t& completed, std::uint32_t got) {
    const Lock here(object.mutex);
    while (completed != got) pthread_cond_wait(&object.cond, &object.mutex);
}

int lacks(int error) {
    errno = error;
    return -1;
}

}  // namespace

namespace rnicsim::programs {

void await_acknowledged(Cq& cq) {
    await(cq.cq, cq.cq.comp_events_completed, cq.completions_got);
    await(cq.cq, cq.cq.async_events_completed, cq.async_got);
}
void await_acknowledged(Srq& srq) { await(srq.srq, srq.srq.events_completed, srq.async_got); }
void await_acknowledged(Qp& qp) { await(qp.qp.qp_base, qp.qp.qp_base.events_completed, qp.async_got); }

}  // namespace rnicsim::programs

ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
    auto made = owned<Channel>();
    if (made == nullptr) return fail(ENOMEM);
    Made answer;
    if (const int error = ask_events(Op::create_channel, answer, &made->channel.fd); error != 0) return fail(error);
    made->channel.context = context;
    made->handle = answer.handle;
    return &made.release()->channel;
}

int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
    {
        const Lock here(channel->context->mutex);
        if (channel->refcnt != 0) return EBUSY;
    }
    if (const int error = ask(Op::destroy_channel, of(channel).handle); error != 0) return error;
    ::close(channel->fd);
    std::free(channel);
    return 0;
}

int ibv_get_cq_event(ibv_comp_channel* channel, ibv_cq** cq, void** cq_context) {
    for (;;) {
        ChannelEvent event;
        const int error = rnicsim_read_event(channel->fd, &event, sizeof event);
        if (error != 0) return lacks(error);
        rnicsim_reach(event.at);
        if (const Welcome* const welcome = rnicsim_welcome(); welcome != nullptr)
            rnicsim_reach(rnicsim_clock() + welcome->event_read);
        Context& context = of(channel->context);
        const Lock here(context.lock);
        Cq* const found = context.cqs.find(event.cookie);
        if (found == nullptr) continue;  // destroyed meanwhile
        ++found->completions_got;
        *cq = as_cq(*found);
        *cq_context = found->cq.cq_context;
        return 0;
    }
}

void ibv_ack_cq_events(ibv_cq* cq, unsigned count) {
    const Lock here(cq->mutex);
    cq->comp_events_completed += count;
    pthread_cond_signal(&cq->cond);
}

int ibv_get_async_event(ibv_context* context, ibv_async_event* to) {
    for (;;) {
        AsyncEvent event;
        const int error = rnicsim_read_event(context->async_fd, &event, sizeof event);
        if (error != 0) return lacks(error);
        if (translate(of(context), event, *to)) return 0;
    }
}

void ibv_ack_async_event(ibv_async_event* event) {
    switch (event->event_type) {
        case IBV_EVENT_CQ_ERR: return acknowledge(*event->element.cq, event->element.cq->async_events_completed);
        case IBV_EVENT_SRQ_ERR:
        case IBV_EVENT_SRQ_LIMIT_REACHED: return acknowledge(*event->element.srq, event->element.srq->events_completed);
        case IBV_EVENT_QP_FATAL:
        case IBV_EVENT_QP_REQ_ERR:
        case IBV_EVENT_QP_ACCESS_ERR:
        case IBV_EVENT_COMM_EST:
        case IBV_EVENT_SQ_DRAINED:
        case IBV_EVENT_PATH_MIG:
        case IBV_EVENT_PATH_MIG_ERR:
        case IBV_EVENT_QP_LAST_WQE_REACHED: return acknowledge(*event->element.qp, event->element.qp->events_completed);
        default: return;
    }
}
