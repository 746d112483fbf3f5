// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/policies/acknowledgement.h"

namespace rnicsim::rc {
namespace {

/// Only the newest waits.
class Coalesced final : public Acknowledgement {
  public:
    [[nodiscard]] std::string_view name() const override { return "coalesced"; }
    [[nodiscard]] bool merges() const override { return true; }
};

/// Every one that was asked for is sent.
class Each final : public Acknowledgement {
  public:
    [[nodiscard]] std::string_view name() const override { return "each"; }
    [[nodiscard]] bool merges() const override { return false; }
};

const Coalesced kCoalesced;
const Each kEach;
constexpr std::array<const Acknowledgement*, 2> kAll{&kCoalesced, &kEach};

}  // namespace

const Acknowledgement& acknowledgement(std::string_view name) { return policy_named(kAll, name); }
std::vector<std::string_view> acknowledgement_names() { return names_of(kAll); }

}  // namespace rnicsim::rc
