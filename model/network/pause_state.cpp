// SPDX-License-Identifier: Apache-2.0
#include "model/network/pause_state.h"

#include <algorithm>

namespace rnicsim {

void PauseState::hears(const PauseFrame& frame, Time at) {
    for (unsigned i = 0; i < kTrafficClasses; ++i) {
        if (!frame.quanta.at(i)) continue;
        const Time until = at + quanta(timing_, *frame.quanta.at(i));
        const Time from = until == at ? at : at + reaction_;
        std::vector<Order>& due = classes_.at(i).due;
        // "Go on" takes back what has not begun.
        std::erase_if(due, [&](const Order& earlier) { return earlier.at >= from; });
        due.push_back({from, until});
    }
}

PauseState::OfClass& PauseState::settled(unsigned of_class, Time now) {
    OfClass& of = classes_.at(of_class);
    if (of.due.empty()) return of;
    const auto later = std::ranges::find_if(of.due, [&](const Order& order) { return order.at > now; });
    if (later != of.due.begin()) of.until = (later - 1)->until;
    of.due.erase(of.due.begin(), later);
    return of;
}

bool PauseState::paused(unsigned of_class, Time now) { return settled(of_class, now).until > now; }

Time PauseState::next_end(Time now) {
    Time next = kEndOfTime;
    for (unsigned i = 0; i < kTrafficClasses; ++i) {
        const OfClass& of = settled(i, now);
        if (of.until <= now) continue;
        // The next order may end it earlier, or extend it: whoever asks looks again then.
        next = std::min(next, of.due.empty() ? of.until : std::min(of.until, of.due.front().at));
    }
    return next;
}

}  // namespace rnicsim
