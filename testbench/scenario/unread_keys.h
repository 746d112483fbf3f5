// SPDX-License-Identifier: Apache-2.0
// Keys of what is off: nothing in a run reads them, and each knows what would make it count. A table for each kind of
// part; VainValues asks it about keys that somebody has written.
#pragma once

#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/scenario/in_use.h"
#include "testbench/scenario/scenario.h"
#include "testbench/scenario/schema.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rnicsim {

/// A link, a bridge, a switch, a host or an item of the traffic, by its number.
struct Part {
    const RunConfig& config;
    std::size_t number = 0;
    const InUse& use;

    [[nodiscard]] const LinkConfig& link() const { return config.links[number]; }
    [[nodiscard]] const ntb::Config& bridge() const { return config.bridges[number]; }
    [[nodiscard]] const SwitchConfig& of_switch() const { return config.switches[number]; }
    [[nodiscard]] const DrpEndConfig& drp() const { return drp_of(config, number); }
    [[nodiscard]] const VerbsEndConfig& verbs() const { return verbs_of(config, static_cast<unsigned>(number)); }
    [[nodiscard]] const TrafficConfig& item() const { return config.traffic[number]; }
    [[nodiscard]] const HostUse& host() const { return use.host(number); }
};

/// For which purpose a rule does not hold.
enum class But : std::uint8_t {
    none,
    programs,  ///< what items do not do programs may
    file,      ///< nor need each host and link that a file describes be one that its items use: options and axes do
    tape,      ///< what has no chance a tape may have
    programs_or_tape
};

struct UnreadRule {
    std::string_view keys;  ///< a key, or with a dot at its end all below
    bool (*unread)(const Part&);
    std::string_view why;
    std::string_view turn;  ///< the key that makes it count; empty: none alone does
    std::string_view to;    ///< how it has to be then, behind its name
    But but = But::none;
};

std::span<const UnreadRule> unread_of_links();
std::span<const UnreadRule> unread_of_bridges();
std::span<const UnreadRule> unread_of_switches();
std::span<const UnreadRule> unread_of_drp_hosts();
std::span<const UnreadRule> unread_of_verbs_hosts();
std::span<const UnreadRule> unread_of_plain_hosts();
std::span<const UnreadRule> unread_of_items();

/// Why nothing reads this key of the part; nullptr: something does.
const UnreadRule* find_unread(Owner owner, const Part& part, std::string_view key, Purpose purpose);

/// Of the switches that a host or switch is joined to: has any lossless classes, and so pauses its senders?
bool may_be_paused(const RunConfig& config, const Node& node);

}  // namespace rnicsim
