// SPDX-License-Identifier: Apache-2.0
// A plain host: a MAC with neither RNIC nor host behind it, which sends and takes ordinary frames.
#pragma once

#include "model/config.h"
#include "tlm/time/time.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace rnicsim {

class PlainEndConfig final : public EndConfig {
  public:
    std::int64_t mtu = 1500;  ///< largest MAC client data, bytes
    Time reaction;            ///< from the last bit of a pause frame until no frame of the class begins

    [[nodiscard]] std::string_view personality() const override { return "plain"; }
    [[nodiscard]] std::unique_ptr<EndConfig> copy() const override { return std::make_unique<PlainEndConfig>(*this); }
    [[nodiscard]] std::size_t largest_frame() const override;
    [[nodiscard]] Time pause_reaction() const override { return reaction; }
    void join(const MacTiming& link) override;
};

[[nodiscard]] inline bool is_plain(const RunConfig& run, unsigned host) {
    return host < run.hosts.size() && run.hosts[host].is<PlainEndConfig>();
}
/// Is it any host of the run?
[[nodiscard]] inline bool has_plain(const RunConfig& run) { return has_host<PlainEndConfig>(run); }
/// Precondition: it is a plain host.
[[nodiscard]] inline PlainEndConfig& plain_of(RunConfig& run, unsigned host) {
    return run.hosts.at(host).as<PlainEndConfig>();
}
[[nodiscard]] inline const PlainEndConfig& plain_of(const RunConfig& run, unsigned host) {
    return run.hosts.at(host).as<PlainEndConfig>();
}
/// The plain hosts, in their order.
[[nodiscard]] inline std::vector<unsigned> plain_hosts(const RunConfig& run) {
    return hosts_with<PlainEndConfig>(run.hosts);
}

[[nodiscard]] inline auto plain_ends(RunConfig& run) { return ends_with<PlainEndConfig>(run.hosts); }
[[nodiscard]] inline auto plain_ends(const RunConfig& run) { return ends_with<PlainEndConfig>(run.hosts); }

}  // namespace rnicsim
