// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/policies/mode_choice.h"

namespace rnicsim {
namespace {

/// Invalid REQ_ACK, or so many expiries (paper, section 2.2).
class PaperChoice final : public ModeChoice {
  public:
    [[nodiscard]] std::string_view name() const override { return "paper"; }
    [[nodiscard]] bool on_refusal() const override { return true; }
    [[nodiscard]] bool on_expiry(std::uint32_t timeouts, std::uint32_t limit) const override {
        return timeouts >= limit;
    }
};

/// Only when the far end has refused: silence may mean that there is no far end.
class RefusalChoice final : public ModeChoice {
  public:
    [[nodiscard]] std::string_view name() const override { return "on_refusal"; }
    [[nodiscard]] bool on_refusal() const override { return true; }
    [[nodiscard]] bool on_expiry(std::uint32_t /*timeouts*/, std::uint32_t /*limit*/) const override { return false; }
};

const PaperChoice kPaper;
const RefusalChoice kOnRefusal;
constexpr std::array<const ModeChoice*, 2> kAll{&kPaper, &kOnRefusal};

}  // namespace

const ModeChoice& mode_choice(std::string_view name) { return policy_named(kAll, name); }
std::vector<std::string_view> mode_choice_names() { return names_of(kAll); }

}  // namespace rnicsim
