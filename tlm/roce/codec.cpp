// SPDX-License-Identifier: Apache-2.0
#include "tlm/roce/codec.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <cassert>

namespace rnicsim::roce {
namespace {

constexpr Place kBthOpcode = place(Part::bth, "Opcode"), kBthSolicited = place(Part::bth, "SE"),
                kBthMigration = place(Part::bth, "MigReq"), kBthPad = place(Part::bth, "PadCount"),
                kBthVersion = place(Part::bth, "TVer"), kBthPartition = place(Part::bth, "PKey"),
                kBthFecn = place(Part::bth, "FECN"), kBthBecn = place(Part::bth, "BECN"),
                kBthTo = place(Part::bth, "DestQP"), kBthAckRequest = place(Part::bth, "AckReq"),
                kBthApart = place(Part::bth, "Apart"), kBthPsn = place(Part::bth, "PSN");
constexpr Place kDethKey = place(Part::deth, "QKey"), kDethFrom = place(Part::deth, "SrcQP");
constexpr Place kRethAddress = place(Part::reth, "VA"), kRethKey = place(Part::reth, "RKey"),
                kRethLength = place(Part::reth, "DMALen");
constexpr Place kAtomicAddress = place(Part::atomic_eth, "VA"), kAtomicKey = place(Part::atomic_eth, "RKey"),
                kSwapOrAdd = place(Part::atomic_eth, "SwapAdd"), kCompare = place(Part::atomic_eth, "Compare");
constexpr Place kAethSyndrome = place(Part::aeth, "Syndrome"), kAethMsn = place(Part::aeth, "MSN");
constexpr Place kOriginal = place(Part::atomic_ack_eth, "Original");
constexpr Place kImmediate = place(Part::imm_dt, "ImmDt");
constexpr Place kIethKey = place(Part::ieth, "RKey");
constexpr Place kSelectivity = place(Part::feth, "Selectivity"), kPlacement = place(Part::feth, "Placement");
constexpr Place kArrived = place(Part::arrived, "ArrivedPSN");

constexpr bool whole_bytes(Place of) { return of.offset % 8 == 0 && of.bits % 8 == 0; }

/// Precondition: the header's bits that are not whole bytes are 0.
template <Place kPlace>
void put(std::span<std::uint8_t> part, std::uint64_t value) {
    std::uint8_t& first = part[kPlace.offset / 8];
    if constexpr (whole_bytes(kPlace)) {
        boost::endian::endian_store<std::uint64_t, kPlace.bits / 8, boost::endian::order::big>(&first, value);
    } else {
        constexpr std::size_t kShift = 8 - kPlace.offset % 8 - kPlace.bits;
        constexpr std::uint64_t kMask = (1U << kPlace.bits) - 1;
        first = static_cast<std::uint8_t>(first | (value & kMask) << kShift);
    }
}

/// As the member that it is for.
template <Place kPlace, typename T = std::uint64_t>
T get(std::span<const std::uint8_t> part) {
    const std::uint8_t& first = part[kPlace.offset / 8];
    if constexpr (whole_bytes(kPlace)) {
        return static_cast<T>(
            boost::endian::endian_load<std::uint64_t, kPlace.bits / 8, boost::endian::order::big>(&first));
    } else {
        constexpr std::size_t kShift = 8 - kPlace.offset % 8 - kPlace.bits;
        return static_cast<T>(first >> kShift & ((1U << kPlace.bits) - 1));
    }
}

void put_bth(const Header& header, std::span<std::uint8_t> out) {
    put<kBthOpcode>(out, static_cast<std::uint8_t>(header.opcode));
    put<kBthSolicited>(out, header.solicited ? 1 : 0);
    put<kBthMigration>(out, header.opcode == Opcode::cnp ? 0 : 1);
    put<kBthPad>(out, pad_bytes(header.payload));
    put<kBthVersion>(out, 0);
    put<kBthPartition>(out, header.partition);
    put<kBthFecn>(out, header.fecn ? 1 : 0);
    put<kBthBecn>(out, header.becn ? 1 : 0);
    put<kBthTo>(out, header.to.n);
    put<kBthAckRequest>(out, header.ack_request ? 1 : 0);
    put<kBthApart>(out, header.apart ? 1 : 0);
    put<kBthPsn>(out, header.psn.n);
}

void get_bth(std::span<const std::uint8_t> in, Header& header) {
    header.opcode = get<kBthOpcode, Opcode>(in);
    header.solicited = get<kBthSolicited, bool>(in);
    header.partition = get<kBthPartition, std::uint16_t>(in);
    header.fecn = get<kBthFecn, bool>(in);
    header.becn = get<kBthBecn, bool>(in);
    header.to.n = get<kBthTo, std::uint32_t>(in);
    header.ack_request = get<kBthAckRequest, bool>(in);
    header.apart = get<kBthApart, bool>(in);
    header.psn.n = get<kBthPsn, std::uint32_t>(in);
}

void put_part(Part part, const Header& header, std::span<std::uint8_t> out) {
    switch (part) {
        case Part::deth:
            put<kDethKey>(out, header.queue_key);
            put<kDethFrom>(out, header.from.n);
            break;
        case Part::reth:
            put<kRethAddress>(out, header.address);
            put<kRethKey>(out, header.key);
            put<kRethLength>(out, header.length);
            break;
        case Part::atomic_eth:
            put<kAtomicAddress>(out, header.address);
            put<kAtomicKey>(out, header.key);
            put<kSwapOrAdd>(out, header.swap_or_add);
            put<kCompare>(out, header.compare);
            break;
        case Part::aeth:
            put<kAethSyndrome>(out, static_cast<unsigned>(header.aeth.kind) << 5U | (header.aeth.value & 0x1FU));
            put<kAethMsn>(out, header.aeth.msn.n);
            break;
        case Part::atomic_ack_eth: put<kOriginal>(out, header.original); break;
        case Part::imm_dt: put<kImmediate>(out, header.immediate); break;
        case Part::ieth: put<kIethKey>(out, header.key); break;
        case Part::feth:
            put<kSelectivity>(out, static_cast<std::uint8_t>(header.feth.selectivity));
            put<kPlacement>(out, static_cast<std::uint8_t>(header.feth.placement));
            break;
        case Part::arrived: put<kArrived>(out, header.arrived.n); break;
        case Part::bth:
        case Part::cnp_rest: break;
    }
}

Error get_part(Part part, std::span<const std::uint8_t> in, Header& header) {
    switch (part) {
        case Part::deth:
            header.queue_key = get<kDethKey, std::uint32_t>(in);
            header.from.n = get<kDethFrom, std::uint32_t>(in);
            break;
        case Part::reth:
            header.address = get<kRethAddress>(in);
            header.key = get<kRethKey, std::uint32_t>(in);
            header.length = get<kRethLength, std::uint32_t>(in);
            break;
        case Part::atomic_eth:
            header.address = get<kAtomicAddress>(in);
            header.key = get<kAtomicKey, std::uint32_t>(in);
            header.swap_or_add = get<kSwapOrAdd>(in);
            header.compare = get<kCompare>(in);
            break;
        case Part::aeth: {
            const auto syndrome = get<kAethSyndrome, std::uint8_t>(in);
            header.aeth = {static_cast<AckKind>(syndrome >> 5U),
                           static_cast<std::uint8_t>(syndrome & 0x1FU),
                           {get<kAethMsn, std::uint32_t>(in)}};
            using enum AckKind;
            const AckKind kind = header.aeth.kind;
            if (kind != ack && kind != rnr_nak && kind != nak) return Error::syndrome;
            break;
        }
        case Part::atomic_ack_eth: header.original = get<kOriginal>(in); break;
        case Part::imm_dt: header.immediate = get<kImmediate, std::uint32_t>(in); break;
        case Part::ieth: header.key = get<kIethKey, std::uint32_t>(in); break;
        case Part::feth:
            header.feth = {get<kPlacement, FlushPlacement>(in), get<kSelectivity, FlushSelectivity>(in)};
            break;
        case Part::arrived: header.arrived.n = get<kArrived, std::uint32_t>(in); break;
        case Part::bth:
        case Part::cnp_rest: break;
    }
    return Error::none;
}

}  // namespace

std::size_t encode(const Header& header, std::span<std::uint8_t> out) {
    const OpcodeMeaning* const known = meaning(header.opcode);
    assert(known != nullptr && out.size() >= header_bytes(header.opcode));
    const std::size_t bytes = header_bytes(header.opcode);
    std::ranges::fill(out.first(bytes), std::uint8_t{0});
    put_bth(header, out);
    std::size_t at = kBthBytes;
    for (const Part part : known->parts) {
        put_part(part, header, out.subspan(at));
        at += fields_of(part).bytes();
    }
    return bytes;
}

Error decode(std::span<const std::uint8_t> packet, Header& header) {
    header = Header{};
    if (packet.size() < kBthBytes) return Error::truncated;
    if (get<kBthVersion>(packet) != 0) return Error::version;
    get_bth(packet, header);
    const OpcodeMeaning* const known = meaning(header.opcode);
    if (known == nullptr) return Error::unknown_opcode;
    std::size_t at = kBthBytes;
    Error error = Error::none;
    for (const Part part : known->parts) {
        const std::size_t bytes = fields_of(part).bytes();
        if (packet.size() - at < bytes) return Error::truncated;
        if (const Error found = get_part(part, packet.subspan(at), header); found != Error::none) error = found;
        at += bytes;
    }
    const std::size_t behind = packet.size() - at;
    const auto pad = get<kBthPad, std::size_t>(packet);
    if (behind % 4 != 0 || (behind != 0 && !known->payload)) return Error::length;
    if (pad > behind) return Error::pad;
    header.payload = static_cast<std::uint32_t>(behind - pad);
    return error;
}

}  // namespace rnicsim::roce
