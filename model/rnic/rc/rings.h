// SPDX-License-Identifier: Apache-2.0
// What a driver and its RNIC exchange through host memory: work requests, completions, producer indices. Little-endian,
// as PCIe carries them. The layout is ours (README.md, "Host interface").
#pragma once

#include "model/rnic/rc/verbs.h"
#include "tlm/time/time.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace rnicsim::rc {

inline constexpr std::uint32_t kWqeBlock =
    64;  ///< bytes; a send WQE has 1 to 16 of them, more than 4 only for inline data
inline constexpr std::uint32_t kMostWqeBytes = 16 * kWqeBlock;
inline constexpr std::uint32_t kReceiveWqeBytes = 64;       ///< of one with up to four SGEs
inline constexpr std::uint32_t kMostReceiveWqeBytes = 128;  ///< ... with up to eight
inline constexpr std::uint32_t kCqeBytes = 64;
inline constexpr std::size_t kInlineAt = 32;  ///< of the payload in an inline WQE
inline constexpr std::uint32_t kMostInline = kMostWqeBytes - kInlineAt;
/// Bytes from one send WQE to the next, where payloads of up to so many bytes are inline: a power of two of blocks.
constexpr std::uint32_t stride_with_inline(std::uint32_t bytes) {
    return std::bit_ceil(std::max(kWqeBlock, static_cast<std::uint32_t>(kInlineAt) + bytes));
}
inline constexpr std::uint32_t kMostSends = 1U << 15U;  ///< WQEs of a queue; a power of two
inline constexpr std::uint32_t kMostCqes = 1U << 19U;   ///< entries; the same
inline constexpr std::uint32_t kRecordBytes = 8;        ///< of a producer index in memory, padded

/// Bytes of the WQE, in whole blocks.
std::uint32_t wqe_bytes(const SendWqe& wqe);
/// Writes a WQE that has `number` in the queue of `qp`. `payload`: of an inline one. Precondition: `out` has
/// wqe_bytes(wqe), at most kMostWqeBytes.
void write_wqe(std::span<std::uint8_t> out, const SendWqe& wqe, Qpn qp, std::uint32_t number,
               std::span<const std::uint8_t> payload);
struct WrittenWqe {
    SendWqe wqe;
    Qpn qp;
    std::uint32_t number = 0;
    std::uint32_t bytes = 0;  ///< as it says itself
};
/// Takes any bytes: one that cannot be carried out becomes one that fails with LOC_QP_OP. Precondition: at least one
/// block.
WrittenWqe read_wqe(std::span<const std::uint8_t> bytes);

/// Precondition of both: kReceiveWqeBytes or kMostReceiveWqeBytes, and room for the SGEs.
void write_receive(std::span<std::uint8_t> out, const ReceiveSges& sges);
ReceiveSges read_receive(std::span<const std::uint8_t> bytes);

/// `phase`: true in the first use of the ring, and then in every second one, so that a new entry differs from what was
/// there. Precondition: kCqeBytes.
void write_cqe(std::span<std::uint8_t> out, const Completion& completion, bool phase, Time at);
Completion read_cqe(std::span<const std::uint8_t> bytes);
bool cqe_phase(std::span<const std::uint8_t> bytes);

/// Registers in BAR 0.
namespace page {
inline constexpr std::uint64_t kSend = 0x000;   ///< {QPN, producer}, 4 B each
inline constexpr std::uint64_t kArm = 0x010;    ///< {CQN and the bits below, consumer}, 4 B each
inline constexpr std::uint64_t kLimit = 0x018;  ///< {SRQ, limit}, 4 B each: armed; 0 disarms
inline constexpr std::uint64_t kAdmin =
    0x020;  ///< what the driver has queued for the card is done, one command a write
inline constexpr std::uint64_t kEthernetSend = 0x028;     ///< {producer of descriptors, 0}, 4 B each
inline constexpr std::uint64_t kEthernetReceive = 0x030;  ///< {producer of buffers, 0}, 4 B each
inline constexpr std::uint64_t kEthernetArm = 0x038;      ///< {arrivals that are seen, 0}, 4 B each
inline constexpr std::uint64_t kPush = 0x800;             ///< a WQE, block by block: read_wqe() says how many they are
inline constexpr std::uint64_t kBytes = 4096;
inline constexpr std::uint32_t kSolicitedOnly = 1U << 31U;
inline constexpr std::uint32_t kLimitVector = 1U << 31U;     ///< of an interrupt: the limit of this SRQ; else a CQ
inline constexpr std::uint32_t kEthernetVector = 1U << 30U;  ///< of an interrupt: frames have come
inline constexpr std::uint32_t kConsumerOnly = 1U << 30U;    ///< entries are free again; nothing is armed
}  // namespace page

}  // namespace rnicsim::rc
