// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/applications.h"

#include "testbench/applications/echo/echo.h"
#include "testbench/applications/fifo/fifo.h"
#include "testbench/applications/kv/kv.h"
#include "testbench/applications/plasma/plasma.h"
#include "testbench/applications/rpc/rpc.h"

#include <algorithm>

namespace rnicsim {

const std::vector<ListedApplication>& all_applications() {
    static const std::vector<ListedApplication> kAll{
        applications::echo(), applications::key_values(), applications::plasma_store(),
        applications::brpc(), applications::nccl(),
    };
    return kAll;
}

const applications::Application* protocol_of(const TrafficConfig& item) {
    const auto found = std::ranges::find(all_applications(), item.application, &ListedApplication::word);
    return found == all_applications().end() ? nullptr : found->protocol;
}

}  // namespace rnicsim
