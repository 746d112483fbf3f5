// SPDX-License-Identifier: Apache-2.0
// Headers and their bytes: every opcode, every field, and what is not there.
#include "testbench/tests/wire/samples.h"
#include "tlm/roce/describe.h"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <string>

namespace rnicsim::roce {
namespace {

/// The bytes in hexadecimal digits.
std::string digits(std::span<const std::uint8_t> bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : bytes) {
        text += kDigits[byte >> 4U];
        text += kDigits[byte & 15U];
    }
    return text;
}

std::string encoded(const Header& header) {
    std::array<std::uint8_t, kMaxHeaderBytes> bytes{};
    return digits(std::span(bytes).first(encode(header, bytes)));
}

TEST_CASE("headers in network byte order, as the standard lays them out", "[wire]") {
    // opcode, flags with pad and version, P_Key, congestion, QP; AckReq, PSN
    const std::string qp_psn =
        "00812345"
        "00fffffe";
    CHECK(encoded(sample(Opcode::send_only, 4)) == "04408001" + qp_psn);
    CHECK(encoded(sample(Opcode::send_first, 5)) == "00708001" + qp_psn);
    CHECK(encoded(sample(Opcode::write_only_imm, 2)) ==
          "0b608001" + qp_psn + "a1a2a3a4a5a6a7a8b1b2b3b4c1c2c3c4f1f2f3f4");
    CHECK(encoded(sample(Opcode::read_request)) == "0c408001" + qp_psn + "a1a2a3a4a5a6a7a8b1b2b3b4c1c2c3c4");
    CHECK(encoded(sample(Opcode::fetch_add)) ==
          "14408001" + qp_psn + "a1a2a3a4a5a6a7a8b1b2b3b481828384858687889192939495969798");
    CHECK(encoded(sample(Opcode::atomic_ack)) == "12408001" + qp_psn + "05d1d2d3" + "e1e2e3e4e5e6e7e8");
    CHECK(encoded(sample(Opcode::send_only_inv)) == "17408001" + qp_psn + "b5b6b7b8");
    CHECK(encoded(sample(Opcode::flush)) == "1c408001" + qp_psn + "00000012" + "a1a2a3a4a5a6a7a8b1b2b3b4c1c2c3c4");
    CHECK(encoded(sample(Opcode::atomic_write, 8)) == "1d408001" + qp_psn + "a1a2a3a4a5a6a7a8b1b2b3b4c1c2c3c4");
    CHECK(encoded(sample(Opcode::write_persist_first, 8)) == "c2408001" + qp_psn + "a1a2a3a4a5a6a7a8b1b2b3b4c1c2c3c4");
    CHECK(encoded(sample(Opcode::persist_ack)) == "c1408001" + qp_psn + "05d1d2d3");
    CHECK(encoded(sample(Opcode::ud_send_only_imm)) == "65408001" + qp_psn + "81234567009abcde" + "f1f2f3f4");
    CHECK(encoded(sample(Opcode::selective_nak)) == "c5408001" + qp_psn + "60d1d2d3" + "00800001");
    CHECK(encoded(sample(Opcode::selective_write_middle, 8)) ==
          "c74080010081234540fffffe"
          "a1a2a3a4a5a6a7a8b1b2b3b4c1c2c3c4");
    // Of a CNP MigReq is 0, BECN 1, the PSN 0.
    CHECK(encoded(sample(Opcode::cnp)) ==
          "8100ffff"
          "40812345"
          "00000000"
          "00000000000000000000000000000000");
}

TEST_CASE("each flag is its bit", "[wire]") {
    Header header;
    CHECK(encoded(header) ==
          "0440ffff"
          "00000000"
          "00000000");
    header.solicited = true;
    CHECK(encoded(header) ==
          "04c0ffff"
          "00000000"
          "00000000");
    header.fecn = true;
    CHECK(encoded(header) ==
          "04c0ffff"
          "80000000"
          "00000000");
    header.becn = true;
    header.ack_request = true;
    CHECK(encoded(header) ==
          "04c0ffff"
          "c0000000"
          "80000000");
    header.aeth = {AckKind::rnr_nak, 12, {1}};
    header.opcode = Opcode::ack;
    CHECK(encoded(header) ==
          "11c0ffff"
          "c0000000"
          "80000000"
          "2c000001");
}

TEST_CASE("the same of IPv6", "[wire]") {
    FramePool pool;
    Route route = kSampleRoute;
    route.source = IpAddress::unique_local;
    route.destination = IpAddress::link_local;
    route.flow_label = 0xABCDE;
    route.hop_limit = 0x81;
    for (const OpcodeMeaning& one : kOpcodes) {
        for (const std::uint32_t bytes : {0U, 1U, 1024U}) {
            if (bytes != 0 && !one.payload) continue;
            INFO(one.name << ", " << bytes << " B");
            const Header header = sample(one.opcode, bytes);
            const FrameRef frame = sample_frame(pool, header, route);
            const FrameRef copy = pool.copy(*frame);
            CHECK(copy->fcs_good());
            for (const Packet& packet : {parse(*frame), parse(*copy)}) {
                REQUIRE(error_name(packet.error) == "none");
                CHECK(packet.header == header);
                CHECK(packet.source_port == route.source_port);
                CHECK(packet.dscp == route.dscp);
                CHECK(packet.ecn == route.ecn);
                CHECK(packet.hop_limit == route.hop_limit);
                CHECK(std::ranges::equal(payload(*copy, packet), sample_payload(bytes)));
            }
            CHECK(*header_of(*copy) == header);
            CHECK(frame->length() == frame_bytes(kIpv6HeaderBytes + kUdpBytes + header_bytes(one.opcode) + bytes +
                                                 pad_bytes(bytes) + kIcrcBytes));
        }
    }
    const FrameRef frame = pool.copy(*sample_frame(pool, sample(Opcode::write_only, 8), route));
    CHECK(frame->ether_type() == kIpv6EtherType);
    const std::span<std::uint8_t> ip = frame->writable_bytes().subspan(kIpv4At);
    // Version 6, traffic class 6A, flow label ABCDE; fd00::1 to fe80::ff:fe00:2, whose MAC address is
    // 02:00:00:00:00:02.
    CHECK((ip[0] == 0x66 && ip[1] == 0xAA && ip[2] == 0xBC && ip[3] == 0xDE && ip[6] == 17 && ip[7] == 0x81));
    CHECK((ip[8] == 0xFD && ip[23] == 1 && ip[24] == 0xFE && ip[25] == 0x80 && ip[32] == 0 && ip[39] == 2));
    CHECK((ip[35] == 0xFF && ip[36] == 0xFE));
    CHECK(traffic_class(*frame) == 3);
    CHECK(ecn_capable(*frame));
    frame->seal();
    const FrameRef marked = pool.copy(*frame);
    mark_congestion(*marked);
    CHECK(congestion_marked(*marked));
    CHECK(parse(*marked).ecn == Ecn::congestion);
    CHECK(error_name(parse(*pool.copy(*marked)).error) == "none");  // the ICRC leaves the mark out
    for (const std::size_t at : {1U, 2U, 3U, 7U}) {                 // ... and flow label and hop limit
        const FrameRef changed = pool.copy(*frame);
        changed->writable_bytes()[kIpv4At + at] ^= 0x05;
        CHECK(error_name(parse(*changed).error) == "none");
    }
    for (const std::size_t at : {8U, 39U}) {
        const FrameRef changed = pool.copy(*frame);
        changed->writable_bytes()[kIpv4At + at] ^= 1;
        CHECK(error_name(parse(*changed).error) == "icrc");
    }
    route.source = IpAddress::v4;  // then it is IPv4
    const FrameRef v4 = sample_frame(pool, sample(Opcode::ack), route);
    CHECK(v4->ether_type() == kIpv4EtherType);
    CHECK(parse(*v4).hop_limit == 0x81);
    for (const std::uint32_t which : {0U, 1U, 2U}) {
        const auto address = ipv6_address(700, static_cast<IpAddress>(which));
        const auto found = host_of_ipv6(address);
        REQUIRE(found);
        CHECK(found->host == 700);
        CHECK(found->which == static_cast<IpAddress>(which));
        for (std::size_t at = 0; at < 14; ++at) {
            auto other = address;
            other[at] ^= 0x80;
            CHECK_FALSE(host_of_ipv6(other));
        }
    }
}

TEST_CASE("every opcode, with every pad, is read as it was written", "[wire]") {
    FramePool pool;
    for (const OpcodeMeaning& one : kOpcodes) {
        for (const std::uint32_t bytes : {0U, 1U, 2U, 3U, 4U, 1023U, 1024U}) {
            if (bytes != 0 && !one.payload) continue;
            INFO(one.name << ", " << bytes << " B");
            Header header = sample(one.opcode, bytes);
            header.solicited = bytes % 2 == 1;
            header.ack_request = bytes % 3 == 1;
            const FrameRef frame = sample_frame(pool, header);
            const Packet packet = parse(*frame);
            CHECK(*header_of(*frame) == packet.header);
            REQUIRE(error_name(packet.error) == "none");
            CHECK(packet.header == header);
            CHECK(std::ranges::equal(payload(*frame, packet), sample_payload(bytes)));
            CHECK(frame->length() == frame_length(one.opcode, bytes));
            CHECK(packet.from == 0x0A00'0001);
            CHECK(packet.to == 0x0A00'0002);
            CHECK(packet.source_port == kSampleRoute.source_port);
            CHECK(packet.dscp == kSampleRoute.dscp);
            CHECK(packet.ecn == kSampleRoute.ecn);
            CHECK(packet.hop_limit == kSampleRoute.hop_limit);
            // Once more, from bytes that were read and so have their ICRC and FCS.
            const FrameRef copy = pool.copy(*frame);
            CHECK(copy->fcs_good());
            const Packet again = parse(*copy);
            CHECK(error_name(again.error) == "none");
            CHECK(again.header == header);
        }
    }
}

TEST_CASE("of 256 opcodes those of the table are known", "[wire]") {
    std::size_t known = 0;
    for (unsigned value = 0; value < 256; ++value) {
        const auto opcode = static_cast<Opcode>(value);
        std::array<std::uint8_t, 64> bytes{};
        bytes[0] = static_cast<std::uint8_t>(value);
        bytes[11] = 7;
        Header header;
        const Error error = decode(std::span(bytes).first(kBthBytes), header);
        CHECK((error == Error::unknown_opcode) == (meaning(opcode) == nullptr));
        CHECK(header.opcode == opcode);
        CHECK(header.psn == Psn{7});
        if (meaning(opcode) == nullptr) continue;
        ++known;
        CHECK(meaning(opcode)->opcode == opcode);
        if (!meaning(opcode)->payload)
            CHECK(decode(std::span(bytes).first(header_bytes(opcode)), header) == Error::none);
        // The upper three bits are the service.
        const Service service = meaning(opcode)->service;
        if (value < 0x80)
            CHECK(service == (value < 0x20   ? Service::reliable
                              : value < 0x40 ? Service::unreliable
                                             : Service::datagram));
    }
    CHECK(known == kOpcodes.size());
}

TEST_CASE("reserved bits and MigReq are ignored", "[wire]") {
    std::array<std::uint8_t, 16> bytes{};
    encode(sample(Opcode::ack), bytes);
    Header header;
    REQUIRE(decode(bytes, header) == Error::none);
    bytes[1] ^= 0x40;
    bytes[4] ^= 0x3F;
    bytes[8] ^= 0x3F;
    Header other;
    CHECK(decode(bytes, other) == Error::none);
    CHECK(other == header);
}

TEST_CASE("numbers of 24 bits count on from the last one to 0", "[wire]") {
    const Psn last{0xFF'FFFF};
    CHECK(last + 1 == Psn{0});
    CHECK(Psn{0} - 1 == last);
    CHECK(last + 0x100'0000 == last);
    CHECK(ahead(Psn{0}, last) == 1);
    CHECK(ahead(last, Psn{0}) == -1);
    CHECK(ahead(last, last) == 0);
    CHECK(ahead(Psn{5} + 0x7F'FFFF, Psn{5}) == 0x7F'FFFF);
    CHECK(ahead(Psn{5} + 0x80'0000, Psn{5}) == -0x80'0000);
    CHECK(ahead(Psn{0xFF'FFF0} + 100, Psn{0xFF'FFF0}) == 100);
}

TEST_CASE("a line for people", "[wire]") {
    Header header = sample(Opcode::write_first, 1024);
    header.partition = 0xFFFF;
    header.ack_request = true;
    CHECK(describe(header) ==
          "WRITE_FIRST psn 16777214 qp 0x812345 va 0xa1a2a3a4a5a6a7a8 key 0xb1b2b3b4 length 3250766788 ack_request, "
          "1024 B");
    CHECK(describe(sample(Opcode::cnp)) == "CNP qp 0x812345 becn");
    CHECK(describe(sample(Opcode::atomic_ack)) ==
          "ATOMIC_ACK psn 16777214 qp 0x812345 credits 6 msn 13750995 original 0xe1e2e3e4e5e6e7e8 pkey 0x8001");
    CHECK(describe(sample(Opcode::compare_swap)) ==
          "COMPARE_SWAP psn 16777214 qp 0x812345 va 0xa1a2a3a4a5a6a7a8 key 0xb1b2b3b4 compare 0x9192939495969798 swap "
          "0x8182838485868788 pkey 0x8001");
    CHECK(describe(sample(Opcode::flush)) ==
          "FLUSH psn 16777214 qp 0x812345 region to be persistent va 0xa1a2a3a4a5a6a7a8 key 0xb1b2b3b4 length "
          "3250766788 pkey 0x8001");
    CHECK(describe(sample(Opcode::selective_nak)) ==
          "SELECTIVE_NAK psn 16777214 qp 0x812345 NAK psn_sequence msn 13750995 arrived 8388609 pkey 0x8001");
    Header answer;
    answer.opcode = Opcode::ack;
    CHECK(describe(answer) == "ACK psn 0 qp 0x0 msn 0");
    answer.aeth = {AckKind::rnr_nak, 1, {2}};
    CHECK(describe(answer) == "ACK psn 0 qp 0x0 RNR NAK, wait 10 us msn 2");
    answer.aeth = {AckKind::nak, 9, {2}};
    CHECK(describe(answer) == "ACK psn 0 qp 0x0 NAK 9 msn 2");
    answer.opcode = static_cast<Opcode>(0xFF);
    CHECK(describe(answer) == "opcode 0xff psn 0 qp 0x0");
}

}  // namespace
}  // namespace rnicsim::roce
