// SPDX-License-Identifier: Apache-2.0
// The one list of the kinds of work.
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
#include "testbench/workloads/applications/application_work.h"
#include "testbench/workloads/frames/frame_sample.h"
#include "testbench/workloads/frames/frame_work.h"
#include "testbench/workloads/messages/message_sample.h"
#include "testbench/workloads/messages/message_work.h"
#include "testbench/workloads/persistence/persist_work.h"
#include "testbench/workloads/transfers/transfer_sample.h"
#include "testbench/workloads/transfers/transfer_work.h"
#include "testbench/workloads/wire_work.h"
#include "testbench/workloads/work_kind.h"

#include <algorithm>
#include <array>

namespace rnicsim {
namespace {

template <Workload kOf>
bool is(const TrafficConfig& item) {
    return item.is(kOf);
}
template <bool kDurable>
bool is_message(const TrafficConfig& item) {
    return is<Workload::verbs>(item) && (item.verbs.scheme != PersistScheme::none) == kDurable;
}
template <typename Kind>
std::unique_ptr<Work> made(const RunRequest& request, WireWork& /*shared*/) {
    return std::make_unique<Kind>(request);
}
template <typename Kind>
std::unique_ptr<Work> made_on_wire(const RunRequest& request, WireWork& shared) {
    return std::make_unique<Kind>(request, shared.layout(), shared.wire());
}
template <const applications::Application& (*kOf)()>
WorkKind of_application() {
    static const SampleKind kSamples = operation_sample(kOf());
    return {kSamples, [](const TrafficConfig& item) { return item.application == kOf().name(); },
            [](const RunRequest& request, WireWork& shared) -> std::unique_ptr<Work> {
                return std::make_unique<ApplicationWork>(request, kOf(), shared);
            }};
}

}  // namespace

std::span<const WorkKind> work_kinds() {
    static const std::array kAll{
        WorkKind{kTransferSample, is<Workload::transfers>, made<TransferWork>},
        WorkKind{kFrameSample, is<Workload::frames>, made<FrameWork>},
        WorkKind{kMessageSample, is_message<false>, made_on_wire<MessageWork>},
        WorkKind{kMessageSample, is_message<true>, made_on_wire<PersistWork>},
        of_application<applications::echo>(),
        of_application<applications::key_values>(),
        of_application<applications::plasma_store>(),
        of_application<applications::brpc>(),
        of_application<applications::nccl>(),
        of_application<applications::smc_sockets>(),
        of_application<applications::tensors>(),
        of_application<applications::ring_allreduce>(),
        of_application<applications::documents_store>(),
        of_application<applications::block_chain>(),
        of_application<applications::bridge_rings>(),
    };
    return kAll;
}

const SampleKind& sample_kind(const TrafficConfig& item) {
    return std::ranges::find_if(work_kinds(), [&](const WorkKind& kind) { return kind.has(item); })->samples;
}

}  // namespace rnicsim
