// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/works.h"

#include "testbench/workloads/frames/frame_work.h"
#include "testbench/workloads/messages/message_work.h"
#include "testbench/workloads/persistence/persist_work.h"
#include "testbench/workloads/transfers/transfer_work.h"
#include "testbench/workloads/wire_work.h"

#include <utility>

namespace rnicsim {

Works works_of(const RunRequest& request) {
    auto wire = std::make_unique<WireWork>(request);
    Works works;
    works.push_back(std::make_unique<TransferWork>(request));
    works.push_back(std::make_unique<FrameWork>(request));
    works.push_back(std::make_unique<MessageWork>(request, wire->layout(), wire->wire()));
    works.push_back(std::make_unique<PersistWork>(request, wire->layout(), wire->wire()));
    works.push_back(std::move(wire));
    return works;
}

}  // namespace rnicsim
