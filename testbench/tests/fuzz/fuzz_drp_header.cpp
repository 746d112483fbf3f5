// SPDX-License-Identifier: Apache-2.0
// Any client data: decode() gives the verdict that follows from the table of fields, and encode() inverts it.
#include "testbench/tests/fuzz/fuzz.h"
#include "tlm/drp/drp_header.h"

#include <algorithm>
#include <array>
#include <bit>

namespace rnicsim::fuzz {
namespace {

/// A field by its name, read as the table describes it.
std::uint64_t field(Bytes client_data, std::string_view name) {
    const auto* const spec = std::ranges::find(kDrpFields, name, &DrpField::name);
    std::uint64_t value = 0;
    for (const std::uint8_t byte : client_data.subspan(spec->offset, spec->size)) value = value << 8 | byte;
    return value;
}

DrpError expected_verdict(Bytes client_data) {
    if (client_data.size() < kDrpHeaderBytes) return DrpError::truncated;
    const std::uint64_t type = field(client_data, "CTRL") & kCtrlTypeMask;
    if (std::popcount(type) != 1) return DrpError::type_bits;
    if (field(client_data, "EXT") != 0) return DrpError::extension;
    const std::uint64_t len = field(client_data, "LEN");
    const bool fits = type != kCtrlData || kDrpHeaderBytes + len <= client_data.size();
    const bool asks = type != kCtrlReq || (len > 0 && field(client_data, "SN") > 0);
    return fits && asks ? DrpError::none : DrpError::length;
}

void check(Bytes client_data) {
    DrpHeader header;
    const DrpError verdict = decode(client_data, header);
    require(verdict == expected_verdict(client_data), "the verdict is that of the description");
    if (verdict != DrpError::none) return;

    require(raw(header.tid) == field(client_data, "TID"), "TID");
    require(header.len == field(client_data, "LEN"), "LEN");
    require(header.sn == field(client_data, "SN"), "SN");
    require(header.ackn == field(client_data, "ACKN"), "ACKN");
    require(header.sba == field(client_data, "SBA"), "SBA");
    require(header.dba == field(client_data, "DBA"), "DBA");
    require(std::ranges::count(kDrpFlags, type_name(header.type), &DrpFlag::name) == 1, "the type has a name");
    std::array<std::uint8_t, kDrpHeaderBytes> again{};
    encode(header, again);
    require(std::ranges::equal(again, client_data.first(kDrpHeaderBytes)), "encode() writes the bytes that were read");
}

}  // namespace
}  // namespace rnicsim::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rnicsim::fuzz::check({data, size});
    return 0;
}
