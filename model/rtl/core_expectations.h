// SPDX-License-Identifier: Apache-2.0
// What came out of the core of an RNIC in the run, and the comparison with what comes out of the Verilog that follows.
#pragma once

#include "model/rnic/common/dma_engine.h"
#include "model/rnic/drp/dma_purpose.h"
#include "tlm/drp/host_queues.h"
#include "tlm/ethernet/frame.h"
#include "tlm/inbox.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rnicsim {

class CoreExpectations {
  public:
    // The run.
    void frame(const Frame& frame, Cycle end);
    void request(Cycle first, DmaEngine::Direction direction, DmaSource source,
                 std::span<const DmaEngine::Piece> pieces);
    void payload(std::span<const std::uint8_t> payload);
    void event(Cycle at, const Event& event) { events_.push(event, at); }
    void ordinary(const Frame& frame, Cycle at);
    void overrun(Cycle at) { overruns_.push({}, at); }
    /// A frame that came with a wrong FCS.
    void damaged(Cycle at) { damaged_.push({}, at); }
    /// What a decision of the transport controller counted, bits in the order of TransportCount, and of which transfer.
    struct Decided {
        std::uint64_t notes = 0;
        bool responder = false;
        std::uint16_t tid = 0;
        friend bool operator==(const Decided&, const Decided&) = default;
    };
    void decided(Cycle at, const Decided& decided) { decisions_.push(decided, at); }

    // The Verilog. Each throws RtlFault if it is not what came in the run, and when.
    void byte_sent(Cycle now, bool valid, std::uint8_t value);
    void tlp(Cycle now, bool write, DmaSource source, std::uint64_t address, std::uint32_t bytes, bool first,
             bool piece_last, bool last);
    void word(Cycle now, std::uint64_t word, bool last);
    void byte_received(bool first, std::uint8_t value);
    void ordinary_received(Cycle now);
    void dropped(Cycle now);
    void decision_seen(Cycle now, const Decided& decided);
    void event_seen(Cycle now, const Event& event);
    /// What was due before `now` has come.
    void nothing_before(Cycle now);
    /// The run is over, and everything has come.
    void nothing_left(Cycle now);

  private:
    using Bytes = std::vector<std::uint8_t>;
    struct Request {
        DmaEngine::Direction direction = DmaEngine::Direction::write;
        DmaSource source = dma_purpose::kHost;
        std::vector<DmaEngine::Piece> pieces;
    };
    [[noreturn]] static void fault(Cycle now, const std::string& what);

    Inbox<Bytes> frames_;      // due: cycle after the last byte
    Inbox<Request> requests_;  // due: first TLP
    Inbox<Bytes> payloads_;
    Inbox<Event> events_;
    Inbox<Bytes> ordinary_;
    struct Nothing {};
    Inbox<Nothing> overruns_, damaged_;  // either is a frame dropped
    Inbox<Decided> decisions_;

    Bytes sending_, receiving_, moving_;
    Request request_;  // what the Verilog is issuing
    Cycle request_first_;
    DmaEngine::Piece piece_;
};

}  // namespace rnicsim
