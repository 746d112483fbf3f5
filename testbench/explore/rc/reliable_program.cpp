// SPDX-License-Identifier: Apache-2.0
// What the programs of reliable ends post: send and receive WQEs.
#include "testbench/explore/rc/reliable_world.h"

#include <algorithm>

namespace rnicsim::rc {

Outcome ReliableWorld::post(std::uint8_t requester) {
    EndState& who = end(end_of_requester(requester));
    CardState& card = cards_[card_of(end_of_requester(requester))];
    if (who.posted == messages_of(requester).size()) return Outcome::impossible;
    ++who.posted;
    if (!card.rc.on_post(card.now, who.qp, 1, card)) broken_ = "V-Q1: a WQE is refused";
    return Outcome::done;
}

std::uint32_t ReliableWorld::takers_of(std::uint8_t requester, std::size_t messages) const {
    const std::vector<Verb>& all = messages_of(requester);
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(std::min(messages, all.size()));
    return static_cast<std::uint32_t>(std::count_if(all.begin(), last, takes_receive));
}

std::uint32_t ReliableWorld::takers_at(const CardState& card) const {
    std::uint32_t all = 0;
    for (std::uint8_t r = 0; r < requesters(); ++r) {
        if (card_of(peer_of(end_of_requester(r))) == card.number) all += takers_of(r);
    }
    return all;
}

Outcome ReliableWorld::post_receive(CardState& card) {
    if (card.receives_posted == workload_->receives.value_or(takers_at(card))) return Outcome::impossible;
    ++card.receives_posted, ++card.receives_waiting;
    if (!card.receives().shared()) card.rc.on_post_receive(card.now, card.ends[0].qp, card);
    return Outcome::done;
}

/// An SRQ's buffers are apart. Else the buffer lies where the message that takes it would be written to.
ReceiveWqe ReliableWorld::receive_wqe(const CardState& card, std::uint32_t number) const {
    const std::uint32_t bytes = workload_->packets * kExploredMtu;
    if (card.receives().shared())
        return {number, {{address_of(*workload_, 2, 0) + std::uint64_t{number} * bytes, bytes, card.key}}};
    const std::uint8_t asked_by = requester_of(peer_of(end_at(card.number, 0)));
    std::uint32_t message = 0;
    while (message + 1 < messages_of(asked_by).size() && takers_of(asked_by, message + 1) <= number) ++message;
    return {number, {{address_of(*workload_, asked_by, message), bytes, card.key}}};
}

void ReliableWorld::fetch_sends(CardState& card) {
    while (!card.fetches.empty()) {
        const SendFetch fetch = card.fetches.front();
        card.fetches.erase(card.fetches.begin());
        const std::uint8_t from = end_at(card.number, card.number_of(fetch.qp));
        for (std::uint32_t i = fetch.first; i < fetch.first + fetch.count; ++i)
            card.rc.on_fetched(card.now, fetch.qp, send_wqe(from, i), card);
    }
}

SendWqe ReliableWorld::send_wqe(std::uint8_t from, std::uint32_t number) const {
    const std::uint8_t requester = requester_of(from);
    SendWqe wqe;
    wqe.verb = messages_of(requester)[number];
    wqe.remote_address = address_of(*workload_, requester, number);
    wqe.remote_key = cards_[card_of(peer_of(from))].key;
    if (wqe.verb == Verb::flush) {
        wqe.flush = {roce::FlushPlacement::persistent, roce::FlushSelectivity::region};
        return wqe;
    }
    const bool eight = is_atomic(wqe.verb) || wqe.verb == Verb::atomic_write;
    const std::uint32_t bytes = eight ? kAtomicBytes : workload_->packets * kExploredMtu;
    wqe.sges = {{address_of(*workload_, requester, number), bytes, cards_[card_of(from)].key}};
    return wqe;
}

}  // namespace rnicsim::rc
