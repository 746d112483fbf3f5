// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/policies/buffer_admission.h"

namespace rnicsim {
namespace {

/// First come, first served.
class AnyFrame final : public BufferAdmission {
  public:
    [[nodiscard]] std::string_view name() const override { return "any"; }
    [[nodiscard]] bool admits(const EarlyFrame& /*frame*/) const override { return true; }
};

/// No slot for a frame behind a hole: so every slot holds data that the cumulative ACK covers.
class InOrder final : public BufferAdmission {
  public:
    [[nodiscard]] std::string_view name() const override { return "in_order"; }
    [[nodiscard]] bool admits(const EarlyFrame& frame) const override { return frame.ahead == 0; }
};

/// No initiator takes more than its quota, however long it fills the buffer alone.
class PerInitiator final : public BufferAdmission {
  public:
    [[nodiscard]] std::string_view name() const override { return "per_initiator"; }
    [[nodiscard]] bool admits(const EarlyFrame& frame) const override { return frame.held < frame.quota; }
};

const AnyFrame kAny;
const InOrder kInOrder;
const PerInitiator kPerInitiator;
constexpr std::array<const BufferAdmission*, 3> kAll{&kAny, &kInOrder, &kPerInitiator};

}  // namespace

const BufferAdmission& buffer_admission(std::string_view name) { return policy_named(kAll, name); }
std::vector<std::string_view> buffer_admission_names() { return names_of(kAll); }

}  // namespace rnicsim
