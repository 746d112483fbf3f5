// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/pcie.h"

#include <string>

namespace rnicsim {

PcieConfig resolve_pcie(Lookup& in, const Clock& clock) {
    PcieConfig pcie;
    const std::string section = "system.rnic.pcie.";
    pcie.generation = in.u32(section + "generation");
    pcie.lanes = in.u32(section + "lanes");
    pcie.max_payload = in.u32(section + "max_payload");
    pcie.max_read_request = in.u32(section + "max_read_request");
    pcie.read_completion_boundary = in.u32(section + "read_completion_boundary");
    pcie.tags = in.u32(section + "tags");
    pcie.latency = in.cycles(section + "latency", clock);
    pcie.request_overhead = in.cycles(section + "request_overhead", clock);
    return pcie;
}

}  // namespace rnicsim
