// SPDX-License-Identifier: Apache-2.0
// Where the time of a transfer goes: every cycle between request and completion belongs to exactly one part, so the
// parts add up to the transfer time.
//
//   |-- set-up --|-- waiting --|-- set-up --|---- data phase ----|-- release --|
//   request      REQ           last REQ     first data frame     REL           completion
//
// In the data phase each cycle is, in this order of precedence:
// - `stalled` while the far indirect buffer drops frames because it is full, and when all is acknowledged but no
//   REQ_ACK has come yet;
// - `wire` while a frame is on the wire for the first time, `retransmission` if it was there before: from its preamble
//   to the end of the interpacket gap behind it;
// - `drain` while a bulk DMA is under way;
// - the time until the next frame counts as that frame does.
#pragma once

#include "model/rnic/drp/transport_engine.h"
#include "testbench/workloads/transfers/transfer_sample.h"
#include "tlm/drp/drp_header.h"
#include "tlm/time/time.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rnicsim {

using TransferParts = std::array<std::int64_t, kTransferParts>;  ///< cycles

/// Each RNIC may run ahead of the kernel's time. So reports are kept until their cycle has passed, and then applied in
/// the order of cycles, within one cycle in the order of Kind.
class TimeLedger {
  public:
    explicit TimeLedger(std::size_t hosts) : accounts_(hosts), writes_(hosts) {}

    /// A host's software, at the kernel's time.
    void started(unsigned initiator, std::uint32_t id, Cycle now);
    /// The parts of the transfer; its account is closed.
    TransferParts ended(unsigned initiator, std::uint32_t id, Cycle now);

    /// A DRP frame of `length` bytes, no ACK, of a transfer that this host has asked for, goes to the wire; its last
    /// byte leaves in the cycle before `due`.
    void frame_sent(unsigned initiator, const DrpHeader& header, std::size_t length, Cycle now, Cycle due);
    /// The counts that noted() needs.
    [[nodiscard]] static bool wants(TransportCount what) {
        return what == TransportCount::buffer_full || what == TransportCount::bulk_drains ||
               what == TransportCount::connections;
    }
    /// Transport logic of end `end`, about a transfer that `initiator` has asked for. Precondition: wants(what).
    void noted(unsigned end, TransportCount what, unsigned initiator, Tid tid, Cycle now);
    /// End `end` hands a write to its link; it has left at `until`. It may be part of the bulk DMA that is reported at
    /// the end of this decision, before anything else is written in this cycle.
    void memory_write(unsigned end, Cycle now, Cycle until);
    /// No report before `kernel` can come any more.
    void settle(Cycle kernel);

  private:
    struct Account {
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
        /// A frame of it is sent now. False: that does not matter any more.
        bool sends(Cycle now);
        void close_gap(Cycle until, TransferPart part);
    };

    /// What is reported of a transfer: what is decided in a cycle, then what is sent in it.
    enum class Kind : std::uint8_t { refused, drained, connected, request, data, release };
    struct Report {
        Cycle at;
        Kind kind = Kind::request;
        unsigned initiator = 0;
        Tid tid{};
        std::uint32_t sn = 0;  // data
        Cycle begin{};         // on the wire
        Cycle end{};           // the same; drained: of the bulk DMA
    };
    void keep(const Report& report);
    void count(const Report& report);

    [[nodiscard]] Account* find(unsigned initiator, Tid tid);
    static void request_sent(Account& account, Cycle begin);
    static void release_sent(Account& account, Cycle begin);
    static void data_sent(Account& account, std::uint32_t sn, Cycle begin, Cycle end);

    struct Writes {
        Cycle at = kNever;
        Cycle until;  // when the last one has left
    };
    std::vector<Report> reports_;                 // by `at` and kind, then as they came
    std::vector<std::vector<Account>> accounts_;  // by initiator, of the transfers in flight
    std::vector<Writes> writes_;                  // by host: of the last cycle in which there were any
};

}  // namespace rnicsim
