// SPDX-License-Identifier: Apache-2.0
// The interface between a host and its RNIC: command ring, event ring and receive ring in host memory, and the doorbell
// registers of the BAR. Entries are little-endian, as PCIe carries them.
#pragma once

#include "tlm/drp/ids.h"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace rnicsim {

static_assert(std::endian::native == std::endian::little, "ring entries are copied as they lie in memory");

/// Doorbell registers, byte offsets in BAR 0. All take 32-bit writes of free-running counts.
enum class Doorbell : std::uint32_t {
    command_producer = 0x00,  ///< descriptors written to the command ring
    event_consumer = 0x08,    ///< entries taken from the event ring
    receive_consumer = 0x10,  ///< buffers given back to the receive ring
};

enum class CommandCode : std::uint8_t {
    none,
    rdma_write,      ///< tid, length, sba, dba
    rdma_read,       ///< tid, length, sba, dba
    registered,      ///< verdict on a peer's request: its region is registered; tid, generation
    not_registered,  ///< verdict: registration failed; tid, generation
    send_frame,      ///< ordinary frame: sba = address, length = DA to end of client data
};

/// Does the command start a transfer of this end? The verdicts are about the peer's.
constexpr bool asks_for_transfer(CommandCode code) {
    return code == CommandCode::rdma_write || code == CommandCode::rdma_read;
}

/// One descriptor of the command ring.
struct Command {
    CommandCode code = CommandCode::none;
    std::uint8_t reserved0 = 0;
    Tid tid{};
    std::uint32_t length = 0;
    std::uint64_t sba = 0;
    std::uint64_t dba = 0;
    Generation generation{};  ///< verdict: as in the event that asked for it
    Peer peer{};              ///< the other end
    std::uint16_t reserved1[2]{};
    std::uint64_t reserved2[4]{};
};
static_assert(sizeof(Command) == 64 && std::is_trivially_copyable_v<Command>);

enum class EventCode : std::uint8_t {
    none,
    request_acknowledged,  ///< initiator: the real REQ_ACK, or the simulated one (status = 1); once per transfer
    completed,             ///< initiator: released, all data placed
    failed,                ///< initiator: status says why; the last event for this TID
    register_region,       ///< responder: a peer asks for the region; answer with a verdict
    released,              ///< responder: the entry is gone, the region may be deregistered
    frame_received,        ///< ordinary frame in the next buffer of the receive ring
};

/// Why a transfer failed, in `Event::status`.
enum class TransferError : std::uint8_t {
    none,
    table_full,       ///< the connection table of this RNIC had no free entry
    request_timeout,  ///< max_requests sent, no valid REQ_ACK
    data_timeout,     ///< max_retransmissions without progress of the data
    release_timeout,  ///< max_retransmissions of REL without REL_ACK
};

constexpr const char* error_name(TransferError error) {
    switch (error) {
        case TransferError::none: return "";
        case TransferError::table_full: return "connection table full";
        case TransferError::request_timeout: return "request timeout";
        case TransferError::data_timeout: return "data timeout";
        case TransferError::release_timeout: return "release timeout";
    }
    return "?";
}

/// One entry of the event ring.
struct Event {
    EventCode code = EventCode::none;
    std::uint8_t status = 0;
    Tid tid{};
    std::uint32_t length = 0;
    std::uint64_t dba = 0;
    std::uint8_t read = 0;       ///< register_region, released: the transfer is a read
    std::uint8_t indirect = 0;   ///< completed: data went in MODE = 1
    Generation generation{};     ///< register_region, released: which use of the TID
    std::uint16_t sequence = 0;  ///< count of events so far, from 1, wrapping: by it the host knows a new entry
    Peer peer{};                 ///< the other end
};
static_assert(sizeof(Event) <= 32 && std::is_trivially_copyable_v<Event>);

/// Progress of the RNIC, which it writes to the host's status block at each change, without an interrupt. Free-running
/// counts, as in the doorbells.
struct Status {
    std::uint32_t commands_fetched = 0;  ///< their entries in the command ring are free
    std::uint32_t frames_fetched = 0;    ///< ordinary frames whose transmit buffers are free
};
static_assert(sizeof(Status) == 8 && std::is_trivially_copyable_v<Status>);

inline constexpr std::uint32_t kEventBytes = 32;
inline constexpr std::uint32_t kCommandRing = 256;   ///< entries
inline constexpr std::uint32_t kEventRing = 1024;    ///< entries
inline constexpr std::uint32_t kTransmitRing = 256;  ///< buffers of 2 KiB for ordinary frames
inline constexpr std::uint32_t kReceiveBufferBytes = 2048;

/// Where the rings lie in host memory: the same on every host, set once at start-up.
struct RingLayout {
    std::uint64_t command = 0x0001'0000;
    std::uint64_t event = 0x0002'0000;
    std::uint64_t status = 0x0003'0000;
    std::uint64_t receive = 0x0010'0000;
    std::uint64_t transmit = 0x0030'0000;  ///< host software's buffers for ordinary frames
    std::uint64_t regions = 0x0040'0000;   ///< memory for RDMA regions starts here
};
inline constexpr RingLayout kRings{};

}  // namespace rnicsim
