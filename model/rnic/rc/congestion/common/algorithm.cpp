// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/congestion/common/algorithm.h"

#include <stdexcept>
#include <string>

namespace rnicsim::rc {

const CongestionAlgorithm& congestion_control(std::string_view name) {
    for (const CongestionAlgorithm* const algorithm : congestion_algorithms()) {
        if (algorithm->name() == name) return *algorithm;
    }
    throw std::invalid_argument("no such congestion control: " + std::string(name));
}

std::vector<std::string_view> congestion_control_names() {
    std::vector<std::string_view> names;
    for (const CongestionAlgorithm* const algorithm : congestion_algorithms()) names.push_back(algorithm->name());
    return names;
}

}  // namespace rnicsim::rc
