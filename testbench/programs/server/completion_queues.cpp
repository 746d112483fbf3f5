// SPDX-License-Identifier: Apache-2.0
// CQs of programs.
#include "testbench/programs/server/host_service.h"

namespace rnicsim::programs {

Reply HostService::create_cq(Program& program, const CqInit& init) {
    if (cqs_.size() == kMostCqs || !end_.rnic.has_room_for_cq()) throw Refusal{ENOMEM};
    CompletionQueue cq{&program, {}, take_cq_ring(init.cqes), init, 0, {}, 0};
    cq.number = end_.host.queues.create_cq(cq.ring);
    const auto number = static_cast<std::size_t>(cq.number);
    const Handle handle = cqs_.add(cq);
    if (number >= cq_of_.size()) cq_of_.resize(number + 1);
    cq_of_[number] = handle;
    return Reply(CqMade{handle, cq.ring.entries});
}

void HostService::keep_entries(CompletionQueue& cq) {
    for (; cq.ready != 0; --cq.ready) cq.kept.push_back(end_.host.queues.take(host_.edge({}), cq.number));
}

/// What is in the ring before is taken at once; what is on its way there, and visible later, is polled as ever.
Reply HostService::resize_cq(Program& program, const CqSize& size) {
    CompletionQueue* const cq = cqs_.find(size.cq, program);
    if (cq == nullptr) throw Refusal{EINVAL};
    keep_entries(*cq);
    if (size.cqes < cq->kept.size()) throw Refusal{EINVAL};  // they would not fit
    if (!end_.host.queues.moved(cq->number)) throw Refusal{EBUSY};
    const rc::CqRing before = cq->ring;
    cq->ring = take_cq_ring(size.cqes);
    cq->as.cqes = size.cqes;
    end_.host.queues.move_cq(cq->number, cq->ring);
    host_.call_at(rested(), [this, before, handle = size.cq, number = cq->number](Cycle) {
        const auto found = cqs_.all().find(handle);
        if (found != cqs_.all().end() && found->second.number == number) keep_entries(found->second);
        rings_.give_back(before.address, std::uint64_t{before.entries} * rc::kCqeBytes);
    });
    return Reply(CqMade{size.cq, cq->ring.entries});
}

void HostService::end_cq(const CompletionQueue& cq) {
    cq_of_.at(static_cast<std::size_t>(cq.number)) = 0;
    end_.host.queues.destroy_cq(cq.number);
    give_back(cq.ring);
    host_.call_at(rested(), [this, number = cq.number](Cycle) { end_.host.queues.free_cq(number); });
}

Reply HostService::destroy_cq(Program& program, Handle handle) {
    const CompletionQueue* const cq = cqs_.find(handle, program);
    if (cq == nullptr) throw Refusal{EINVAL};
    if (cq->users != 0) throw Refusal{EBUSY};
    end_cq(*cq);
    cqs_.remove(handle);
    return {};
}

}  // namespace rnicsim::programs
