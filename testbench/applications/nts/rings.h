// SPDX-License-Identifier: Apache-2.0
// What each application whose messages go through rings has in common: what it needs of its hosts, which keys of the
// rings have no effect or cannot be together, and what a run of it counts.
#pragma once

#include "testbench/applications/application.h"
#include "testbench/applications/nts/settings.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim::nts {

/// What a connection sends through its rings.
struct RingUse {
    std::uint64_t bytes = 0;              ///< of all messages that an end keeps
    bool both_ways = false;               ///< messages, or what the ends tell of room; else from side 0 to side 1
    std::vector<std::uint64_t> messages;  ///< bytes of those that there are
};
/// Areas kUser, kRing and kOwn are there. Without partitions.
[[nodiscard]] applications::Plan plan_of_rings(const applications::NtsSettings& of, const RingUse& use);

/// Adds what messages of these bytes cost who writes them and who reads them; checks are the application's.
void count_messages(const applications::NtsSettings& of, std::span<const std::uint32_t> sizes,
                    applications::EndCounts& writer, applications::EndCounts& reader);
/// When the sender waits, and when the receiver is asked how far it is, is a matter of time.
[[nodiscard]] constexpr bool is_bound(applications::Count what) {
    return what == applications::Count::fences || what == applications::Count::pushes;
}
/// What is stored twice, and what goes by TCP.
[[nodiscard]] applications::Holds when_down(const applications::NtsSettings& of, applications::Count what);

// What cannot be together.
[[nodiscard]] std::optional<applications::Refusal> refused_shape(const applications::NtsSettings& of);
[[nodiscard]] std::optional<applications::Refusal> refused_mode(const RunConfig& config, const TrafficConfig& item,
                                                                const applications::NtsSettings& of);
/// Each pair of hosts has a bridge, whose windows reach what the application has there. `key`: of the item, without
/// which it would need none.
[[nodiscard]] std::optional<applications::Refusal> refused_bridges(const RunConfig& config, const TrafficConfig& item,
                                                                   const applications::Application& application,
                                                                   const std::string& key);

/// Why a key of a ring that so many slots go through has no effect; nullptr: it has one. `name`: behind "run.nts.".
[[nodiscard]] const char* unread_of_ring(const applications::NtsSettings& of, std::string_view name,
                                         std::uint64_t slots);

}  // namespace rnicsim::nts
