// SPDX-License-Identifier: Apache-2.0
// The headers of a RoCEv2 packet behind UDP, field by field: one table, from which the codec, the Verilog package and
// the dissector are made (IBTA vol. 1, chapter 9, annexes 16, 17; FETH: release 1.5, annex 19).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

namespace rnicsim::roce {

/// Bits count from the first one on the wire, the most significant bit of the header's first byte.
struct Field {
    std::string_view name;
    std::size_t offset;
    std::size_t bits;
    std::string_view meaning;
};

/// A header. The BTH is in every packet; which ones follow it says the opcode.
enum class Part : std::uint8_t {
    bth,
    deth,
    reth,
    atomic_eth,
    aeth,
    atomic_ack_eth,
    imm_dt,
    ieth,
    feth,
    arrived,
    cnp_rest
};

inline constexpr std::array<Field, 14> kBthFields{{
    {"Opcode", 0, 8, "what the packet is, and which headers follow"},
    {"SE", 8, 1, "solicited event: the receive completion raises it"},
    {"MigReq", 9, 1, "path migration: sent 1 (CNP: 0), ignored when received"},
    {"PadCount", 10, 2, "bytes behind the payload that make it a multiple of 4"},
    {"TVer", 12, 4, "version of the transport header, 0"},
    {"PKey", 16, 16, "partition"},
    {"FECN", 32, 1, "congestion met on the way"},
    {"BECN", 33, 1, "congestion met on the way back: 1 in a CNP"},
    {"Reserved6", 34, 6, "0"},
    {"DestQP", 40, 24, "destination queue pair"},
    {"AckReq", 64, 1, "the requester wants an acknowledgement"},
    {"Apart", 65, 1, "ours, of selective WRITEs: nothing before it that may be missing touches its bytes; else 0"},
    {"Reserved6B", 66, 6, "0"},
    {"PSN", 72, 24, "packet sequence number"},
}};
inline constexpr std::array<Field, 3> kDethFields{{
    {"QKey", 0, 32, "queue key"},
    {"Reserved8", 32, 8, "0"},
    {"SrcQP", 40, 24, "source queue pair"},
}};
inline constexpr std::array<Field, 3> kRethFields{{
    {"VA", 0, 64, "virtual address at the responder"},
    {"RKey", 64, 32, "key of the memory region"},
    {"DMALen", 96, 32, "bytes of the message from here on: of the whole one, as the RETH is in its first packet"},
}};
inline constexpr std::array<Field, 4> kAtomicEthFields{{
    {"VA", 0, 64, "virtual address at the responder"},
    {"RKey", 64, 32, "key of the memory region"},
    {"SwapAdd", 96, 64, "compare and swap: the new value; fetch and add: what is added"},
    {"Compare", 160, 64, "compare and swap: the value that must be there"},
}};
inline constexpr std::array<Field, 2> kAethFields{{
    {"Syndrome", 0, 8, "kind of answer (upper 3 bits), and credits, RNR time or NAK code (lower 5)"},
    {"MSN", 8, 24, "message sequence number: messages completed by the responder"},
}};
inline constexpr std::array<Field, 1> kAtomicAckEthFields{{
    {"Original", 0, 64, "the value that the atomic operation has found"},
}};
inline constexpr std::array<Field, 1> kImmDtFields{{
    {"ImmDt", 0, 32, "immediate data for the receive completion"},
}};
inline constexpr std::array<Field, 1> kIethFields{{
    {"RKey", 0, 32, "key that the responder invalidates"},
}};
/// Of a FLUSH, in front of its RETH.
inline constexpr std::array<Field, 4> kFethFields{{
    {"Reserved24", 0, 24, "0"},
    {"Reserved2", 24, 2, "0"},
    {"Selectivity", 26, 2, "0: the range of the RETH, 1: the whole memory region"},
    {"Placement", 28, 4, "bit 0: make visible to all, bit 1: make persistent"},
}};
/// Ours, no standard's: of a selective NAK, whose PSN is the expected one (after IRN, SIGCOMM 2018).
inline constexpr std::array<Field, 2> kArrivedFields{{
    {"Reserved8", 0, 8, "0"},
    {"ArrivedPSN", 8, 24, "the PSN that came in place of the expected one"},
}};
inline constexpr std::array<Field, 2> kCnpRestFields{{
    {"ReservedA", 0, 64, "0"},
    {"ReservedB", 64, 64, "0"},
}};

struct PartFields {
    std::string_view name;
    std::span<const Field> fields;
    [[nodiscard]] constexpr std::size_t bytes() const { return (fields.back().offset + fields.back().bits) / 8; }
};

/// By Part.
inline constexpr std::array<PartFields, 11> kParts{{
    {"BTH", kBthFields},
    {"DETH", kDethFields},
    {"RETH", kRethFields},
    {"AtomicETH", kAtomicEthFields},
    {"AETH", kAethFields},
    {"AtomicAckETH", kAtomicAckEthFields},
    {"ImmDt", kImmDtFields},
    {"IETH", kIethFields},
    {"FETH", kFethFields},
    {"Arrived", kArrivedFields},
    {"CNPRest", kCnpRestFields},
}};

constexpr const PartFields& fields_of(Part part) { return kParts.at(static_cast<std::size_t>(part)); }

inline constexpr std::size_t kBthBytes = fields_of(Part::bth).bytes();
inline constexpr std::size_t kIcrcBytes = 4;

/// Where a field lies in its header.
struct Place {
    std::size_t offset, bits;
};

/// Of the field with this name. In a constant expression a wrong name does not compile.
constexpr Place place(Part part, std::string_view name) {
    for (const Field& field : fields_of(part).fields) {
        if (field.name == name) return {field.offset, field.bits};
    }
    throw std::invalid_argument("no such field");
}

/// No holes; each field is whole bytes, or lies within one; each header is a multiple of four bytes.
constexpr bool fields_are_contiguous() {
    for (const PartFields& part : kParts) {
        std::size_t next = 0;
        for (const Field& field : part.fields) {
            const bool whole_bytes = field.offset % 8 == 0 && field.bits % 8 == 0 && field.bits <= 64;
            const bool in_a_byte = field.offset / 8 == (field.offset + field.bits - 1) / 8;
            if (field.offset != next || !(whole_bytes || in_a_byte)) return false;
            next += field.bits;
        }
        if (next % 32 != 0) return false;
    }
    return true;
}
static_assert(fields_are_contiguous());

}  // namespace rnicsim::roce
