// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/policies/acknowledgement.h"

namespace rnicsim {
namespace {

class EachFrame final : public Acknowledgement {
  public:
    [[nodiscard]] std::string_view name() const override { return "each"; }
    [[nodiscard]] bool at_once(const TakenFrame& /*frame*/) const override { return true; }
};

/// Every second frame; at once if it is out of order, a duplicate, or the last (RFC 5681, 4.2).
/// There is no timer: with a window of one frame the sender's data timer repeats the frame.
class EverySecond final : public Acknowledgement {
  public:
    [[nodiscard]] std::string_view name() const override { return "every_second"; }
    [[nodiscard]] bool at_once(const TakenFrame& frame) const override {
        return !frame.in_order || frame.last || frame.owed >= 2;
    }
};

const EachFrame kEach;
const EverySecond kEverySecond;
constexpr std::array<const Acknowledgement*, 2> kAll{&kEach, &kEverySecond};

}  // namespace

const Acknowledgement& acknowledgement(std::string_view name) { return policy_named(kAll, name); }
std::vector<std::string_view> acknowledgement_names() { return names_of(kAll); }

}  // namespace rnicsim
