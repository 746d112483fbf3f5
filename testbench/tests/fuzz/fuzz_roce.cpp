// SPDX-License-Identifier: Apache-2.0
// Any bytes as a frame: parse() gives the verdict that follows from the tables of fields and opcodes, and encode()
// inverts it. Once as they are, and once with right checksums: nobody guesses those.
#include "testbench/tests/fuzz/fuzz.h"
#include "testbench/tests/wire/samples.h"
#include "tlm/roce/describe.h"

#include <algorithm>
#include <array>

namespace rnicsim::fuzz {
namespace {

using namespace roce;

constexpr std::size_t kRoceRoom = 1536;  // bytes a frame has room for

/// A field as its table describes it, bit by bit. `header`: from the first byte of the part on.
std::uint64_t bits_of(Bytes header, const Field& field) {
    std::uint64_t value = 0;
    for (std::size_t bit = field.offset; bit < field.offset + field.bits; ++bit) {
        value = value << 1U | (header[bit / 8] >> (7 - bit % 8) & 1U);
    }
    return value;
}

std::uint64_t named(Bytes header, Part part, std::string_view name) {
    return bits_of(header, *std::ranges::find(fields_of(part).fields, name, &Field::name));
}

/// What the transport's part says. `packet`: BTH to pad.
Error expected_of_transport(Bytes packet) {
    if (named(packet, Part::bth, "TVer") != 0) return Error::version;
    const auto opcode = static_cast<Opcode>(named(packet, Part::bth, "Opcode"));
    const auto* const one = std::ranges::find(kOpcodes, opcode, &OpcodeMeaning::opcode);
    if (one == kOpcodes.end()) return Error::unknown_opcode;
    bool good_answer = true;
    Bytes rest = packet.subspan(kBthBytes);
    for (const Part part : one->parts) {
        if (rest.size() < fields_of(part).bytes()) return Error::truncated;
        if (part == Part::aeth) {
            const std::uint64_t kind = named(rest, part, "Syndrome") / 32;
            good_answer = kind < 2 || kind == 3;
        }
        rest = rest.subspan(fields_of(part).bytes());
    }
    if (rest.size() % 4 != 0 || (!one->payload && !rest.empty())) return Error::length;
    if (named(packet, Part::bth, "PadCount") > rest.size()) return Error::pad;
    return good_answer ? Error::none : Error::syndrome;
}

Error expected(Bytes frame) {
    if (frame.size() < 18) return Error::truncated;
    if (frame[12] != 0x08 || frame[13] != 0x00) return Error::not_ipv4;
    if (frame.size() < 18 + 28) return Error::truncated;
    const Bytes ip = frame.subspan(14, frame.size() - 18);
    if (ip[0] != 0x45) return Error::not_ipv4;
    if (internet_checksum(ip.first(20)) != 0) return Error::ip_checksum;
    if ((ip[6] & 0x3FU) != 0 || ip[7] != 0) return Error::fragment;
    if (ip[9] != 17) return Error::not_roce;
    const std::size_t total = get_u16(ip, 2);
    if (total < 28 || total > ip.size()) return Error::truncated;
    if (get_u16(ip, 22) != 4791) return Error::not_roce;
    if (get_u16(ip, 24) + 20U != total) return Error::length;
    if (total < 44) return Error::truncated;
    if (!icrc_good(ip.first(total))) return Error::icrc;
    return expected_of_transport(ip.first(total - 4).subspan(28));
}

/// Headers with zeros where encode() need not write what was read.
std::array<std::uint8_t, kMaxHeaderBytes> comparable(Bytes headers, const OpcodeMeaning& one) {
    std::array<std::uint8_t, kMaxHeaderBytes> bytes{};
    std::ranges::copy(headers.first(header_bytes(one.opcode)), bytes.begin());
    std::size_t at = 0;
    const auto clear = [&](Part part) {
        for (const Field& field : fields_of(part).fields) {
            if (!field.name.starts_with("Reserved") && field.name != "MigReq") continue;
            for (std::size_t bit = field.offset; bit < field.offset + field.bits; ++bit) {
                bytes.at(at + bit / 8) &= static_cast<std::uint8_t>(~(0x80U >> bit % 8));
            }
        }
        at += fields_of(part).bytes();
    };
    clear(Part::bth);
    for (const Part part : one.parts) clear(part);
    return bytes;
}

void check_packet(const Frame& frame) {
    const Packet packet = parse(frame);
    require_equal(std::string(error_name(packet.error)), std::string(error_name(expected(frame.bytes()))),
                  "the verdict is that of the description");
    require_one_line(describe(packet));
    if (packet.error != Error::none) return;

    const Bytes bth = frame.bytes().subspan(kBthAt);
    require(header_of(frame) != nullptr && *header_of(frame) == packet.header, "header_of() finds the same");
    require(packet.header.psn.n == named(bth, Part::bth, "PSN"), "PSN");
    require(packet.header.to.n == named(bth, Part::bth, "DestQP"), "DestQP");
    const OpcodeMeaning& one = *meaning(packet.header.opcode);
    std::array<std::uint8_t, kMaxHeaderBytes> again{};
    require(encode(packet.header, again) + kBthAt == packet.payload_at, "the payload is behind the headers");
    require(comparable(again, one) == comparable(bth, one), "encode() writes the bytes that were read");
    require(payload(frame, packet).size() == packet.header.payload, "the payload is in the frame");
    const std::size_t end = packet.payload_at + packet.header.payload + pad_bytes(packet.header.payload) + kIcrcBytes;
    require(end == kIpv4At + get_u16(frame.bytes(), kIpv4At + 2), "payload, pad and ICRC end where IPv4 says");
}

void check_frame(Bytes input) {
    FramePool pool(kRoceRoom);
    const FrameRef frame = pool.take();
    frame->truncate(input.size());
    std::ranges::copy(input, frame->writable_bytes().begin());
    check_packet(*frame);
    if (input.size() < kIpv4At + kIpv4HeaderBytes) return;
    right_ip_checksum(frame->writable_bytes());
    right_icrc(frame->writable_bytes());
    check_packet(*frame);
}

}  // namespace
}  // namespace rnicsim::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rnicsim::fuzz::check_frame({data, std::min(size, rnicsim::fuzz::kRoceRoom)});
    return 0;
}
