// SPDX-License-Identifier: Apache-2.0
// What a scenario has of the card.
#pragma once

#include "testbench/scenario/personalities/personality.h"
#include "testbench/tests/echo/echo_end.h"

#include <memory>
#include <span>
#include <string_view>

namespace rnicsim {

class EchoPersonality final : public Personality {
  public:
    EchoPersonality() : Personality(keys_of(echo_fields())) {}
    [[nodiscard]] std::string_view name() const override { return "echo"; }
    [[nodiscard]] Workload workload() const override { return Workload::frames; }
    [[nodiscard]] std::unique_ptr<EndConfig> resolve(Lookup& in) const override {
        return std::make_unique<EchoConfig>(echo_fields().read(in));
    }
    [[nodiscard]] std::string_view why_not() const override {
        return "answers frames: expected rnic.gmac.mtu or rnic.echo.delay";
    }
    [[nodiscard]] std::span<const UnreadRule> unread() const override { return {}; }
};

inline const Personality& echo_personality() {
    static const EchoPersonality kOne;
    return kOne;
}

}  // namespace rnicsim
