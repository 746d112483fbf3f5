// SPDX-License-Identifier: Apache-2.0
// Which connections the traffic asks for, and where their rings and buffers lie in the memories of their hosts.
#pragma once

#include "model/config.h"
#include "model/rnic/rc/completion_queues.h"
#include "model/rnic/rc/work_queues.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rnicsim {

/// What the works of a host have taken of it so far: the next one takes what follows.
struct TakenOfHost {
    std::uint64_t bytes = 0;                    ///< of its memory, from address 0 on
    std::uint32_t connections = 0, acting = 0;  ///< ends of connections; of them, those that have been given a thread
};

/// Bytes of a message between the programs of a scheme: where the data are, and how many.
inline constexpr std::uint32_t kPersistMessage = 16;
/// ... of a table of the responder's region: start, length, key, access.
inline constexpr std::uint32_t kRegionTable = 24;

/// WQEs on top of those of items under way, where a program is told by the other one's message that an item is over, or
/// answers without being told: of its own send WQEs the ACKs may have been lost, so that the card still has them. If
/// half as many are not known to be complete one tells, and a program whose queue is full of them waits.
inline constexpr std::uint32_t kUntoldSends = 512;

struct VerbsLayout {
    /// Slots of a buffer: message m is in slot m % slots.
    struct Buffer {
        std::uint64_t address = 0;
        std::uint32_t slots = 1;
        std::uint32_t slot_bytes = 0;
        [[nodiscard]] std::uint64_t bytes() const { return std::uint64_t{slots} * slot_bytes; }
        [[nodiscard]] std::uint64_t slot(std::uint32_t message) const {
            return address + std::uint64_t{message % slots} * slot_bytes;
        }
        [[nodiscard]] bool has(std::uint64_t at) const { return at - address < bytes(); }
        /// Of a byte that it has.
        [[nodiscard]] std::uint32_t slot_at(std::uint64_t at) const {
            return static_cast<std::uint32_t>((at - address) / slot_bytes);
        }
        /// Of the first `posted` messages the latest in the slot of this byte, which it has; nothing: there is none.
        [[nodiscard]] std::optional<std::uint32_t> latest(std::uint64_t at, std::uint32_t posted) const {
            const auto slot = static_cast<std::uint32_t>((at - address) / slot_bytes);
            if (posted <= slot) return {};
            return slot + (posted - 1 - slot) / slots * slots;
        }
    };
    struct End {
        unsigned host = 0;
        std::uint32_t qp = 0;      ///< at its host, in order of creation, from 0
        std::uint32_t thread = 0;  ///< of its host, which posts to it and waits for it
        rc::SendRing sends;
        rc::ReceiveRing receives;    ///< its own; none where the host's are shared
        std::uint32_t prepared = 0;  ///< receive WQEs that are there from the beginning
        Buffer out;                  ///< what it sends, or lets be read
        Buffer word;                 ///< what atomics change: of a mix; else the first of `out`
        Buffer received;             ///< of receive WQEs, by their number: of a mix; else `in`; the host's if shared
        Buffer in;                   ///< what it gets, by number of the message
        /// All of them: they lie side by side.
        [[nodiscard]] rc::Range buffers() const { return {out.address, in.address + in.bytes() - out.address}; }
    };
    struct Connection {
        std::size_t item = 0;
        std::uint32_t number = 0;  ///< of its pair of hosts
        bool reliable = true;
        std::array<End, 2> ends;  ///< the initiator, the responder
    };
    /// The receive WQEs that all QPs of a host share; each has a slot, which it keeps when it is posted again.
    struct Shared {
        rc::ReceiveRing ring;
        Buffer buffer;
        std::uint32_t prepared = 0;  ///< receive WQEs that are there from the beginning
    };
    std::vector<Connection> connections;        ///< in the order of (item, initiator, responder, number)
    std::vector<Connection> persists;           ///< ... those of items with a scheme
    std::vector<std::vector<rc::CqRing>> cqs;   ///< by host, then by thread; none: not laid out here
    std::vector<std::optional<Shared>> shared;  ///< by host
    std::vector<rc::Range> programs;            ///< by host: all rings and buffers of its connections
    std::vector<rc::LineMemory> lines;          ///< by host: for what does not fit into its card
    std::vector<TakenOfHost> taken;             ///< by host; nothing: not laid out here
};

VerbsLayout lay_out(const RunConfig& config);

}  // namespace rnicsim
