// Where the time of a transfer goes: every cycle between request and completion belongs to exactly one part, so the
// parts add up to the transfer time.
//
//   |-- set-up --|-- waiting --|-- set-up --|---- data phase ----|-- release --|
//   request      REQ           last REQ     first data frame     REL           completion
//
// The data phase: while the far indirect buffer refuses frames the transfer is `stalled`, whatever is on the wire;
// otherwise a frame on the wire (with preamble and gap) is `wire` the first time, `retransmission` again; a gap belongs
// to the frame that ends it, but `drain` takes what a bulk DMA covers; all acknowledged and no REQ_ACK yet is
// `stalled`.
#pragma once

#include "model/rnic/transport_engine.h"
#include "testbench/run_result.h"
#include "tlm/drp_header.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rnicsim {

class TimeLedger {
  public:
    void started(unsigned initiator, std::uint32_t id, Cycle now);
    /// The parts of the transfer; its account is closed.
    TransferParts ended(unsigned initiator, std::uint32_t id, Cycle now);

    /// A DRP frame of `length` bytes leaves end `end`; its last byte in the cycle before `due`.
    void frame_sent(unsigned end, const DrpHeader& header, std::size_t length, Cycle now, Cycle due);
    /// Transport logic of end `end`.
    void noted(unsigned end, TransportCount what, Role role, Tid tid, Cycle now);
    /// End `end` hands a write to its link; it has left at `until`. It may be part of the bulk DMA that is reported at
    /// the end of this decision, before anything else is written in this cycle.
    void memory_write(unsigned end, Cycle now, Cycle until);

  private:
    struct Account {
        unsigned initiator = 0;
        std::uint32_t id = 0;
        Cycle cursor;  // everything before it has its part
        TransferParts parts{};
        bool asked = false;        // REQ sent
        bool moving = false;       // data has been sent
        bool full = false;         // the far indirect buffer refuses frames
        bool releasing = false;    // REL sent
        Cycle connected = kNever;  // valid REQ_ACK taken by the initiator
        Cycle drained;             // end of the bulk DMA
        std::uint32_t fresh = 0;   // SN that has not been sent yet

        struct Piece {
            Cycle from;
            TransferPart part = TransferPart::waiting;
        };
        // Closed pieces that are still in the future: a frame is chosen before the previous one has left.
        std::array<Piece, 12> latest{};
        std::size_t pieces = 0;

        void close(Cycle until, TransferPart part);
        void reopen(Cycle from);
        void keep_ahead(Cycle now);
        void close_gap(Cycle until, TransferPart part);
    };

    [[nodiscard]] Account* find(unsigned initiator, Tid tid);
    static void data_sent(Account& account, std::uint32_t sn, Cycle begin, Cycle end);

    struct Writes {
        Cycle at = kNever;
        Cycle until;  // when the last one has left
    };
    std::vector<Account> accounts_;   // of the transfers in flight
    std::array<Writes, 2> writes_{};  // of the last cycle in which there were any
};

}  // namespace rnicsim
