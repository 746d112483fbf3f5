// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/plain/plain.h"

#include "model/rnic/plain/fields.h"

namespace rnicsim {
namespace {

class Plain final : public Personality {
  public:
    Plain() : Personality(keys_of(plain_fields())) {}
    [[nodiscard]] std::string_view name() const override { return "plain"; }
    [[nodiscard]] Workload workload() const override { return Workload::frames; }
    [[nodiscard]] std::unique_ptr<EndConfig> resolve(Lookup& in) const override {
        return std::make_unique<PlainEndConfig>(plain_fields().read(in));
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
