// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/policies/window_rule.h"

#include <algorithm>

namespace rnicsim {
namespace {

class Fixed final : public WindowRule {
  public:
    [[nodiscard]] std::string_view name() const override { return "fixed"; }
    [[nodiscard]] std::uint32_t first(std::uint32_t window) const override { return window * kWindowParts; }
    [[nodiscard]] std::uint32_t on_progress(std::uint32_t open, std::uint32_t /*window*/) const override {
        return open;
    }
    [[nodiscard]] std::uint32_t on_loss(std::uint32_t open) const override { return open; }
    [[nodiscard]] std::uint32_t on_timeout(std::uint32_t open) const override { return open; }
};

/// Additive increase, by a frame a window; multiplicative decrease (Chiu and Jain 1989; RFC 5681, 3.1).
class Aimd final : public WindowRule {
  public:
    [[nodiscard]] std::string_view name() const override { return "aimd"; }
    [[nodiscard]] std::uint32_t first(std::uint32_t window) const override {
        return std::min(window, 2U) * kWindowParts;
    }
    [[nodiscard]] std::uint32_t on_progress(std::uint32_t open, std::uint32_t window) const override {
        return std::min(open + kWindowParts * kWindowParts / open, window * kWindowParts);
    }
    [[nodiscard]] std::uint32_t on_loss(std::uint32_t open) const override { return std::max(open / 2, kWindowParts); }
    [[nodiscard]] std::uint32_t on_timeout(std::uint32_t /*open*/) const override { return kWindowParts; }
};

const Fixed kFixed;
const Aimd kAimd;
constexpr std::array<const WindowRule*, 2> kAll{&kFixed, &kAimd};

}  // namespace

const WindowRule& window_rule(std::string_view name) { return policy_named(kAll, name); }
std::vector<std::string_view> window_rule_names() { return names_of(kAll); }

}  // namespace rnicsim
