// SPDX-License-Identifier: Apache-2.0
// What went into the core of an RNIC, kept until the Verilog that follows comes to it: bytes of frames, words of
// payload.
#pragma once

#include "model/rnic/common/dma_engine.h"
#include "tlm/drp/host_queues.h"
#include "tlm/ethernet/frame.h"
#include "tlm/inbox.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rnicsim {

class CoreInputs {
  public:
    struct Request {
        DmaEngine::Direction direction = DmaEngine::Direction::write;
        std::uint64_t address = 0;
        std::uint32_t bytes = 0;
    };
    struct Left {};
    struct Byte {
        bool valid = false;
        std::uint8_t value = 0;
        bool last = false;
    };
    struct Fill {
        bool valid = false;
        std::uint64_t word = 0;
        bool complete = false;
    };

    Inbox<Command> commands;
    Inbox<Request> requests;
    Inbox<std::uint32_t> tags;
    Inbox<Left> left;

    void frame(const Frame& frame, Cycle due);
    void payload(std::span<const std::uint8_t> payload, Cycle at);
    void ordinary(const Frame& frame, Cycle at);

    /// GMII of this cycle.
    Byte byte_from_wire(Cycle now);
    /// The word of payload that comes in this cycle: such that all have come when the payload is to be there.
    Fill fill(Cycle now);
    /// An ordinary frame that has not begun waits since the last cycle at least.
    bool ordinary_waits(Cycle now);
    void ordinary_starts();
    /// The next byte of the oldest ordinary frame.
    Byte byte_of_ordinary();

    [[nodiscard]] bool empty() const;
    /// No input before this cycle.
    [[nodiscard]] Cycle next_due(Cycle now) const;

  private:
    using Bytes = std::vector<std::uint8_t>;

    Inbox<Bytes> frames_;           // due: first preamble byte
    Inbox<Bytes> payloads_;         // due: first word
    Inbox<Bytes> ordinary_;         // due: it waits
    Inbox<Left> ordinary_waiting_;  // those that have not begun
    std::size_t frame_at_ = 0, payload_at_ = 0, ordinary_at_ = 0;
    Cycle last_fill_;
};

}  // namespace rnicsim
