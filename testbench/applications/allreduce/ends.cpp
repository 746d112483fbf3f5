// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/allreduce/ends.h"

#include <string>
#include <utility>

namespace rnicsim::applications::allreduce {

using boost::endian::load_little_u32;
using boost::endian::store_little_u32;

namespace {

/// These elements of the vector, from `first` on, are the sums of the shares of these hosts.
void check(std::span<const std::uint8_t> of, std::uint32_t first, std::uint32_t operation, std::uint32_t ranks,
           Actions& actions) {
    for (std::uint32_t word = 0; word < of.size() / kWord; ++word) {
        const std::uint32_t found = load_little_u32(&of[std::size_t{word} * kWord]),
                            sum = sum_of(ranks, operation, first + word);
        if (found == sum) continue;
        return actions.violates("element " + std::to_string(first + word) + " of all-reduce " +
                                std::to_string(operation) + " is " + std::to_string(found) +
                                ", not the sum of those behind it in the ring, " + std::to_string(sum));
    }
}

}  // namespace

void RingSender::state(std::vector<std::uint64_t>& words) const {
    Sender::state(words);
    words.insert(words.end(), {operation_, bytes_, (busy_ ? 1U : 0U) + (marked_ ? 2U : 0U)});
}

/// The host's share is a vector of its own.
void RingSender::asked(const Event& event, Actions& actions) {
    if (is_broken() || ring_.get(Ring::Known::broken, actions) != 0) return actions.ended(event.tag, Outcome::failed);
    operation_ = event.tag;
    bytes_ = event.bytes;
    busy_ = true;
    marked_ = false;
    const std::span<std::uint8_t> vector = actions.memory(ring_.vector(), bytes_);
    for (std::uint32_t word = 0; word < bytes_ / kWord; ++word)
        store_little_u32(&vector[std::size_t{word} * kWord], share_of(ring_.rank(), operation_, word));
    ring_.set(Ring::Known::asked, operation_ + std::uint64_t{1}, actions);
    actions.wake(kShared, ring_.connection());  // messages of the last host may have come already
    send_more(actions);
}

void RingSender::woken(Actions& actions) {
    if (ring_.get(Ring::Known::broken, actions) != 0) return breaks(actions, true);
    send_more(actions);
    end_if_over(actions);
}

/// The chunk of a step is what came in the one before.
void RingSender::send_more(Actions& actions) {
    const std::uint32_t chunk = bytes_ / ring_.hosts();
    while (busy_ && has_buffer()) {
        const std::uint64_t message = put_so_far(), step = message % ring_.steps();
        if (message / ring_.steps() != operation_) return;
        const bool has_come = step == 0 || ring_.get(Ring::Known::added, actions) >= message;
        if (!has_come && ring_.settings().wait) return;
        std::ranges::copy(actions.memory(ring_.chunk(ring_.sent_in(step), chunk), chunk),
                          actions.memory(next_place(), chunk).begin());
        put(chunk, actions);
    }
}

void RingSender::sent(std::uint64_t /*message*/, Outcome outcome, Actions& actions) {
    if (outcome == Outcome::failed) return;
    send_more(actions);
    end_if_over(actions);
}

void RingSender::broke(Actions& actions) {
    ring_.say_broken(actions);
    if (std::exchange(busy_, false)) actions.ended(operation_, Outcome::failed);
}

void RingSender::end_if_over(Actions& actions) {
    if (!busy_) return;
    const std::uint64_t first = std::uint64_t{operation_} * ring_.steps(),
                        added = ring_.get(Ring::Known::added, actions);
    if (added >= first + ring_.hosts() - 1 && !std::exchange(marked_, true))
        actions.mark(operation_, static_cast<unsigned>(Part::reduce));
    if (added < first + ring_.steps() || complete() < first + ring_.steps()) return;
    check(actions.memory(ring_.vector(), bytes_), 0, operation_, ring_.ranks_in(ring_.hosts()), actions);
    busy_ = false;
    actions.ended(operation_, Outcome::complete);
}

void RingReceiver::got(std::uint64_t message, std::uint32_t bytes, Actions& actions) {
    const std::uint64_t step = message % ring_.steps();
    const std::span<const std::uint8_t> come = actions.memory(lane().place_of(message), bytes);
    const std::uint32_t number = ring_.received_in(step), words = bytes / kWord;
    check(come, number * words, static_cast<std::uint32_t>(message / ring_.steps()), ring_.ranks_in(step), actions);
    const std::span<std::uint8_t> here = actions.memory(ring_.chunk(number, bytes), bytes);
    const bool adds = ring_.adds(step);
    for (std::size_t at = 0; at < here.size(); at += kWord)
        store_little_u32(&here[at], load_little_u32(&come[at]) + (adds ? load_little_u32(&here[at]) : 0));
    if (adds && ring_.settings().reduce != Time{}) actions.work(Time{ring_.settings().reduce.ps * bytes / 1024});
    ring_.set(Ring::Known::added, message + 1, actions);
    actions.wake(kShared, ring_.connection());
}

void RingReceiver::woken(Actions& actions) {
    if (ring_.get(Ring::Known::broken, actions) != 0) return breaks(actions, true);
    take(actions);
}

void RingReceiver::broke(Actions& actions) { ring_.say_broken(actions); }

}  // namespace rnicsim::applications::allreduce
