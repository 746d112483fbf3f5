// SPDX-License-Identifier: Apache-2.0
// The RDMA connection between an end's two hosts, set up while the run goes on. Both have said HELLO by the stream.
// Each host then works for it; once for each other host, which it finds again (the thesis: by its lid), or once for
// each connection. It does not matter who has said HELLO first, or over which connection: either tells both hosts the
// same.
#pragma once

#include "testbench/applications/plasma/settings.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace rnicsim::applications::plasma {

/// What all ends of a host share: a byte for each host. Its area, of both ends, and its number.
inline constexpr std::uint32_t kHosts = 5, kShared = 1;

class SetUp {
  public:
    SetUp(const TrafficConfig& item, const Seat& seat)
        : is_needed_(sets_up(plasma_of(item))),
          cost_(plasma_of(item).setup),
          is_shared_(shares_setup(item)),
          peer_(seat.peer) {}

    /// Else the hosts are connected from the beginning.
    [[nodiscard]] bool is_needed() const { return is_needed_; }
    /// HELLO has been answered. `done` with this tag: it is over(). Whenever it may be, has_come() says.
    void begin(std::uint32_t tag, Actions& actions) {
        waits_ = true;
        if (get(actions) != State::none) return;  // another end of the host works for it, or has
        set(State::under_way, actions);
        actions.set_up(cost_);
        actions.then(tag);
    }
    /// Whatever has become of this end's connection: the host has what it has worked for.
    void over(Actions& actions) {
        set(State::done, actions);
        if (is_shared_) actions.wake(kShared, peer_);
    }
    /// Once: what this end has waited for is there.
    [[nodiscard]] bool has_come(Actions& actions) {
        if (!waits_ || get(actions) != State::done) return false;
        waits_ = false;
        return true;
    }
    /// An object is on its way.
    void check(Actions& actions) const {
        if (is_needed() && get(actions) != State::done) actions.violates("its hosts are not connected yet");
    }
    void state(std::vector<std::uint64_t>& words) const {
        words.push_back(static_cast<std::uint64_t>(own_) << 1U | (waits_ ? 1U : 0U));
    }

  private:
    enum class State : std::uint8_t { none, under_way, done };

    [[nodiscard]] State get(Actions& actions) const {
        return is_shared_ ? State{actions.memory({kHosts, peer_}, 1).front()} : own_;
    }
    void set(State state, Actions& actions) {
        if (!is_shared_) {
            own_ = state;
            return;
        }
        actions.memory({kHosts, peer_}, 1).front() = static_cast<std::uint8_t>(state);
    }

    const bool is_needed_;
    const Time cost_;
    const bool is_shared_;
    const std::uint32_t peer_;
    State own_ = State::none;
    bool waits_ = false;
};

}  // namespace rnicsim::applications::plasma
