// SPDX-License-Identifier: Apache-2.0
// What the scenario has of a kind of host: which keys, what they become, which of them count.
#pragma once

#include "model/end_config.h"
#include "model/traffic.h"
#include "testbench/scenario/lookup.h"
#include "testbench/scenario/unread_keys.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace rnicsim {

class Personality {
  public:
    virtual ~Personality() = default;
    /// The word of `rnic.personality`.
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// What items between its hosts are.
    [[nodiscard]] virtual Workload workload() const = 0;
    /// A host from its values. Throws ScenarioError.
    [[nodiscard]] virtual std::unique_ptr<EndConfig> resolve(Lookup& in) const = 0;
    /// Has a host of this kind the key? `rest`: behind `system` or the host's name, such as ".rnic.clock".
    [[nodiscard]] virtual bool has_key(std::string_view rest) const = 0;
    /// Why a key that it has not is vain at it: "is plain: expected ...".
    [[nodiscard]] virtual std::string_view why_not() const = 0;
    /// Keys that it has and does not read, each with the reason.
    [[nodiscard]] virtual std::span<const UnreadRule> unread() const = 0;
};

/// All; the first one is that of hosts that do not say.
const std::vector<const Personality*>& personalities();
std::vector<std::string_view> personality_names();
const Personality& personality_named(std::string_view name);
/// That of a host.
const Personality& personality_of(const RunConfig& config, unsigned host);

/// Is `rest` one of `keys`? A dot at a key's end: all below it.
bool is_among(std::span<const std::string_view> keys, std::string_view rest);
/// Those that every host has: its count, its personality, its profile.
bool is_of_all_hosts(std::string_view rest);

}  // namespace rnicsim
