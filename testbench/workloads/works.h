// SPDX-License-Identifier: Apache-2.0
// The works of a run: one of each kind (work_kinds.cpp).
#pragma once

#include "testbench/records/run_request.h"
#include "testbench/workloads/work.h"

#include <memory>
#include <vector>

namespace rnicsim {

using Works = std::vector<std::unique_ptr<Work>>;

/// In the order in which they attach, are judged and recorded. `request` must outlive them. Throws RequestError if a
/// file cannot be made.
Works works_of(const RunRequest& request);

}  // namespace rnicsim
