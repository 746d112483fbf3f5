// SPDX-License-Identifier: Apache-2.0
// Which connections of an application have ends that share memory of a host (Plan::Area::shared): what one of them
// waits for may have to come by another one.
#pragma once

#include "testbench/workloads/applications/application_layout.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace rnicsim {

class Sharing {
  public:
    explicit Sharing(const ApplicationLayout& layout);
    /// Adds to `found` those that `waits` holds for and that share memory with one of `found`, and so on from each of
    /// them, from host to host.
    void follow(std::vector<std::size_t>& found, const std::function<bool(std::size_t)>& waits) const;

  private:
    using Memory = std::pair<unsigned, std::uint32_t>;    // a host, a number of Plan::Area::shared
    std::map<Memory, std::vector<std::size_t>> sharers_;  // connections
    std::vector<std::vector<Memory>> memories_;           // by connection
};

}  // namespace rnicsim
