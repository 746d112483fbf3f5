// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/plain.h"

#include "model/rnic/plain/end_config.h"

#include <array>

namespace rnicsim {
namespace {

PlainEndConfig resolve_plain(Lookup& in) {
    PlainEndConfig plain;
    plain.mtu = in.number("system.rnic.gmac.mtu");
    plain.reaction = in.time("system.rnic.gmac.pause_reaction");
    return plain;
}

constexpr std::array<std::string_view, 2> kPlainKeys{".rnic.gmac.mtu", ".rnic.gmac.pause_reaction"};

class Plain final : public Personality {
  public:
    [[nodiscard]] std::string_view name() const override { return "plain"; }
    [[nodiscard]] Workload workload() const override { return Workload::frames; }
    [[nodiscard]] std::unique_ptr<EndConfig> resolve(Lookup& in) const override {
        return std::make_unique<PlainEndConfig>(resolve_plain(in));
    }
    [[nodiscard]] bool has_key(std::string_view rest) const override {
        return is_of_all_hosts(rest) || is_among(kPlainKeys, rest);
    }
    [[nodiscard]] std::string_view why_not() const override {
        return "is plain: expected rnic.personality, rnic.profile, rnic.gmac.mtu or rnic.gmac.pause_reaction";
    }
    [[nodiscard]] std::span<const UnreadRule> unread() const override { return unread_of_plain_hosts(); }
};

}  // namespace

const Personality& plain_personality() {
    static const Plain kOne;
    return kOne;
}

}  // namespace rnicsim
