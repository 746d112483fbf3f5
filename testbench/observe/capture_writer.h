// SPDX-License-Identifier: Apache-2.0
// The frames on the wire as a capture for Wireshark, each where it is sent, or where it arrives, or both; if asked for,
// the TLPs of both ends, and those on the links of bridges, too. Wireshark's side: scripts/wireshark.
#pragma once

#include "testbench/observe/observation.h"
#include "testbench/observe/pcapng_file.h"
#include "testbench/records/run_request.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace rnicsim {

class CaptureWriter : public EventWriter {
  public:
    /// Creates the file request.observe.capture. Throws RequestError.
    explicit CaptureWriter(const RunRequest& request);

    void event(const LoggedEvent& event, std::span<const std::uint8_t> frame) override;
    void finish() override;

  private:
    using Packet = PcapngFile::Packet;

    Packet& hold(Time at, Packet packet);
    void hold_dma(const LoggedEvent& event, const DmaRequest& dma);
    [[nodiscard]] static bool lies_ahead(BridgeStep::Step step);
    void hold_tlp(const LoggedEvent& event, const BridgeStep& step, std::span<const std::uint8_t> payload);
    void write_before(Time now);

    PcapngFile file_;
    bool tlps_;
    bool sent_, received_;  ///< what is captured
    // Interfaces, in the file's order: of each host both directions, but between two hosts of each direction both
    // points; then the PCIe link of each; then of each bridge both directions.
    [[nodiscard]] static std::uint32_t sent_by(unsigned host) { return 2 * host; }
    [[nodiscard]] std::uint32_t received_by(unsigned host) const {
        return network_ ? 2 * host + 1 : 2 * (1 - host) + 1;
    }
    [[nodiscard]] std::uint32_t pcie_of(unsigned host) const {
        return 2 * static_cast<std::uint32_t>(hosts_) + slots_[host]->number;
    }
    [[nodiscard]] std::uint32_t sent_over(const BridgeStep& step, unsigned from) const {
        return 2 * static_cast<std::uint32_t>(hosts_) + cards_ + 2 * step.bridge + (from < step.to ? 0 : 1);
    }

    /// Of a card.
    struct Slot {
        PcieConfig pcie;
        unsigned number = 0;  // of the slots
    };
    std::vector<std::optional<Slot>> slots_;  // by host
    unsigned cards_ = 0;                      // that have one
    // Events come when they are decided, before they take effect. Sorted by time, then in the order in which they
    // came.
    std::multimap<Time, Packet> held_;
    std::vector<Packet*> just_sent_;  // by node: in held_, until its next event
    bool network_;
    std::size_t hosts_;
};

}  // namespace rnicsim
