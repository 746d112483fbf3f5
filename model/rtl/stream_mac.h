// SPDX-License-Identifier: Apache-2.0
// A MAC with GMII and AXI-Stream behind MacEngine. Its halves are two instances of the module: each is where its own
// frames have got to. A frame's verdict is awaited before the next one's first byte.
#pragma once

#include "model/rnic/common/mac_engine.h"
#include "model/rtl/stream_bench.h"
#include "model/rtl/stream_reports.h"

#include <array>
#include <memory>

namespace rnicsim {

class StreamMac final : public MacEngine {
  public:
    StreamMac(std::unique_ptr<StreamPins> tx, std::unique_ptr<StreamPins> rx, StreamManifest manifest,
              const BlockPlace& place);

    Sent send(Frame& frame, Cycle now) override;
    Received receive(Frame& frame, Cycle due) override { return take(frame, due, frame.length()); }
    /// For who tries it: the wire marks a byte of a good frame as damaged (RX_ER, IEEE 802.3 clause 35.2.2.8). Throws
    /// RtlFault if the frame passes.
    void try_error(Frame& frame, Cycle due, std::size_t at);
    /// ... two frames each way as close as they may come. Throws RtlFault if one is not as it was, or not good.
    void try_two(std::array<Frame*, 2> out, std::array<const Frame*, 2> in);
    /// Has it a port for that?
    [[nodiscard]] bool knows_errors() const { return manifest_.rx_er; }

  private:
    /// `error`: the byte that is marked; one behind the frame: none.
    Received take(Frame& frame, Cycle due, std::size_t error);
    /// A frame on its way out.
    struct Wire {
        std::array<std::uint8_t, 2 * kFrameRoom> bytes{};  ///< from the destination address on
        std::size_t sent = 0;                              ///< preamble included
        Cycle first, end = kNever;                         ///< cycles of its first byte, and behind its last one
        [[nodiscard]] std::size_t length() const;
    };
    /// Lets a cycle pass, in which this frame may be on the wire.
    void watch(Wire& wire);
    void look_at_gap(const Wire& wire) const;
    void look_at_sent(const Frame& frame, const Wire& wire) const;
    void look_at_received(const Frame& frame, Verdict expected, Cycle last) const;

    StreamManifest manifest_;
    PortCheck check_;
    bool judged_;  // latencies: not where streams pause
    StreamBench tx_, rx_;
    std::array<StreamReports::Stream, 2> own_;  // where nobody asks
    StreamReports::Stream& tx_report_;
    StreamReports::Stream& rx_report_;
    Cycle received_;             // the last good frame, in the run's time: their order stays
    Cycle left_{-1'000'000};     // the cycle after the last byte on the wire, in the block's time: long ago
    Cycle arrived_{-1'000'000};  // the same of what was received
    bool came_out_ = false;      // the last frame, in time
    std::array<Wire, 2> wires_;
};

}  // namespace rnicsim
