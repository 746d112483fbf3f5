// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/policies/retransmission.h"

namespace rnicsim::rc {
namespace {

class GoBackN final : public Retransmission {
  public:
    [[nodiscard]] std::string_view name() const override { return "go_back_n"; }
    [[nodiscard]] bool repeats_message() const override { return false; }
    [[nodiscard]] bool selective() const override { return false; }
};

/// As early RoCE cards did: a message comes as a whole or not at all, so a long one never gets through a lossy link (C.
/// Guo et al., SIGCOMM 2016, 4.1).
class GoBackZero final : public Retransmission {
  public:
    [[nodiscard]] std::string_view name() const override { return "go_back_0"; }
    [[nodiscard]] bool repeats_message() const override { return true; }
    [[nodiscard]] bool selective() const override { return false; }
};

/// After IRN (R. Mittal et al., SIGCOMM 2018), but nothing is placed that something older might still land on.
class SelectiveRepeat final : public Retransmission {
  public:
    [[nodiscard]] std::string_view name() const override { return "selective_repeat"; }
    [[nodiscard]] bool repeats_message() const override { return false; }
    [[nodiscard]] bool selective() const override { return true; }
};

const GoBackN kGoBackN;
const GoBackZero kGoBackZero;
const SelectiveRepeat kSelectiveRepeat;
constexpr std::array<const Retransmission*, 3> kAll{&kGoBackN, &kGoBackZero, &kSelectiveRepeat};

}  // namespace

const Retransmission& retransmission(std::string_view name) { return policy_named(kAll, name); }
std::vector<std::string_view> retransmission_names() { return names_of(kAll); }

}  // namespace rnicsim::rc
