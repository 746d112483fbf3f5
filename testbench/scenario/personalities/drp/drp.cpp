// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/drp/drp.h"

#include "model/rnic/drp/end/fields.h"
#include "testbench/scenario/personalities/drp/block_keys.h"

namespace rnicsim {
namespace {

class Drp final : public Personality {
  public:
    Drp() : Personality(keys_of(drp_end_fields())) {}
    [[nodiscard]] std::string_view name() const override { return "drp"; }
    [[nodiscard]] Workload workload() const override { return Workload::transfers; }
    [[nodiscard]] std::unique_ptr<EndConfig> resolve(Lookup& in) const override {
        auto end = std::make_unique<DrpEndConfig>(drp_end_fields().read(in));
        end->rnic.blocks = read_blocks(in);
        return end;
    }
    [[nodiscard]] std::string_view why_not() const override {
        return "has a DRP RNIC: expected it of hosts with another personality";
    }
    [[nodiscard]] std::span<const UnreadRule> unread() const override { return unread_of_drp_hosts(); }
};

}  // namespace

const Personality& drp_personality() {
    static const Drp kOne;
    return kOne;
}

}  // namespace rnicsim
