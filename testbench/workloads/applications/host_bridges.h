// SPDX-License-Identifier: Apache-2.0
// The bridges of a host, for the ends of an application there: where each end finds the other one's memory and its
// doorbell, and which ends are told when a bridge interrupts the host.
#pragma once

#include "model/config.h"
#include "model/host/verbs/verbs_host.h"
#include "model/ntb/bridge.h"
#include "testbench/workloads/applications/bridge_start.h"
#include "testbench/workloads/applications/sim_end.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace rnicsim {

/// The one of these two hosts, which have one.
[[nodiscard]] const ntb::Config& bridge_between(const RunConfig& config, std::array<unsigned, 2> hosts);

/// Is told when a host may store through a bridge that its drivers have to open first.
class BridgeUser {
  public:
    virtual ~BridgeUser() = default;
    virtual void may_use(unsigned host, const ntb::Bridge& bridge, Cycle now) = 0;
};

class HostBridges final : public BridgeListener, public BridgeStart::Caller {
  public:
    /// The number of a call that the host's program passes on to called(), behind SimEnd::kPlaceBits.
    static constexpr std::uint64_t kPlace = (std::uint64_t{1} << SimEnd::kPlaceBits) - 2;

    /// `program`: of the host. All must outlive it.
    HostBridges(const RunConfig& config, unsigned host, VerbsHost& has, ProgramNumber program, OperationBoard& board,
                BridgeUser& user);

    /// Where the memory of applications begins at a host, and the window of the other one.
    struct Firsts {
        std::uint64_t here = 0, there = 0;
    };
    /// The end, which is here, stores to `area` of the other host's memory, through this bridge. Before the simulation
    /// starts.
    void join(SimEnd& end, const ntb::Config& of, ntb::Bridge& bridge, const rc::Range& area, const Firsts& firsts);
    /// May it store through this bridge?
    [[nodiscard]] bool may_use(const ntb::Bridge& bridge) const;
    void called(Cycle now, std::uint64_t number);

  private:
    static constexpr unsigned kFirstStart = ntb::kLinkBit + 1;  // codes of calls: bits of the bridge, then its start's
    struct Joined {
        const ntb::Bridge* bridge = nullptr;  // not owned
        ntb::Side* side = nullptr;            // likewise
        std::vector<SimEnd*> ends{};          // in the same order at both hosts
        unsigned first_doorbell = 0;          // of the ends: those before it are the driver's
        std::optional<BridgeStart> start{};   // nothing: its windows are open from the beginning
        /// Doorbells are as many as registers have: ends that are more share them.
        [[nodiscard]] unsigned doorbell(std::size_t end) const {
            return first_doorbell + static_cast<unsigned>(end % (ntb::Registers::kDoorbells - first_doorbell));
        }
    };
    Joined& joined(const ntb::Config& of, ntb::Bridge& bridge);
    [[nodiscard]] std::size_t number_of(const ntb::Config& of) const;
    [[nodiscard]] static bool hears_of_link(const Joined& of, const SimEnd& end);
    void tell(Cycle now, Joined& of, unsigned bit);
    void call(std::size_t bridge, unsigned code, Cycle at);
    // BridgeListener
    [[nodiscard]] Thread handled_by(unsigned number, unsigned bit) const override;
    void bridge_interrupted(Cycle at, unsigned number, unsigned bit) override;
    // BridgeStart::Caller
    void call_start(std::size_t bridge, BridgeStart::Call what, Cycle at) override;
    void ready(std::size_t bridge, Cycle now) override;

    const RunConfig& config_;
    const unsigned host_;
    VerbsHost& has_;
    const ProgramNumber program_;
    OperationBoard& board_;
    BridgeUser& user_;
    std::deque<Joined> by_number_;  // in the order of the host's bridges; they do not move
};

}  // namespace rnicsim
