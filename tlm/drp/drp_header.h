// SPDX-License-Identifier: Apache-2.0
// The DRP header: one table of its fields, and the codec made from it (PROTOCOL.md 2.2).
#pragma once

#include "tlm/drp/ids.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rnicsim {

inline constexpr std::uint16_t kDrpEtherType = 0x01FF;  // paper, section 2.1

/// One field of the header, in network byte order. Generators (RTL package, dissector) read the same table.
struct DrpField {
    std::string_view name;
    std::size_t offset;  ///< bytes after the EtherType
    std::size_t size;    ///< bytes
    std::string_view meaning;
};

inline constexpr std::array<DrpField, 8> kDrpFields{{
    {"CTRL", 0, 1, "flags"},
    {"EXT", 1, 1, "extension opcode, 0 in this version"},
    {"TID", 2, 2, "id of the transfer"},
    {"LEN", 4, 4, "REQ, REQ_ACK: bytes of the transfer; DATA: payload bytes of this frame; 0 = acknowledgement"},
    {"SN", 8, 4, "DATA: index of the frame in the transfer; REQ: segment size in bytes"},
    {"ACKN", 12, 4, "next SN expected (cumulative)"},
    {"SBA", 16, 8, "base address of the region at the initiator"},
    {"DBA", 24, 8, "base address of the region at the responder"},
}};

inline constexpr std::size_t kDrpHeaderBytes = kDrpFields.back().offset + kDrpFields.back().size;

/// Bits of CTRL. Exactly one of the five type bits is set in a well-formed frame.
struct DrpFlag {
    std::string_view name;
    std::uint8_t mask;
};
inline constexpr std::uint8_t kCtrlReq = 0x80, kCtrlReqAck = 0x40, kCtrlData = 0x20, kCtrlRel = 0x10,
                              kCtrlRelAck = 0x08, kCtrlRead = 0x04, kCtrlIndirect = 0x02, kCtrlValid = 0x01;
inline constexpr std::array<DrpFlag, 8> kDrpFlags{{{"REQ", kCtrlReq},
                                                   {"REQ_ACK", kCtrlReqAck},
                                                   {"DATA", kCtrlData},
                                                   {"REL", kCtrlRel},
                                                   {"REL_ACK", kCtrlRelAck},
                                                   {"RW", kCtrlRead},
                                                   {"MODE", kCtrlIndirect},
                                                   {"VALID", kCtrlValid}}};
inline constexpr std::uint8_t kCtrlTypeMask = kCtrlReq | kCtrlReqAck | kCtrlData | kCtrlRel | kCtrlRelAck;

/// The type of a well-formed frame; the value is its CTRL bit.
enum class DrpType : std::uint8_t {
    req = kCtrlReq,
    req_ack = kCtrlReqAck,
    data = kCtrlData,
    rel = kCtrlRel,
    rel_ack = kCtrlRelAck
};

struct DrpHeader {
    DrpType type = DrpType::req;
    Operation operation = Operation::write;
    bool indirect = false;  ///< MODE
    bool valid = false;     ///< VALID: verdict of a REQ_ACK
    std::uint8_t ext = 0;
    Tid tid{};
    std::uint32_t len = 0;
    std::uint32_t sn = 0;
    std::uint32_t ackn = 0;
    std::uint64_t sba = 0;
    std::uint64_t dba = 0;
    Peer peer{};  ///< no field of the header: whom the frame is from or for, by its addresses

    friend bool operator==(const DrpHeader&, const DrpHeader&) = default;
    [[nodiscard]] bool is_ack() const { return type == DrpType::data && len == 0; }
    /// REQ and REL come from the initiator; so do a write's data and a read's acknowledgements.
    [[nodiscard]] bool from_initiator() const {
        if (type == DrpType::data) return is_ack() == (operation == Operation::read);
        return type == DrpType::req || type == DrpType::rel;
    }
};

/// Why a frame of type 0x01FF is not a DRP frame. Each reason has its own counter.
enum class DrpError : std::uint8_t { none, truncated, type_bits, extension, length };
inline constexpr std::array<std::string_view, 5> kDrpErrorNames{"none", "truncated", "type_bits", "extension",
                                                                "length"};

/// Writes the 32 header bytes at the front of `out`.
void encode(const DrpHeader& header, std::span<std::uint8_t, kDrpHeaderBytes> out);

/// Reads a header from MAC client data (header, payload, padding). On an error `header` is unspecified.
DrpError decode(std::span<const std::uint8_t> client_data, DrpHeader& header);

/// "REQ", "REQ_ACK", ...: for messages.
std::string_view type_name(DrpType type);

}  // namespace rnicsim
