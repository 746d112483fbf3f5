// SPDX-License-Identifier: Apache-2.0
// The expected mean times of a point under failed registrations and lost frames, where they can be derived from the
// constants alone. A lost frame costs one timer; attempts are independent, so their number is geometric.
// testbench/theory/README.md has the derivations.
#pragma once

#include "model/config.h"

#include <optional>

namespace rnicsim {

/// In cycles; empty if no exact expectation is known.
struct Expectation {
    std::optional<double> transfer;  ///< request to completion
    std::optional<double> set_up;    ///< request to the first data frame on the wire
};

/// `config` has its method set.
Expectation expectation(const RunConfig& config);

}  // namespace rnicsim
