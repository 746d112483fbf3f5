// SPDX-License-Identifier: Apache-2.0
// A ladder of a run that goes on.
#pragma once

#include "testbench/observe/ladder.h"
#include "testbench/sweep/event_pipe.h"

#include <optional>

namespace rnicsim::runner {

/// Reads events until the ladder has all of its own, or the run ends.
template <typename Builder>
Ladder watched(Builder&& builder, EventPipe& events) {
    while (!builder.complete()) {
        const std::optional<LoggedEvent> event = events.next();
        if (!event) break;
        builder.add(*event);
    }
    return builder.finish();
}

}  // namespace rnicsim::runner
