// How long a loss-free direct transfer takes, from the constants alone: every step of it, added up.
//
// Holds when the wire is the slowest part: a frame is fetched by DMA in less time than one takes on the wire, and the
// window covers the round trip. Both are so for the defaults and every segment size.
#pragma once

#include "model/config.h"
#include "tlm/ethernet_frame.h"

#include <algorithm>
#include <cstdint>

namespace rnicsim {

class ClosedForm {
  public:
    explicit ClosedForm(const RunConfig& config)
        : host_(config.ends[0].host), rnic_(config.ends[0].rnic), link_(config.link), size_(config.workload.size) {}

    /// Cycles from the upper layer's request to its completion.
    [[nodiscard]] std::int64_t write() const {
        return command() + control_frame()           // request: descriptor, REQ
               + peer_registers() + control_frame()  // registration by the peer's host, REQ_ACK
               + first_fetch() + data_on_the_wire()  // data
               + posting() + control_frame()         // last ACK, when its frame has been posted
               + control_frame() + control_frame()   // REL, REL_ACK
               + event() + software_sees_event();    // completion
    }

    [[nodiscard]] std::int64_t read() const {
        // REL follows the last ACK on the wire. The completion follows the last data to memory through the same PCIe
        // link.
        const std::int64_t released = posting() + (8 + 64 + gap()) + control_frame() + control_frame();
        const std::int64_t set_up = rnic_.transport.tx_latency.n + rnic_.pcie.request_overhead.n;
        const std::int64_t last_data_left = set_up + lane(tlps(last_payload()));
        const std::int64_t event_leaves = std::max(released + set_up, last_data_left);
        return command() + control_frame() + peer_registers() + control_frame() + control_frame()  // "ready"
               + first_fetch() + data_on_the_wire() + event_leaves + (event() - set_up) + software_sees_event();
    }

  private:
    // A PCIe 1.0 x1 lane moves a byte in 4 ns, half a cycle. TLP: 12 bytes of header, 8 of the link layer.
    static std::int64_t lane(std::int64_t bytes) { return (bytes + 1) / 2; }
    static std::int64_t tlp(std::int64_t payload) { return 12 + 8 + (payload + 3) / 4 * 4; }

    /// Bytes on the link of a payload cut into TLPs of 128 bytes (MWr or CplD: the same 12 bytes of header).
    static std::int64_t tlps(std::int64_t payload) {
        std::int64_t bytes = 0;
        for (; payload > 0; payload -= 128) bytes += tlp(std::min<std::int64_t>(payload, 128));
        return bytes;
    }

    [[nodiscard]] std::int64_t memory(std::int64_t bytes) const {  // 1600 MB/s: 12.8 bytes a cycle
        return host_.memory.latency.n + (bytes * 10 + 127) / 128;
    }
    [[nodiscard]] std::int64_t pcie() const { return rnic_.pcie.latency.n; }
    [[nodiscard]] std::int64_t gap() const { return rnic_.gmac.interpacket_gap.n; }

    /// Software builds a descriptor, rings the doorbell; the RNIC fetches the 64 bytes and acts.
    [[nodiscard]] std::int64_t command() const {
        return host_.software.command_cost.n + lane(tlp(4)) + pcie()    // doorbell
               + rnic_.pcie.request_overhead.n + lane(tlp(0)) + pcie()  // MRd
               + memory(64) + lane(tlp(64)) + pcie();                   // CplD
    }

    /// Decision in one RNIC to decision in the other, for a frame of the minimum length, with an idle MAC.
    [[nodiscard]] std::int64_t control_frame() const {
        return rnic_.transport.tx_latency.n + rnic_.gmac.tx_latency.n + 8 + 64 + arrival();
    }
    /// The DMA engine takes a frame that is placed in memory: its acknowledgement waits for that.
    [[nodiscard]] std::int64_t posting() const { return rnic_.pcie.request_overhead.n; }
    /// From the last byte on the wire to the decision at the other end.
    [[nodiscard]] std::int64_t arrival() const {
        return link_.delay.n + rnic_.gmac.rx_latency.n + rnic_.filter.latency.n + rnic_.transport.rx_latency.n;
    }

    /// Event entry of 24 bytes to the ring, then the MSI.
    [[nodiscard]] std::int64_t event() const {
        return rnic_.transport.tx_latency.n + rnic_.pcie.request_overhead.n + lane(tlp(24)) + lane(tlp(4)) + pcie();
    }
    [[nodiscard]] std::int64_t software_sees_event() const {
        return host_.software.interrupt_latency.n + host_.software.event_cost.n;
    }
    [[nodiscard]] std::int64_t peer_registers() const {
        const std::int64_t pages = (static_cast<std::int64_t>(size_) + 4095) / 4096;
        return event() + software_sees_event() + host_.registration.base_cost.n +
               host_.registration.page_cost.n * pages + command();
    }

    [[nodiscard]] std::int64_t segment() const { return rnic_.transport.segment; }
    [[nodiscard]] std::int64_t frames() const { return (size_ + segment() - 1) / segment(); }
    [[nodiscard]] std::int64_t last_payload() const { return size_ - (frames() - 1) * segment(); }

    /// DMA read of the first frame's payload, decision to transmit queue: MRd for each 512 bytes, completions of 128.
    [[nodiscard]] std::int64_t first_fetch() const {
        const std::int64_t payload = frames() > 1 ? segment() : last_payload();
        const std::int64_t requests = (payload + 511) / 512;
        return rnic_.transport.tx_latency.n + rnic_.pcie.request_overhead.n + lane(requests * tlp(0)) + pcie() +
               memory(payload) + lane(tlps(payload)) + pcie();
    }

    /// First data frame ready to the last one's decision at the other end: frames follow one another on the wire.
    [[nodiscard]] std::int64_t data_on_the_wire() const {
        const auto wire = [](std::int64_t payload) {  // preamble, SFD and frame
            return 8 + static_cast<std::int64_t>(frame_bytes(static_cast<std::size_t>(32 + payload)));
        };
        return rnic_.gmac.tx_latency.n + (frames() - 1) * (wire(segment()) + gap()) + wire(last_payload()) + arrival();
    }

    HostConfig host_;
    RnicConfig rnic_;
    LinkConfig link_;
    std::int64_t size_;
};

}  // namespace rnicsim
