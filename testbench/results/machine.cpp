// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/machine.h"

#include <fstream>
#include <thread>

namespace rnicsim::runner {
namespace {

std::string cpu_model() {
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown";
}

}  // namespace

Machine this_machine() { return {cpu_model(), std::thread::hardware_concurrency()}; }

}  // namespace rnicsim::runner
