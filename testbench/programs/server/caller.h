// SPDX-License-Identifier: Apache-2.0
// Who asks, and how it hears of what happens.
#pragma once

#include "testbench/programs/server/body.h"
#include "testbench/programs/server/objects.h"
#include "tlm/time/time.h"

#include <functional>

namespace rnicsim::programs {

/// A thread that has asked, and waits for the answer.
class Caller {
  public:
    virtual ~Caller() = default;
    [[nodiscard]] virtual Program& program() = 0;
    /// Once. `now`: its clock from here on. `descriptor`: goes with it, and stays the sender's.
    virtual void answer(Time now, int error, const Reply& reply, int descriptor) = 0;
};

/// Of a program something can be had: a completion, an event.
using News = std::function<void(Program& program)>;

}  // namespace rnicsim::programs
