// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/host/registration_retry.h"

#include <algorithm>

namespace rnicsim {
namespace {

class OnRequest final : public RegistrationRetry {
  public:
    [[nodiscard]] std::string_view name() const override { return "on_request"; }
    [[nodiscard]] std::optional<Cycle> tries_after(std::uint32_t /*attempts*/, Cycle /*interval*/) const override {
        return std::nullopt;
    }
};

class WhenReleased final : public RegistrationRetry {
  public:
    [[nodiscard]] std::string_view name() const override { return "when_released"; }
    [[nodiscard]] std::optional<Cycle> tries_after(std::uint32_t /*attempts*/, Cycle interval) const override {
        return interval;
    }
};

/// The interval doubles with each failure, up to sixteen of them.
class BackOff final : public RegistrationRetry {
  public:
    [[nodiscard]] std::string_view name() const override { return "back_off"; }
    [[nodiscard]] std::optional<Cycle> tries_after(std::uint32_t attempts, Cycle interval) const override {
        return interval * (std::int64_t{1} << (std::clamp(attempts, 1U, 5U) - 1));
    }
};

const OnRequest kOnRequest;
const WhenReleased kWhenReleased;
const BackOff kBackOff;
constexpr std::array<const RegistrationRetry*, 3> kAll{&kOnRequest, &kWhenReleased, &kBackOff};

}  // namespace

const RegistrationRetry& registration_retry(std::string_view name) { return policy_named(kAll, name); }
std::vector<std::string_view> registration_retry_names() { return names_of(kAll); }

}  // namespace rnicsim
