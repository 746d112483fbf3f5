// SPDX-License-Identifier: Apache-2.0
// TLM-2.0 sockets of the PCIe link.
//
// Upstream (endpoint -> root complex): nb_transport_fw with BEGIN_REQ for MWr, MRd and MSI; the root complex answers a
// MRd with nb_transport_bw, BEGIN_RESP, once for all its split completions. Downstream (root complex -> endpoint): MWr
// to a BAR, and loads, which the endpoint answers in the same way, or releases and never answers. The annotated delay
// of a call is the time until its last TLP takes effect at the other end, so it includes serialisation and link
// latency. Several requests may be outstanding (PCIe tags), which the exclusion rule of the TLM base protocol for
// BEGIN_REQ forbids: hence our own protocol type.
#pragma once

#include "tlm/pcie/pcie_tlp.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tlm>

namespace rnicsim {

struct PcieProtocol {
    using tlm_payload_type = tlm::tlm_generic_payload;
    using tlm_phase_type = tlm::tlm_phase;
};

template <typename Module>
using PcieInitiatorSocket = tlm_utils::simple_initiator_socket<Module, 32, PcieProtocol>;
template <typename Module>
using PcieTargetSocket = tlm_utils::simple_target_socket<Module, 32, PcieProtocol>;

}  // namespace rnicsim
