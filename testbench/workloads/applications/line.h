// SPDX-License-Identifier: Apache-2.0
// The operations of a host that asks for one at a time, over all its connections of an item: whose the next one is.
#pragma once

#include "model/random.h"
#include "testbench/applications/application.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rnicsim {

class Line {
  public:
    /// `order`: not Order::each.
    Line(applications::Order order, const RandomSource& random, std::size_t item, unsigned host)
        : order_(order), random_(random), item_(item), host_(host) {}
    [[nodiscard]] std::size_t item() const { return item_; }
    [[nodiscard]] unsigned host() const { return host_; }
    /// Behind those that it has.
    void add(std::size_t connection, std::uint32_t operations);
    /// Takes the next operation: of which connection; nothing: none is left.
    [[nodiscard]] std::optional<std::size_t> next();
    /// What is left of this connection nobody asks for.
    void drop(std::size_t connection);

  private:
    struct Place {
        std::size_t connection = 0;
        std::uint32_t left = 0;  ///< operations
    };
    std::size_t take(Place& from);

    const applications::Order order_;
    const RandomSource random_;
    const std::size_t item_;
    const unsigned host_;
    std::vector<Place> places_;
    std::uint64_t all_ = 0, left_ = 0;  // operations
    std::size_t turn_ = 0;              // whose place is next
};

}  // namespace rnicsim
