// SPDX-License-Identifier: Apache-2.0
#include "tlm/drp/drp_header.h"

#include <boost/endian/conversion.hpp>

namespace rnicsim {
namespace {

enum FieldIndex : std::size_t { kCtrl, kExt, kTid, kLen, kSn, kAckn, kSba, kDba };

constexpr bool fields_are_contiguous() {
    std::size_t offset = 0;
    for (const DrpField& field : kDrpFields) {
        if (field.offset != offset) return false;
        offset += field.size;
    }
    return offset == 32;
}
static_assert(fields_are_contiguous(), "PROTOCOL.md 2.2: 32 bytes without holes");

template <FieldIndex kField>
void put(std::span<std::uint8_t, kDrpHeaderBytes> out, std::uint64_t value) {
    constexpr DrpField kSpec = kDrpFields[kField];
    boost::endian::endian_store<std::uint64_t, kSpec.size, boost::endian::order::big>(&out[kSpec.offset], value);
}

template <FieldIndex kField>
std::uint64_t get(std::span<const std::uint8_t> in) {
    constexpr DrpField kSpec = kDrpFields[kField];
    return boost::endian::endian_load<std::uint64_t, kSpec.size, boost::endian::order::big>(&in[kSpec.offset]);
}

}  // namespace

void encode(const DrpHeader& header, std::span<std::uint8_t, kDrpHeaderBytes> out) {
    const unsigned ctrl = static_cast<unsigned>(header.type) | (header.operation == Operation::read ? kCtrlRead : 0U) |
                          (header.indirect ? kCtrlIndirect : 0U) | (header.valid ? kCtrlValid : 0U);
    put<kCtrl>(out, ctrl);
    put<kExt>(out, header.ext);
    put<kTid>(out, raw(header.tid));
    put<kLen>(out, header.len);
    put<kSn>(out, header.sn);
    put<kAckn>(out, header.ackn);
    put<kSba>(out, header.sba);
    put<kDba>(out, header.dba);
}

DrpError decode(std::span<const std::uint8_t> client_data, DrpHeader& header) {
    if (client_data.size() < kDrpHeaderBytes) return DrpError::truncated;
    const auto ctrl = static_cast<std::uint8_t>(get<kCtrl>(client_data));
    const auto type = static_cast<std::uint8_t>(ctrl & kCtrlTypeMask);
    if (type == 0 || (type & (type - 1)) != 0) return DrpError::type_bits;  // not exactly one
    header.type = static_cast<DrpType>(type);
    header.operation = (ctrl & kCtrlRead) != 0 ? Operation::read : Operation::write;
    header.indirect = (ctrl & kCtrlIndirect) != 0;
    header.valid = (ctrl & kCtrlValid) != 0;
    header.ext = static_cast<std::uint8_t>(get<kExt>(client_data));
    if (header.ext != 0) return DrpError::extension;
    header.tid = Tid{static_cast<std::uint16_t>(get<kTid>(client_data))};
    header.len = static_cast<std::uint32_t>(get<kLen>(client_data));
    header.sn = static_cast<std::uint32_t>(get<kSn>(client_data));
    header.ackn = static_cast<std::uint32_t>(get<kAckn>(client_data));
    header.sba = get<kSba>(client_data);
    header.dba = get<kDba>(client_data);
    // LEN must fit the frame (DATA); a request must ask for at least a byte, in segments of at least a byte.
    if (header.type == DrpType::data && header.len > client_data.size() - kDrpHeaderBytes) return DrpError::length;
    if (header.type == DrpType::req && (header.len == 0 || header.sn == 0)) return DrpError::length;
    return DrpError::none;
}

std::string_view type_name(DrpType type) {
    for (const DrpFlag& flag : kDrpFlags) {
        if (flag.mask == static_cast<std::uint8_t>(type)) return flag.name;
    }
    return "?";
}

}  // namespace rnicsim
