// SPDX-License-Identifier: Apache-2.0
// What a connection of documents costs, by its formulas; and which of its keys have no effect.
#pragma once

#include "testbench/applications/documents/settings.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace rnicsim::applications::documents {

[[nodiscard]] Counts counts_of(const TrafficConfig& item, std::span<const std::uint32_t> sizes, std::uint32_t pmtu);
/// Why a key has no effect in the item; nullptr: it has one.
[[nodiscard]] const char* without_effect(const TrafficConfig& item, std::string_view key);

}  // namespace rnicsim::applications::documents
