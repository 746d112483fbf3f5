// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/policies/retransmission.h"

namespace rnicsim {
namespace {

/// The lost frame only; the receiver keeps the others.
class SelectiveRepeat final : public Retransmission {
  public:
    [[nodiscard]] std::string_view name() const override { return "selective_repeat"; }
    [[nodiscard]] bool takes_ahead() const override { return true; }
    [[nodiscard]] Sn resend_end(Sn una, Sn /*next*/) const override { return una + 1; }
    [[nodiscard]] bool fills_next_hole() const override { return true; }
};

/// All from the lost frame on: the receiver has dropped them.
class GoBackN final : public Retransmission {
  public:
    [[nodiscard]] std::string_view name() const override { return "go_back_n"; }
    [[nodiscard]] bool takes_ahead() const override { return false; }
    [[nodiscard]] Sn resend_end(Sn /*una*/, Sn next) const override { return next; }
    [[nodiscard]] bool fills_next_hole() const override { return false; }
};

const SelectiveRepeat kSelectiveRepeat;
const GoBackN kGoBackN;
constexpr std::array<const Retransmission*, 2> kAll{&kSelectiveRepeat, &kGoBackN};

}  // namespace

const Retransmission& retransmission(std::string_view name) { return policy_named(kAll, name); }
std::vector<std::string_view> retransmission_names() { return names_of(kAll); }

}  // namespace rnicsim
