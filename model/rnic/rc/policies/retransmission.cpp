#include "model/rnic/rc/policies/retransmission.h"

namespace rnicsim::rc {
namespace {

class GoBackN final : public Retransmission {
  public:
    [[nodiscard]] std::string_view name() const override { return "go_back_n"; }
    [[nodiscard]] bool repeats_message() const override { return false; }
};

/// As early RoCE cards did; a long message may never get through a lossy link (C. Guo et al., SIGCOMM 2016, 4.1).
class GoBackZero final : public Retransmission {
  public:
    [[nodiscard]] std::string_view name() const override { return "go_back_0"; }
    [[nodiscard]] bool repeats_message() const override { return true; }
};

const GoBackN kGoBackN;
const GoBackZero kGoBackZero;
constexpr std::array<const Retransmission*, 2> kAll{&kGoBackN, &kGoBackZero};

}  // namespace

const Retransmission& retransmission(std::string_view name) { return policy_named(kAll, name); }
std::vector<std::string_view> retransmission_names() { return names_of(kAll); }

}  // namespace rnicsim::rc
