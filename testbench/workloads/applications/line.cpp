// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/applications/line.h"

#include <algorithm>

namespace rnicsim {

void Line::add(std::size_t connection, std::uint32_t operations) {
    places_.push_back({connection, operations});
    all_ += operations;
    left_ += operations;
}

std::optional<std::size_t> Line::next() {
    if (left_ == 0) return {};
    if (order_ == applications::Order::turn) {
        while (places_[turn_].left == 0) turn_ = (turn_ + 1) % places_.size();
        Place& found = places_[turn_];
        turn_ = (turn_ + 1) % places_.size();
        return take(found);
    }
    // Each order of all operations is as likely as any other.
    std::uint64_t at = random_.bits(RandomStream::order, item_, host_, all_ - left_) % left_;
    const auto drawn = std::ranges::find_if(places_, [&at](const Place& of) {
        if (at < of.left) return true;
        at -= of.left;
        return false;
    });
    return take(*drawn);
}

std::size_t Line::take(Place& from) {
    --from.left;
    --left_;
    return from.connection;
}

void Line::drop(std::size_t connection) {
    Place& of = *std::ranges::find(places_, connection, &Place::connection);
    left_ -= of.left;
    of.left = 0;
}

}  // namespace rnicsim
