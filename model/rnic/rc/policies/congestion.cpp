// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/policies/congestion.h"

namespace rnicsim::rc {
namespace {

class NoControl final : public CongestionControl {
  public:
    [[nodiscard]] std::string_view name() const override { return "none"; }
    [[nodiscard]] bool on() const override { return false; }
};

/// Y. Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015.
class DcqcnControl final : public CongestionControl {
  public:
    [[nodiscard]] std::string_view name() const override { return "dcqcn"; }
    [[nodiscard]] bool on() const override { return true; }
};

const NoControl kNone;
const DcqcnControl kDcqcn;
constexpr std::array<const CongestionControl*, 2> kAll{&kNone, &kDcqcn};

}  // namespace

const CongestionControl& congestion_control(std::string_view name) { return policy_named(kAll, name); }
std::vector<std::string_view> congestion_control_names() { return names_of(kAll); }

}  // namespace rnicsim::rc
