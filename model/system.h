// SPDX-License-Identifier: Apache-2.0
// The whole system: end systems, switches, and the links between them.
#pragma once

#include "model/config.h"
#include "model/end_system.h"
#include "model/network/link/link.h"
#include "model/network/routes.h"

#include <memory>
#include <systemc>
#include <vector>

namespace rnicsim {

class Switch;
namespace ntb {
class Bridge;
}  // namespace ntb

/// In which order the parts are built. Nothing may depend on it; a test checks that.
enum class BuildOrder : std::uint8_t { hosts_first, links_first };

/// Whether modules may act ahead of the kernel's time (tlm/horizon.h).
enum class Ahead : std::uint8_t {
    never,    ///< observers hear of all events in the order of their cycles
    allowed,  ///< fewer activations
};

class System : public sc_core::sc_module {
    // First, so that they outlive everything that holds a frame or a transaction.
    FramePool frames_;
    PciePool transactions_;
    Horizon horizon_;

    std::vector<std::unique_ptr<EndSystem>> ends_;  // by host
    std::vector<std::unique_ptr<Switch>> switches_;
    std::vector<std::unique_ptr<Link>> links_;
    std::vector<std::unique_ptr<ntb::Bridge>> bridges_;
    const Routes routes_;
    const std::unique_ptr<FrameNaming> naming_;

  public:
    /// `ends`: makes the end systems. `faults`: decides about faults. `observer`: nullptr = none. Faults and observer
    /// are not owned.
    System(sc_core::sc_module_name name, const RunConfig& config, const EndFactory& ends, FaultSource& faults,
           Observer* observer, BuildOrder order = BuildOrder::hosts_first);

    ~System() override;

    /// Simulates for `duration`.
    void run(Time duration, Ahead ahead);

    [[nodiscard]] unsigned hosts() const { return static_cast<unsigned>(ends_.size()); }
    [[nodiscard]] EndSystem& end(unsigned host) { return *ends_[host]; }
    [[nodiscard]] const EndSystem& end(unsigned host) const { return *ends_[host]; }
    [[nodiscard]] std::size_t switches() const { return switches_.size(); }
    [[nodiscard]] Switch& network_switch(std::size_t number) { return *switches_[number]; }
    [[nodiscard]] const Switch& network_switch(std::size_t number) const { return *switches_[number]; }
    [[nodiscard]] std::size_t links() const { return links_.size(); }
    [[nodiscard]] const Link& link(std::size_t number) const { return *links_[number]; }
    [[nodiscard]] std::size_t bridges() const { return bridges_.size(); }
    [[nodiscard]] ntb::Bridge& bridge(std::size_t number) { return *bridges_[number]; }
    [[nodiscard]] const ntb::Bridge& bridge(std::size_t number) const { return *bridges_[number]; }
    [[nodiscard]] const Routes& routes() const { return routes_; }
    [[nodiscard]] bool idle() const;
    [[nodiscard]] FramePool& frames() { return frames_; }
    [[nodiscard]] PciePool& transactions() { return transactions_; }
    [[nodiscard]] std::uint64_t activations() const;

  private:
    void connect(const RunConfig& config);
    void build_bridges(const RunConfig& config, FaultSource& faults, Observer* observer);
};

}  // namespace rnicsim
