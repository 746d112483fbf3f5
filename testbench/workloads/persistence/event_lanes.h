// SPDX-License-Identifier: Apache-2.0
// What is to happen, by time; at one time in the order in which it was booked. Each kind mostly comes in its order: a
// lane for each, and the next one is at the head of one of them.
#pragma once

#include "tlm/time/time.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace rnicsim {

template <std::size_t kLanes>
class EventLanes {
  public:
    struct Event {
        Time at;
        std::uint64_t booked = 0, number = 0;
        friend bool operator<(const Event& a, const Event& b) {
            return a.at == b.at ? a.booked < b.booked : a.at < b.at;
        }
    };

    void push(std::size_t lane, Time at, std::uint64_t number) {
        std::deque<Event>& of = lanes_.at(lane);
        const Event event{at, ++booked_, number};
        ++size_;
        if (of.empty() || !(event < of.back())) {
            of.push_back(event);
        } else {
            of.insert(std::ranges::upper_bound(of, event, std::less<>{}), event);
        }
        if (size_ == 1 || event < lanes_[next_].front()) next_ = lane;
    }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::size_t size() const { return size_; }
    /// Precondition of all: not empty.
    [[nodiscard]] const Event& front() const { return lanes_[next_].front(); }
    [[nodiscard]] std::size_t lane() const { return next_; }
    void pop() {
        lanes_[next_].pop_front();
        --size_;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            if (lanes_[lane].empty()) continue;
            if (lanes_[next_].empty() || lanes_[lane].front() < lanes_[next_].front()) next_ = lane;
        }
    }

  private:
    std::array<std::deque<Event>, kLanes> lanes_;
    std::size_t next_ = 0;  // whose front is the next of all
    std::size_t size_ = 0;
    std::uint64_t booked_ = 0;
};

}  // namespace rnicsim
