// SPDX-License-Identifier: Apache-2.0
// How long a loss-free direct transfer takes, from the constants alone: the sum of its steps. All in cycles.
// Derived from the description of the hardware (model/README.md), not from its code: tests compare the two.
#pragma once

#include "model/config.h"
#include "model/rnic/drp/end/end_config.h"
#include "testbench/theory/path.h"

#include <cstdint>
#include <optional>

namespace rnicsim {

class ClosedForm {
  public:
    /// Two hosts by their numbers.
    struct Pair {
        unsigned initiator = 0, responder = 0;
    };
    /// The only two of the run that have transfers, or frames, at all.
    static std::optional<Pair> only_pair(const RunConfig& config);

    ClosedForm(const RunConfig& config, const Pair& pair);
    /// Precondition: only_pair(config).
    explicit ClosedForm(const RunConfig& config) : ClosedForm(config, only_pair(config).value()) {}

    /// The forms are valid for one transfer at a time without other traffic or a bridge, with equal ends, over the
    /// same links either way; the wire must be the slowest part of the payload path and the window cover the round
    /// trip, or the window must be one.
    /// They ignore that TLPs of software and data may meet on the PCIe link: README.md says how much that is.
    [[nodiscard]] bool applies() const;

    /// From the upper layer's request to its completion. Precondition: applies().
    [[nodiscard]] std::int64_t write() const;
    /// The same; windows of one are not covered.
    [[nodiscard]] std::int64_t read() const;

    // The parts, used by expectation.cpp with losses in between. A decision counts at its end.
    /// Upper layer's request -> decision to send REQ; also: host's verdict -> decision to send REQ_ACK.
    [[nodiscard]] std::int64_t command() const;
    /// Decision in one RNIC -> decision in the other, for a frame of the minimum length and an idle MAC.
    [[nodiscard]] std::int64_t control_frame() const;
    /// Decision on REQ -> decision to send REQ_ACK, after the peer's host has tried to register the region.
    [[nodiscard]] std::int64_t peer_registers() const;
    /// Decision to send data -> first preamble byte of the first data frame.
    [[nodiscard]] std::int64_t first_data() const;
    /// Decision to send a data frame of `payload` bytes -> decision on its acknowledgement, nothing else in flight.
    [[nodiscard]] std::int64_t round_trip(std::int64_t payload) const;
    /// The DMA engine takes a frame that is placed in memory: its acknowledgement waits for that.
    [[nodiscard]] std::int64_t posting() const;
    /// Decision that a transfer is over -> its upper layer knows.
    [[nodiscard]] std::int64_t completion() const;

    [[nodiscard]] std::int64_t frames() const;
    [[nodiscard]] std::int64_t segment() const { return rnic_.transport.segment; }
    [[nodiscard]] std::int64_t last_payload() const { return size_ - (frames() - 1) * segment(); }
    /// The chance that a frame does not arrive in one piece.
    [[nodiscard]] double loss() const { return path_.loss(); }
    [[nodiscard]] const TransportConfig& transport() const { return rnic_.transport; }
    /// The chance that the other host fails to register the region.
    [[nodiscard]] double refusal() const { return responder_.host.registration.failure; }

  private:
    [[nodiscard]] std::int64_t lane(std::int64_t bytes) const;
    [[nodiscard]] std::int64_t tlps(std::int64_t payload) const;
    [[nodiscard]] std::int64_t memory(std::int64_t bytes) const;
    [[nodiscard]] std::int64_t pcie() const { return rnic_.pcie.latency.n; }
    [[nodiscard]] std::int64_t gap() const { return rnic_.gmac.interpacket_gap.n; }
    [[nodiscard]] std::int64_t decided() const;
    [[nodiscard]] std::int64_t event() const;
    [[nodiscard]] std::int64_t software_sees_event() const;
    [[nodiscard]] std::int64_t fetch(std::int64_t payload) const;
    /// How long the first fetch waits behind the event of the REQ_ACK, which was decided on before it.
    [[nodiscard]] std::int64_t behind_event() const;
    [[nodiscard]] std::int64_t data_on_the_wire() const;

    RunConfig config_;
    DrpEndConfig initiator_, responder_;
    HostConfig host_;  // of the initiator
    RnicConfig rnic_;
    Path path_;
    std::int64_t size_;
};

}  // namespace rnicsim
