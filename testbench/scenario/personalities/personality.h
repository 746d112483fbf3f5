// SPDX-License-Identifier: Apache-2.0
// What the scenario has of a kind of host: which keys, what they become, which of them count.
#pragma once

#include "model/end_config.h"
#include "model/keys/fields.h"
#include "model/traffic.h"
#include "testbench/scenario/lookup.h"
#include "testbench/scenario/unread_keys.h"

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim {

class Personality {
  public:
    virtual ~Personality() = default;
    Personality(const Personality&) = delete;
    Personality& operator=(const Personality&) = delete;
    /// The word of `rnic.personality`.
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// What items between its hosts are.
    [[nodiscard]] virtual Workload workload() const = 0;
    /// A host from its values. Throws ScenarioError.
    [[nodiscard]] virtual std::unique_ptr<EndConfig> resolve(Lookup& in) const = 0;
    /// The keys of its hosts, but for those that every host has.
    [[nodiscard]] const Declarations& keys() const { return keys_; }
    /// Has a host of this kind the key? `rest`: behind `system` or the host's name, such as ".rnic.clock".
    [[nodiscard]] bool has_key(std::string_view rest) const;
    /// Why a key that it has not is vain at it: "is plain: expected ...".
    [[nodiscard]] virtual std::string_view why_not() const = 0;
    /// Keys that it has and does not read, each with the reason.
    [[nodiscard]] virtual std::span<const UnreadRule> unread() const = 0;

  protected:
    explicit Personality(Declarations keys) : keys_(std::move(keys)) {}

  private:
    Declarations keys_;
};

template <typename Config>
Declarations keys_of(const Fields<Config>& fields) {
    Declarations all;
    append(all, fields);
    return all;
}

/// All; the first one is that of hosts that do not say.
const std::vector<const Personality*>& personalities();
std::vector<std::string_view> personality_names();
const Personality& personality_named(std::string_view name);
/// That of a host.
const Personality& personality_of(const RunConfig& config, unsigned host);

}  // namespace rnicsim
