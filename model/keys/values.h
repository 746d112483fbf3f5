// SPDX-License-Identifier: Apache-2.0
// Where a component's configuration is read from: the values of its keys.
#pragma once

#include "model/keys/key.h"
#include "tlm/time/clock.h"

#include <string>

namespace rnicsim {

/// The values of one item of a scenario, such as a host: as written, or else the defaults.
class Values {
  public:
    virtual ~Values() = default;
    /// Of a key, by its path for all items: "system.link.delay".
    virtual Value get(const std::string& path) = 0;
    /// A time in cycles of this clock. Throws if it is no whole number of them, and says where it is written.
    virtual Cycle cycles(const std::string& path, const Clock& clock) = 0;
};

}  // namespace rnicsim
