// SPDX-License-Identifier: Apache-2.0
// Each reason why a frame is no packet, and that no bytes do harm.
#include "testbench/tests/wire/samples.h"
#include "tlm/roce/describe.h"

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <random>
#include <set>

namespace rnicsim::roce {
namespace {

using Bytes = std::span<std::uint8_t>;

/// The frame changed, with right checksums.
Packet changed(const Header& header, const std::function<void(Bytes)>& change) {
    FramePool pool;
    const FrameRef frame = pool.copy(*sample_frame(pool, header));
    const Bytes bytes = frame->writable_bytes();
    change(bytes);
    right_ip_checksum(bytes);
    right_icrc(bytes);
    return parse(*frame);
}

/// A WRITE_ONLY packet, 8 bytes of payload, its lengths made `more` longer than they are; the frame has room.
Packet longer(const Header& header, int more) {
    return changed(header, [more](Bytes bytes) {
        put_u16(bytes, kIpv4At + 2, static_cast<std::uint16_t>(get_u16(bytes, kIpv4At + 2) + more));
        put_u16(bytes, 38, static_cast<std::uint16_t>(get_u16(bytes, 38) + more));
    });
}

Packet set(std::size_t at, std::uint8_t value, const Header& header = sample(Opcode::write_only, 8)) {
    return changed(header, [&](Bytes bytes) { bytes[at] = value; });
}

TEST_CASE("a frame that is not for us, before the transport looks at it", "[wire]") {
    CHECK(set(13, 0x06).error == Error::not_ipv4);
    CHECK(set(14, 0x65).error == Error::not_ipv4);
    CHECK(set(14, 0x46).error == Error::not_ipv4);  // options
    CHECK(set(20, 0x20).error == Error::fragment);  // more follow
    CHECK(set(21, 0x01).error == Error::fragment);  // the offset
    CHECK(set(20, 0x00).error == Error::none);      // may be fragmented, but is not
    CHECK(set(23, 6).error == Error::not_roce);     // TCP
    CHECK(set(37, 0xB8).error == Error::not_roce);  // port 4792
    CHECK(set(34, 0x12).error == Error::none);      // any source port
    CHECK(set(34, 0x12).source_port == (0x1200 | (kSampleRoute.source_port & 0xFF)));
    FramePool pool;
    const FrameRef frame = pool.copy(*sample_frame(pool, sample(Opcode::ack)));
    frame->writable_bytes()[22] = 63;  // TTL, but not the checksum
    CHECK(parse(*frame).error == Error::ip_checksum);
    CHECK(describe(*frame) == "no good RoCEv2 packet: ip_checksum");
}

TEST_CASE("a frame that is cut anywhere is truncated", "[wire]") {
    FramePool pool;
    const FrameRef whole = sample_frame(pool, sample(Opcode::write_only, 8));
    for (std::size_t bytes = 0; bytes < whole->length(); ++bytes) {
        const FrameRef frame = pool.copy(*whole);
        frame->truncate(bytes);
        INFO(bytes);
        CHECK(parse(*frame).error == Error::truncated);
        CHECK_FALSE(describe(*frame).empty());
    }
}

TEST_CASE("lengths that do not fit", "[wire]") {
    const Header write = sample(Opcode::write_only, 8);
    CHECK(longer(write, -4).error == Error::none);
    CHECK(longer(write, -8).header.payload == 0);
    CHECK(longer(write, -1).error == Error::length);      // no multiple of 4
    CHECK(longer(write, -12).error == Error::truncated);  // less than a RETH
    CHECK(longer(write, -24).error == Error::truncated);  // a BTH
    CHECK(longer(write, -25).error == Error::truncated);  // less than that
    for (int bytes = 0; bytes < 44; ++bytes) CHECK(longer(write, bytes - 68).error == Error::truncated);
    CHECK(set(39, 0x31).error == Error::length);  // UDP's alone
    FramePool pool;
    const FrameRef frame = pool.copy(*sample_frame(pool, write));
    put_u16(frame->writable_bytes(), kIpv4At + 2, static_cast<std::uint16_t>(frame->length() - 17));
    right_ip_checksum(frame->writable_bytes());
    CHECK(parse(*frame).error == Error::truncated);  // IPv4's longer than the frame
    // Of the shortest frame IPv4 may leave out what is not padding: then lengths differ, or nothing is there.
    const Header ack = sample(Opcode::ack);
    CHECK(changed(ack, [](Bytes bytes) {
              put_u16(bytes, kIpv4At + 2, 44);
              put_u16(bytes, 38, 24);
          }).error == Error::truncated);
}

TEST_CASE("payload where none may be", "[wire]") {
    for (const OpcodeMeaning& one : kOpcodes) {
        const Header header = sample(Opcode::send_only, 1024);
        const Packet packet =
            changed(header, [&](Bytes bytes) { bytes[kBthAt] = static_cast<std::uint8_t>(one.opcode); });
        INFO(one.name);
        if (one.payload) {
            CHECK((packet.error == Error::none || packet.error == Error::syndrome));
        } else {
            CHECK(packet.error == Error::length);
            CHECK(packet.header.psn == header.psn);
        }
    }
}

TEST_CASE("what the BTH says wrong", "[wire]") {
    CHECK(set(kBthAt + 1, 0x41).error == Error::version);
    CHECK(set(kBthAt + 1, 0x4F).error == Error::version);
    CHECK(set(kBthAt, 0x15).error == Error::unknown_opcode);
    // It can be refused by a NAK: QP and PSN are known.
    const Packet unknown = set(kBthAt, 0x1E);
    CHECK(unknown.error == Error::unknown_opcode);
    CHECK(unknown.header.to == Qpn{0x81'2345});
    CHECK(unknown.header.psn == Psn{0xFF'FFFE});
    CHECK(describe(unknown) ==
          "no good RoCEv2 packet: unknown_opcode, opcode 0x1e psn 16777214 qp 0x812345 pkey 0x8001");
    // Pad: more than there is.
    const Packet pad = set(kBthAt + 1, 0x50, sample(Opcode::send_only, 0));
    CHECK(pad.error == Error::pad);
    CHECK(pad.header.psn == Psn{0xFF'FFFE});
    CHECK(set(kBthAt + 1, 0x70, sample(Opcode::ack)).error == Error::pad);
    CHECK(set(kBthAt + 1, 0x70, sample(Opcode::send_only, 4)).error == Error::none);
    CHECK(set(kBthAt + 1, 0x70, sample(Opcode::send_only, 4)).header.payload == 1);
}

TEST_CASE("kinds of answer that there are not", "[wire]") {
    for (unsigned kind = 0; kind < 8; ++kind) {
        const Packet packet = set(kBthAt + 12, static_cast<std::uint8_t>(kind << 5U), sample(Opcode::ack));
        CHECK(packet.error == (kind == 0 || kind == 1 || kind == 3 ? Error::none : Error::syndrome));
    }
}

TEST_CASE("a wrong ICRC is said before anything that it covers", "[wire]") {
    FramePool pool;
    for (const std::size_t at : {kBthAt, kBthAt + 1, kBthAt + 11, kBthAt + 30}) {
        const FrameRef frame = pool.copy(*sample_frame(pool, sample(Opcode::write_only, 8)));
        frame->writable_bytes()[at] ^= 0x0F;
        const Packet packet = parse(*frame);
        CHECK(packet.error == Error::icrc);
        CHECK(packet.header == Header{});
        CHECK(describe(packet) == "no good RoCEv2 packet: icrc");
    }
}

TEST_CASE("every error has a name of its own", "[wire]") {
    std::set<std::string_view> names(kErrorNames.begin(), kErrorNames.end());
    CHECK(names.size() == kErrorNames.size());
    CHECK(error_name(Error::syndrome) == "syndrome");
    CHECK(error_name(Error::length) == "length");
}

TEST_CASE("no bytes do harm", "[wire]") {
    std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same each time
    FramePool pool;
    std::array<unsigned, kErrorNames.size()> seen{};
    for (int i = 0; i < 20'000; ++i) {
        const OpcodeMeaning& one = kOpcodes.at(random() % kOpcodes.size());
        const FrameRef frame = pool.copy(*sample_frame(pool, sample(one.opcode, one.payload ? random() % 40 : 0)));
        const Bytes bytes = frame->writable_bytes();
        for (unsigned changes = random() % 4; changes-- > 0;) {
            bytes[12 + random() % (bytes.size() - 12)] = static_cast<std::uint8_t>(random());
        }
        if (random() % 8 != 0) right_ip_checksum(bytes);
        if (random() % 8 != 0) right_icrc(bytes);
        if (random() % 8 == 0) frame->truncate(random() % bytes.size());
        const Packet packet = parse(*frame);
        ++seen.at(static_cast<std::size_t>(packet.error));
        CHECK_FALSE(describe(packet).empty());
        if (packet.error == Error::none) CHECK(payload(*frame, packet).size() == packet.header.payload);
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
        INFO(kErrorNames.at(i));
        CHECK(seen.at(i) > 0);
    }
}

}  // namespace
}  // namespace rnicsim::roce
