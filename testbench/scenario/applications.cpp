// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/applications.h"

#include "testbench/applications/allreduce/allreduce.h"
#include "testbench/applications/blocks/blocks.h"
#include "testbench/applications/documents/documents.h"
#include "testbench/applications/echo/echo.h"
#include "testbench/applications/fifo/fifo.h"
#include "testbench/applications/kv/kv.h"
#include "testbench/applications/nts/nts.h"
#include "testbench/applications/plasma/plasma.h"
#include "testbench/applications/rpc/rpc.h"
#include "testbench/applications/smc/smc.h"
#include "testbench/applications/tensor/tensor.h"

#include <algorithm>
#include <string>

namespace rnicsim {

const std::vector<ListedApplication>& all_applications() {
    static const std::vector<ListedApplication> kAll{
        applications::echo(),        applications::key_values(),     applications::plasma_store(),
        applications::brpc(),        applications::nccl(),           applications::smc_sockets(),
        applications::tensors(),     applications::ring_allreduce(), applications::documents_store(),
        applications::block_chain(), applications::bridge_rings(),
    };
    return kAll;
}

bool is_of_an_application(std::string_view path) {
    return std::ranges::any_of(all_applications(), [path](const ListedApplication& one) {
        return one.protocol != nullptr && path.starts_with("run." + std::string(one.word) + ".");
    });
}

const applications::Application* protocol_of(const TrafficConfig& item) {
    const auto found = std::ranges::find(all_applications(), item.application, &ListedApplication::word);
    return found == all_applications().end() ? nullptr : found->protocol;
}

}  // namespace rnicsim
