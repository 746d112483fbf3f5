// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/policies/resume_rule.h"

namespace rnicsim {
namespace {

/// A full window without an ACK means a full buffer: true between two ends, but not behind the queue of a switch.
class WindowFull final : public ResumeRule {
  public:
    [[nodiscard]] std::string_view name() const override { return "window_full"; }
    [[nodiscard]] bool tells() const override { return false; }
    [[nodiscard]] bool resumes(bool /*mode*/) const override { return true; }
};

class Told final : public ResumeRule {
  public:
    [[nodiscard]] std::string_view name() const override { return "told"; }
    [[nodiscard]] bool tells() const override { return true; }
    [[nodiscard]] bool resumes(bool mode) const override { return mode; }
};

const WindowFull kWindowFull;
const Told kTold;
constexpr std::array<const ResumeRule*, 2> kAll{&kWindowFull, &kTold};

}  // namespace

const ResumeRule& resume_rule(std::string_view name) { return policy_named(kAll, name); }
std::vector<std::string_view> resume_rule_names() { return names_of(kAll); }

}  // namespace rnicsim
