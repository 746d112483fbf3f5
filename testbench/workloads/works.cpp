// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/works.h"

#include "testbench/workloads/wire_work.h"
#include "testbench/workloads/work_kind.h"

#include <utility>

namespace rnicsim {

Works works_of(const RunRequest& request) {
    auto wire = std::make_unique<WireWork>(request);
    Works works;
    for (const WorkKind& kind : work_kinds()) works.push_back(kind.make(request, *wire));
    works.push_back(std::move(wire));
    return works;
}

}  // namespace rnicsim
