// SPDX-License-Identifier: Apache-2.0
// Gives each end its transfers, and checks the invariants (PROTOCOL.md section 7) in every run. The first violation
// stops the run; its message names the transfer, the cycle and the last frames.
#pragma once

#include "model/random.h"
#include "model/rnic/drp/host/peer_hosts.h"
#include "model/rnic/drp/host/upper_layer.h"
#include "model/system.h"
#include "testbench/events/event_recorder.h"
#include "testbench/records/run_result.h"
#include "testbench/workloads/transfers/time_ledger.h"
#include "tlm/taps.h"

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace rnicsim {

class Scoreboard : public Observer {
  public:
    explicit Scoreboard(const RunConfig& config);

    /// Bytes of memory that each host needs for the traffic, by host.
    [[nodiscard]] const std::vector<std::uint64_t>& memory_bytes() const { return memory_bytes_; }
    /// Gives the system its workload. To be called once, before the simulation starts. `recorder`: also gets
    /// decisions and steps of software; not owned, nullptr = none.
    void attach(System& system, EventRecorder* recorder = nullptr);

    [[nodiscard]] bool all_ended() const;
    /// When a transfer ended or payload was posted to memory; neither can happen for ever.
    [[nodiscard]] Cycle last_progress() const { return last_progress_; }
    /// Until then some slot rests after a failed transfer, or somebody has not asked for the next one yet. A lack of
    /// progress until then is no fault; it ends, since each transfer fails at most once.
    [[nodiscard]] Cycle rests_until() const { return rests_until_; }
    /// One line for each slot of this initiator that no transfer uses and that cannot be used yet. For the watchdog.
    [[nodiscard]] std::vector<std::string> waiting(unsigned end, Cycle now) const;
    [[nodiscard]] Cycle last_end() const { return last_end_; }
    /// Empty as long as every invariant holds.
    [[nodiscard]] const std::string& violation() const { return violation_; }
    /// After the last transfer: nothing may be left anywhere. Sets violation() if something is.
    void check_empty();
    /// The frames sent last, oldest first, one line each.
    [[nodiscard]] std::string last_frames() const;

    /// How many transfers are to be recorded, and where, in the order of (initiator, id). To be called before attach();
    /// not owned.
    [[nodiscard]] std::size_t samples() const;
    void record_in(std::span<Sample> samples);
    [[nodiscard]] std::uint64_t transfers_left() const;

    // Observer
    void memory_access(unsigned end, const tlm::tlm_generic_payload& transaction) override;
    void upstream_tlp(unsigned end, tlm::tlm_generic_payload& transaction, Time due) override;
    void frame_sent(unsigned end, const Frame& frame, Time left) override;

  private:
    /// A pair of memory regions, one at each end, used by one transfer at a time. Its initiator has one of them, and
    /// each of its responders another one.
    struct Slot {
        bool in_use = false;
        std::uint32_t id = 0;
        unsigned responder = 0;
        Operation operation = Operation::write;
        std::uint32_t bytes = 0;
        bool ended = false;  ///< at the initiator
        bool failed = false;
        bool peer_released = true;  ///< the responder's host does not use the region (any more)
        std::uint64_t posted = 0;   ///< bytes that the receiving RNIC has posted to memory
        Cycle free_from;
    };
    /// One item of the traffic at one of its initiators.
    struct Flow {
        std::size_t item = 0;
        std::vector<unsigned> responders;  ///< asked in turn
        std::uint32_t issued = 0;
        Cycle first;              ///< when the first transfer is asked for
        std::vector<Cycle> free;  ///< of the transfers that may be in flight: when each may be asked for
    };
    /// The upper layer of one end, and what is to be known of its RNIC.
    class Side : public UpperLayer, public TransportObserver {
      public:
        Side(Scoreboard& board, unsigned end, std::vector<unsigned> of_peers)
            : peers(std::move(of_peers)), board_(board), end_(end) {}
        std::optional<TransferRequest> next_transfer(Cycle now) override;
        [[nodiscard]] bool may_kick() const override { return starved; }
        void acknowledged(std::uint32_t id, bool simulated, Cycle now) override;
        void ended(std::uint32_t id, TransferError error, bool indirect, Cycle now) override;
        void unexpected(const Event& event, Cycle now) override;
        void peer_region_wanted(std::uint64_t base, Cycle now) override;
        void peer_region_released(std::uint64_t base, Cycle now) override;
        void noted(TransportCount what, const TransferKey& of) override;
        void decided(const TransportDecision& decision) override;
        void overrun(const DrpHeader& header, Cycle arrived) override;
        void filled(std::uint32_t used) override;

        const PeerHosts peers;
        std::vector<Flow> flows;
        std::uint64_t stride = 0;  // bytes from slot to slot
        std::vector<Slot> slots;
        std::span<Sample> samples;                   // by id
        std::vector<std::uint8_t> acknowledgements;  // REQ_ACKs shown, by id
        std::uint32_t to_issue = 0;                  // in all
        std::uint32_t issued = 0;
        std::uint32_t in_flight = 0;
        bool starved = false;               // wanted a slot, had none
        TransportObserver* also = nullptr;  // not owned

      private:
        TransferRequest begin(Flow& flow, std::size_t slot, Cycle now);
        Scoreboard& board_;
        unsigned end_;
    };

    struct SentFrame {
        Cycle due;
        unsigned from = 0, to = 0;
        std::size_t length = 0;
        std::array<std::uint8_t, kEthernetHeaderBytes + kDrpHeaderBytes> head{};
    };

    /// The regions in a host's memory for the transfers that one host asks for.
    struct Area {
        std::uint64_t base = 0;
        unsigned initiator = 0;
    };
    void add_flows(unsigned end);
    void lay_out_memory();
    [[nodiscard]] std::uint64_t address(unsigned host, unsigned initiator, std::size_t slot) const;
    /// The slot that an address of host `end` lies in, and the end that initiates its transfers. None if its transfer
    /// has another responder: a busy host may still work on the request of a failed transfer that had the slot before.
    [[nodiscard]] Slot* slot_at(unsigned end, std::uint64_t address, unsigned& initiator, std::size_t& index);
    [[nodiscard]] std::span<const std::uint8_t> payload_of(unsigned initiator, const Slot& slot) const;
    [[nodiscard]] Cycle next_request(const Flow& flow) const;
    [[nodiscard]] Cycle thinks(const TrafficConfig& item, unsigned initiator, std::uint32_t id) const;
    void retire(unsigned initiator, std::size_t slot, Cycle now);
    void compare(unsigned initiator, std::size_t slot, Cycle now);
    [[nodiscard]] std::string transfer_name(unsigned end, std::uint32_t id) const;
    void violate(Cycle now, const std::string& what);

    const HostNames names_;
    const std::vector<unsigned> hosts_;  // with a DRP RNIC
    const std::vector<TrafficConfig> traffic_;
    const RandomSource random_;
    Cycle rest_;  // of a slot after a failed transfer
    std::vector<std::uint8_t> pattern_;
    std::deque<Side> sides_;                // by host, in use where it has a DRP RNIC; they do not move
    std::vector<std::vector<Area>> areas_;  // by host, by base; the first one is its own
    std::vector<std::uint64_t> memory_bytes_;
    TimeLedger ledger_;
    System* system_ = nullptr;  // not owned
    Cycle last_progress_;
    Cycle last_end_;
    Cycle rests_until_;
    std::string violation_;
    std::array<SentFrame, 32> sent_{};
    std::uint64_t sent_count_ = 0;
};

}  // namespace rnicsim
