// SPDX-License-Identifier: Apache-2.0
// A host with a RoCEv2 RNIC.
#pragma once

#include "model/config.h"
#include "model/host/verbs/config.h"
#include "model/rnic/rc/card_config.h"
#include "model/rnic/rc/qp_attributes.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace rnicsim {

class VerbsEndConfig final : public EndConfig {
  public:
    static constexpr std::uint8_t kReadsOutstanding = 4;  ///< and atomics, of a QP, unless it is set

    VerbsEndConfig() { attributes.max_rd_atomic = attributes.max_dest_rd_atomic = kReadsOutstanding; }

    VerbsHostConfig host;
    rc::CardConfig card;
    rc::QpAttributes attributes;  ///< of its QPs, but for who the other end is

    [[nodiscard]] std::string_view personality() const override { return "rc"; }
    [[nodiscard]] std::unique_ptr<EndConfig> copy() const override { return std::make_unique<VerbsEndConfig>(*this); }
    [[nodiscard]] std::size_t largest_frame() const override;
    [[nodiscard]] const PcieConfig* pcie() const override { return &card.pcie; }
    [[nodiscard]] Time pause_reaction() const override { return card.pause_reaction; }
    void join(const MacTiming& link) override;
};

[[nodiscard]] inline bool is_verbs(const RunConfig& run, unsigned host) {
    return host < run.hosts.size() && run.hosts[host].is<VerbsEndConfig>();
}
/// Is it any host of the run?
[[nodiscard]] inline bool has_verbs(const RunConfig& run) { return has_host<VerbsEndConfig>(run); }
/// Precondition: it has a RoCEv2 RNIC.
[[nodiscard]] inline VerbsEndConfig& verbs_of(RunConfig& run, unsigned host) {
    return run.hosts.at(host).as<VerbsEndConfig>();
}
[[nodiscard]] inline const VerbsEndConfig& verbs_of(const RunConfig& run, unsigned host) {
    return run.hosts.at(host).as<VerbsEndConfig>();
}
/// Those with a RoCEv2 RNIC, in their order.
[[nodiscard]] inline std::vector<unsigned> verbs_hosts(const RunConfig& run) {
    return hosts_with<VerbsEndConfig>(run.hosts);
}

[[nodiscard]] inline auto verbs_ends(RunConfig& run) { return ends_with<VerbsEndConfig>(run.hosts); }
[[nodiscard]] inline auto verbs_ends(const RunConfig& run) { return ends_with<VerbsEndConfig>(run.hosts); }

}  // namespace rnicsim
