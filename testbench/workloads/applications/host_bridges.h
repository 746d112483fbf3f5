// SPDX-License-Identifier: Apache-2.0
// The bridges of a host, for the ends of an application there: where each end finds the other one's memory and its
// doorbell, and which ends are told when a bridge interrupts the host.
#pragma once

#include "model/config.h"
#include "model/host/verbs/verbs_host.h"
#include "model/ntb/bridge.h"
#include "testbench/workloads/applications/sim_end.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rnicsim {

/// The one of these two hosts, which have one.
[[nodiscard]] const ntb::Config& bridge_between(const RunConfig& config, std::array<unsigned, 2> hosts);

class HostBridges final : public BridgeListener {
  public:
    /// The number of a call that the host's program passes on to called(), behind SimEnd::kPlaceBits.
    static constexpr std::uint64_t kPlace = (std::uint64_t{1} << SimEnd::kPlaceBits) - 2;

    /// `program`: of the host. All must outlive it.
    HostBridges(const RunConfig& config, unsigned host, VerbsHost& has, ProgramNumber program, OperationBoard& board);

    /// The end, which is here, stores to `area` of the other host's memory, through this bridge. `first`: where there
    /// the memory of applications begins, and the window. Before the simulation starts.
    void join(SimEnd& end, const ntb::Config& of, ntb::Bridge& bridge, const rc::Range& area, std::uint64_t first);
    void called(Cycle now, std::uint64_t number);

  private:
    struct Joined {
        const ntb::Bridge* bridge = nullptr;  // not owned
        ntb::Side* side = nullptr;            // likewise
        std::vector<SimEnd*> ends{};          // the n-th one's doorbell is the n-th, modulo their number
    };
    Joined& joined(const ntb::Config& of, ntb::Bridge& bridge);
    // BridgeListener
    [[nodiscard]] Thread handled_by(unsigned number, unsigned bit) const override;
    void bridge_interrupted(Cycle at, unsigned number, unsigned bit) override;

    const RunConfig& config_;
    const unsigned host_;
    VerbsHost& has_;
    const ProgramNumber program_;
    OperationBoard& board_;
    std::vector<Joined> by_number_;  // in the order of the host's bridges
};

}  // namespace rnicsim
