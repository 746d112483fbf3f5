// SPDX-License-Identifier: Apache-2.0
// A sum over all hosts of a ring.
#pragma once

#include "model/keys/fields.h"
#include "model/traffic.h"
#include "tlm/time/time.h"

namespace rnicsim::applications {

struct AllreduceSettings {
    Time reduce;  ///< of the thread, for a KiB that it adds; 0: a GPU does, while the thread goes on
    // A fault, to see what it does: `unsafe` lets it be run.
    bool wait = true;  ///< for what has to be added before a chunk goes on
    bool unsafe = false;
};

const Fields<AllreduceSettings>& allreduce_fields();
[[nodiscard]] inline const AllreduceSettings& allreduce_of(const TrafficConfig& item) {
    return item.settings.of<AllreduceSettings>();
}

}  // namespace rnicsim::applications
