// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/rc/host_times.h"

#include "model/rnic/rc/end/end_config.h"

namespace rnicsim {

Time down_to_port(const RunConfig& run, unsigned host) { return verbs_of(run, host).host.root_port.down; }

}  // namespace rnicsim
