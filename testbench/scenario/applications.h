// SPDX-License-Identifier: Apache-2.0
// The words of `application`, a key of an item of traffic: who asks and answers in place of what hosts of its
// personality do by themselves.
#pragma once

#include <string_view>
#include <vector>

namespace rnicsim {

/// Empty: the key does not exist. Each has its work in testbench/workloads/work_kinds.cpp.
const std::vector<std::string_view>& applications();

}  // namespace rnicsim
