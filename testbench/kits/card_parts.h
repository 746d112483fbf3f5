// SPDX-License-Identifier: Apache-2.0
// What kits of cards have in common.
#pragma once

#include "model/rnic/common/gmac.h"
#include "model/rnic/common/pcie_endpoint.h"
#include "testbench/kits/counter_list.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rnicsim {

/// Counters of a card's MAC and of its PCIe endpoint; `name`: of the end.
void count_mac(const Gmac& gmac, const std::string& name, CounterList& out);
void count_pcie(const PcieEndpoint& endpoint, const std::string& name, CounterList& out);

/// "  who: line", or that it waits for nothing.
void say(std::string& text, const std::string& who, const std::vector<std::string>& lines);
/// "3 of 64"
std::string of_all(std::uint64_t used, std::uint64_t all);

}  // namespace rnicsim
