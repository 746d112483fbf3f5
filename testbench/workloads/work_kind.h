// SPDX-License-Identifier: Apache-2.0
// The kinds of work there are: which items are whose, and how their samples are read.
#pragma once

#include "model/traffic.h"
#include "testbench/records/run_request.h"
#include "testbench/records/sample_kind.h"
#include "testbench/workloads/work.h"

#include <memory>
#include <span>
#include <string_view>

namespace rnicsim {

class WireWork;

struct WorkKind {
    const SampleKind& samples;
    bool (*has)(const TrafficConfig& item);  ///< is the item its?
    /// `shared`: what all works of RoCEv2 RNICs share. Both must outlive it. Throws RequestError if a file cannot be
    /// made.
    std::unique_ptr<Work> (*make)(const RunRequest& request, WireWork& shared);
};

/// In the order in which they attach, are judged and recorded.
std::span<const WorkKind> work_kinds();
/// Of the samples of this item.
const SampleKind& sample_kind(const TrafficConfig& item);

}  // namespace rnicsim
