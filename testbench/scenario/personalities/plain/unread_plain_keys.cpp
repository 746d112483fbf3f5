// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/unread_keys.h"

#include <array>

namespace rnicsim {
namespace {

bool is_not_paused(const Part& part) {
    return !may_be_paused(part.config, {Node::Kind::host, static_cast<unsigned>(part.number)});
}
bool host_has_no_item(const Part& part) { return !part.host().any(); }

constexpr std::array kPlainRules = std::to_array<UnreadRule>({
    {"system.rnic.gmac.pause_reaction", is_not_paused, "no switch pauses the host", "system.switch.pfc.classes",
     ", such as [3]"},
    {"system.rnic.gmac.mtu", host_has_no_item, "no item has the host", "run.traffic", " with an item of it", But::file},
});

}  // namespace

std::span<const UnreadRule> unread_of_plain_hosts() { return kPlainRules; }

}  // namespace rnicsim
