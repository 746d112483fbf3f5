// SPDX-License-Identifier: Apache-2.0
// SRQs of programs.
#include "testbench/programs/server/host_service.h"
#include "testbench/programs/server/values.h"

#include <infiniband/verbs.h>

namespace rnicsim::programs {

Reply HostService::create_srq(Program& program, const SrqInit& init) {
    ProtectionDomain* const pd = pds_.find(init.pd, program);
    if (pd == nullptr || init.wqes == 0 || init.wqes > rc::kMostSends || init.sges > kMostReceiveSges)
        throw Refusal{EINVAL};
    if (srqs_.size() == kMostSrqs) throw Refusal{ENOMEM};
    SharedQueue srq{&program, {}, take_receive_ring(init.wqes), init, 0};
    srq.number = end_.host.queues.create_receive_queue(srq.ring, true);
    ++pd->users;
    const auto number = static_cast<std::size_t>(srq.number);
    const Handle handle = srqs_.add(srq);
    if (number >= srq_of_.size()) srq_of_.resize(number + 1);
    srq_of_[number] = handle;
    return Reply(SrqMade{handle, init.wqes, kMostReceiveSges});
}

Reply HostService::modify_srq(Program& program, const SrqChange& change) {
    const SharedQueue* const srq = srqs_.find(change.srq, program);
    if (srq == nullptr) throw Refusal{EINVAL};
    if ((change.what & IBV_SRQ_MAX_WR) != 0) throw Refusal{EOPNOTSUPP};
    if ((change.what & IBV_SRQ_LIMIT) == 0) return {};
    if (change.limit > srq->as.wqes) throw Refusal{EINVAL};
    end_.host.queues.arm_limit(host_.edge({}), srq->number, change.limit);
    return {};
}

void HostService::end_srq(const SharedQueue& srq) {
    srq_of_.at(static_cast<std::size_t>(srq.number)) = 0;
    give_back(srq.ring);
    give_back(srq.number);
}

Reply HostService::destroy_srq(Program& program, Handle handle) {
    const SharedQueue* const srq = srqs_.find(handle, program);
    if (srq == nullptr) throw Refusal{EINVAL};
    if (srq->users != 0) throw Refusal{EBUSY};
    end_srq(*srq);
    --pds_.find(srq->as.pd, program)->users;
    srqs_.remove(handle);
    return {};
}

}  // namespace rnicsim::programs
