// SPDX-License-Identifier: Apache-2.0
// What VerbsJudge says to receive completions, of queues of one QP and of shared ones.
#include "model/rnic/rc/end/verbs_end.h"
#include "testbench/workloads/messages/verbs_judge.h"

#include <algorithm>
#include <utility>

namespace rnicsim {
using What = MemoryArea::What;

void VerbsJudge::receive_posted(unsigned host, std::uint32_t slot) {
    violate_if(0, current_time(), shared_[host]->posted(slot));
}

/// Of UC and UD: which message it is shows in memory.
void VerbsJudge::check_unreliable(std::size_t connection, unsigned side, const rc::Completion& completion,
                                  std::uint64_t address, Time now) {
    const Connection& c = connections_[connection];
    const bool datagram = c.item->verbs.service == roce::Service::datagram;
    const std::uint32_t most = receive_bytes(*c.item);
    const bool fits = c.item->verbs.sizes.empty() ? completion.bytes == most : completion.bytes <= most;
    if (!fits || completion.grh != datagram || completion.from != (datagram ? c.ends[1 - side].qp : rc::Qpn{}))
        return violate(connection, now, "V-I2: a receive completion of another size or sender");
    const std::span<const std::uint8_t> memory =
        verbs_end(*system_, c.plan->ends.at(side).host).host.driver.memory(address, completion.bytes);
    violate_if(connection, now,
               connections_[connection].ends.at(side).unreliable->received(completion.verb, memory,
                                                                           completion.immediate_or_key));
}

/// A receive WQE of the host's shared queue has ended. Those of a QP end in the order in which it has taken them.
std::optional<SharedLanding::Ended> VerbsJudge::end_shared(std::size_t connection, unsigned side,
                                                           const rc::Completion& completion, Time now) {
    Connection& c = connections_[connection];
    End& end = c.ends[side];
    const auto ended = shared_[c.plan->ends.at(side).host]->ended(completion.index);
    if (!ended) violate(connection, now, "V-I7: a receive ends twice, or was not posted");
    if (completion.index < end.next_receive) violate(connection, now, "V-I2: a QP's receives end in another order");
    end.next_receive = completion.index + 1;
    return ended;
}

void VerbsJudge::check_receive(std::size_t connection, unsigned side, const rc::Completion& completion, Time now) {
    Connection& c = connections_[connection];
    End& end = c.ends[side];
    const VerbsLayout::End& plan = c.plan->ends.at(side);
    const std::uint32_t n = end.received++;
    std::optional<SharedLanding::Ended> of_shared;
    if (shared_[plan.host]) {
        of_shared = end_shared(connection, side, completion, now);
        if (!of_shared) return;
    } else if (completion.index != n) {
        return violate(connection, now, "V-I2: a receive completion of another number");
    }
    if (end.unreliable) {
        const std::uint64_t address = of_shared ? of_shared->address : plan.received.slot(n);
        return check_unreliable(connection, side, completion, address, now);
    }
    const std::vector<std::uint32_t>& takers = c.ends[1 - side].takers;
    const std::uint32_t m = c.item->verbs.mix.empty() || n >= takers.size() ? n : takers[n];
    const MessageKind kind = c.kinds.at(m);
    if (completion.bytes != kind.bytes || completion.verb != kind.verb)
        return violate(connection, now, "V-I2: a receive completion of another message or size");
    const bool send = is_send(kind.verb);
    if (!of_shared) return check_landed(connection, side, send ? What::sends : What::in, send ? n : m, now);
    // With a UC QP beside it a receive WQE may have bytes of a message that was given up.
    const std::uint32_t placed = send ? kind.bytes : 0;
    if (of_shared->placed != placed && (send || shared_[plan.host]->reliable()))
        return violate(connection, now, "V-I6: a receive ends, and not what belongs there is in its buffer");
    if (!send) return check_landed(connection, side, What::in, m, now);
    const std::span<const std::uint8_t> memory =
        verbs_end(*system_, plan.host).host.driver.memory(of_shared->address, kind.bytes);
    if (!is_filled(memory, message_key(connection, 1 - side, m), 0))
        violate(connection, now, "V-I6: its bytes are not those that were sent");
}

/// A QP that has failed ends the receive WQE of the shared queue that a message of its has taken, and none of the
/// others'.
void VerbsJudge::check_flushed(std::size_t connection, unsigned side, const rc::Completion& completion, Time now) {
    Connection& c = connections_[connection];
    const std::optional<SharedLanding::Ended> ended = end_shared(connection, side, completion, now);
    if (std::exchange(c.ends[side].flushed, true) || (ended && ended->placed == 0))
        violate(connection, now, "V-Q2: a shared receive is flushed that its QP has not taken");
}

void VerbsJudge::check_shared(Time now) {
    for (unsigned host = 0; host < shared_.size(); ++host) {
        const bool failed = std::ranges::any_of(connections_, [&](const Connection& c) {
            return c.failed && (c.plan->ends[0].host == host || c.plan->ends[1].host == host);
        });
        // A QP of UC may keep a receive WQE that it has taken in vain; one of a peer that has failed, as well.
        if (!shared_[host] || failed || !shared_[host]->reliable()) continue;
        violate_if(0, now, shared_[host]->at_rest());
    }
}

}  // namespace rnicsim
