// SPDX-License-Identifier: Apache-2.0
// How late a frame can come from one DRP host to another: behind slow links, and behind all that a switch can hold in
// front of it.
#pragma once

#include "model/config.h"
#include "model/network/routes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace rnicsim {

class LateFrames {
  public:
    /// Must outlive it.
    explicit LateFrames(const RunConfig& config);

    /// An upper bound, on the whole way.
    [[nodiscard]] Time between(unsigned from, unsigned to) const { return parts(from, to).all(); }
    struct Parts {
        Time links, switches;
        std::size_t slowest = 0;  ///< the switch that may hold it longest
        Time there;
        [[nodiscard]] Time all() const { return links + switches; }
    };
    [[nodiscard]] Parts parts(unsigned from, unsigned to) const;
    /// The same behind one link.
    static Time behind(const LinkConfig& link);

  private:
    void feed(unsigned from, unsigned to);
    [[nodiscard]] Time held(const SwitchConfig& of, std::size_t number, const Routes::Port& out) const;
    [[nodiscard]] std::size_t queues(std::size_t of_switch) const;

    const RunConfig& config_;
    Routes routes_;
    /// By link and side: the links by which a switch gets what it sends there.
    std::vector<std::array<std::set<std::size_t>, 2>> feeds_;
};

}  // namespace rnicsim
