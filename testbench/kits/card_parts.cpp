// SPDX-License-Identifier: Apache-2.0
#include "testbench/kits/card_parts.h"

namespace rnicsim {

void count_mac(const Gmac& gmac, const std::string& name, CounterList& out) {
    out.begin(name + ".gmac.");
    const Gmac::Counters& mac = gmac.counters();
    out.add("tx_frames", mac.tx_frames);
    out.add("tx_bytes", mac.tx_bytes);
    out.add("rx_frames", mac.rx_frames);
    out.add("rx_bytes", mac.rx_bytes);
    out.add("rx_bad_fcs", mac.rx_bad_fcs);
    out.add("rx_runt", mac.rx_runt);
    out.add("rx_oversize", mac.rx_oversize);
}

void count_pcie(const PcieEndpoint& endpoint, const std::string& name, CounterList& out) {
    out.begin(name + ".pcie.");
    const PcieEndpoint::Counters& pcie = endpoint.counters();
    out.add("write_requests", pcie.write_requests);
    out.add("write_tlps", pcie.write_tlps);
    out.add("write_bytes", pcie.write_bytes);
    out.add("read_requests", pcie.read_requests);
    out.add("read_tlps", pcie.read_tlps);
    out.add("read_bytes", pcie.read_bytes);
    out.add("interrupts", pcie.interrupts);
    out.add("doorbells", pcie.doorbells);
    out.add("tag_stalls", pcie.tag_stalls);
}

void say(std::string& text, const std::string& who, const std::vector<std::string>& lines) {
    if (lines.empty()) text += "  " + who + ": waits for nothing\n";
    for (const std::string& line : lines) text += "  " + who + ": " + line + '\n';
}

std::string of_all(std::uint64_t used, std::uint64_t all) {
    return std::to_string(used) + " of " + std::to_string(all);
}

}  // namespace rnicsim
