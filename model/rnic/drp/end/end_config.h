// SPDX-License-Identifier: Apache-2.0
// A host with a DRP RNIC.
#pragma once

#include "model/config.h"
#include "model/rnic/drp/config.h"
#include "model/rnic/drp/host/config.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim {

class DrpEndConfig final : public EndConfig {
  public:
    DrpEndConfig() = default;
    DrpEndConfig(HostConfig of_host, RnicConfig of_rnic) : host(std::move(of_host)), rnic(std::move(of_rnic)) {}

    HostConfig host;
    RnicConfig rnic;

    [[nodiscard]] std::string_view personality() const override { return "drp"; }
    [[nodiscard]] std::unique_ptr<EndConfig> copy() const override { return std::make_unique<DrpEndConfig>(*this); }
    [[nodiscard]] std::size_t largest_frame() const override;
    [[nodiscard]] const PcieConfig* pcie() const override { return &rnic.pcie; }
    [[nodiscard]] HostFaultConfig faults() const override {
        const RegistrationConfig& registration = host.registration;
        return {registration.failure, registration.pool.hold_time, registration.pool.rest_time};
    }
};

[[nodiscard]] inline bool is_drp(const RunConfig& run, unsigned host) {
    return host < run.hosts.size() && run.hosts[host].is<DrpEndConfig>();
}
/// Is it any host of the run?
[[nodiscard]] inline bool has_drp(const RunConfig& run) { return has_host<DrpEndConfig>(run); }
/// Precondition: it has a DRP RNIC.
[[nodiscard]] inline DrpEndConfig& drp_of(RunConfig& run, unsigned host) {
    return run.hosts.at(host).as<DrpEndConfig>();
}
[[nodiscard]] inline const DrpEndConfig& drp_of(const RunConfig& run, unsigned host) {
    return run.hosts.at(host).as<DrpEndConfig>();
}
/// Those with a DRP RNIC, in their order.
[[nodiscard]] inline std::vector<unsigned> drp_hosts(const RunConfig& run) {
    return hosts_with<DrpEndConfig>(run.hosts);
}

[[nodiscard]] inline auto drp_ends(RunConfig& run) { return ends_with<DrpEndConfig>(run.hosts); }
[[nodiscard]] inline auto drp_ends(const RunConfig& run) { return ends_with<DrpEndConfig>(run.hosts); }

/// Hosts a and b with DRP RNICs, all as by default, at one link.
[[nodiscard]] RunConfig two_drp_hosts();

/// With whom a host has transfers, by Peer, in the order of hosts: what its RNIC's table of peers is made from.
[[nodiscard]] std::vector<unsigned> peers_of(const RunConfig& run, unsigned host);

}  // namespace rnicsim
