#include "model/rnic/policies/buffer_admission.h"

namespace rnicsim {
namespace {

/// First come, first served.
class AnyFrame final : public BufferAdmission {
  public:
    [[nodiscard]] std::string_view name() const override { return "any"; }
    [[nodiscard]] bool admits(std::uint32_t /*ahead*/) const override { return true; }
};

/// No slot for a frame behind a hole: so every slot holds data that the cumulative ACK covers.
class InOrder final : public BufferAdmission {
  public:
    [[nodiscard]] std::string_view name() const override { return "in_order"; }
    [[nodiscard]] bool admits(std::uint32_t ahead) const override { return ahead == 0; }
};

const AnyFrame kAny;
const InOrder kInOrder;
constexpr std::array<const BufferAdmission*, 2> kAll{&kAny, &kInOrder};

}  // namespace

const BufferAdmission& buffer_admission(std::string_view name) { return policy_named(kAll, name); }
std::vector<std::string_view> buffer_admission_names() { return names_of(kAll); }

}  // namespace rnicsim
