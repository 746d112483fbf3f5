// SPDX-License-Identifier: Apache-2.0
// The ICRC: what it covers, what it leaves out, and when it is computed.
#include "testbench/tests/wire/samples.h"
#include "tlm/roce/icrc.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <vector>

namespace rnicsim::roce {
namespace {

/// Flips a bit; bits count from the frame's first one, the most significant first.
FrameRef flipped(FramePool& pool, const Frame& frame, std::size_t bit) {
    FrameRef copy = pool.copy(frame);
    copy->writable_bytes()[bit / 8] ^= static_cast<std::uint8_t>(0x80U >> bit % 8);
    return copy;
}

/// `bytes`: of the IPv4 packet, whatever its header says.
bool good(const Frame& frame, std::size_t bytes) { return icrc_good(frame.bytes().subspan(kIpv4At, bytes)); }
bool good(const Frame& frame) { return good(frame, get_u16(frame.bytes(), kIpv4At + 2)); }

TEST_CASE("a whole packet, byte for byte, with an ICRC that zlib has computed", "[wire]") {
    // WRITE_ONLY of 6 bytes from host 0 to host 1. Made by hand; the ICRC by Python: zlib.crc32 of eight bytes FF and
    // the packet from the IPv4 header on, with FF in TOS, TTL, both checksums and the BTH's byte 4, written with its
    // least significant byte first.
    const std::vector<std::uint8_t> expected{
        0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x45, 0x6A, 0x00,
        0x44, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x26, 0x3D, 0x0A, 0x00, 0x00, 0x01, 0x0A, 0x00, 0x00, 0x02,
        0xC3, 0xA8, 0x12, 0xB7, 0x00, 0x30, 0x00, 0x00, 0x0A, 0x60, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x12, 0x80,
        0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x01, 0x01, 0x00, 0x00,
        0x00, 0x06, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x00, 0x00, 0x6C, 0x56, 0x59, 0x7D};
    Header header;
    header.opcode = Opcode::write_only;
    header.to.n = 0x12;
    header.psn.n = 5;
    header.ack_request = true;
    header.address = 0x1000;
    header.key = 0x101;
    header.length = 6;
    header.payload = 6;
    FramePool pool;
    const FrameRef frame = sample_frame(pool, header);
    CHECK(std::ranges::equal(frame->without_fcs(), expected));
    CHECK(bth_of(*frame) == Bth{Opcode::write_only, Qpn{0x12}, Psn{5}});
    frame->writable_bytes()[kBthAt] = 0xFF;
    CHECK(!bth_of(*frame));  // no opcode
    frame->writable_bytes()[kBthAt] = 0x0A;
    frame->writable_bytes()[kBthAt - 5] ^= 1;
    CHECK(!bth_of(*frame));  // another port
}

TEST_CASE("what tells packets apart, of a datagram its source QP as well", "[wire]") {
    FramePool pool;
    CHECK(bth_of(*sample_frame(pool, sample(Opcode::uc_send_only, 4))) ==
          Bth{Opcode::uc_send_only, Qpn{0x81'2345}, Psn{0xFF'FFFE}});
    CHECK(bth_of(*sample_frame(pool, sample(Opcode::ud_send_only))) ==
          Bth{Opcode::ud_send_only, Qpn{0x81'2345}, Psn{0xFF'FFFE}, 0, Qpn{0x9A'BCDE}});
}

TEST_CASE("every bit of a packet is covered but for those that may change on the way", "[wire]") {
    FramePool pool;
    for (const Opcode opcode : {Opcode::write_only_imm, Opcode::ack, Opcode::cnp}) {
        const FrameRef frame = sample_frame(pool, sample(opcode, meaning(opcode)->payload ? 5 : 0));
        REQUIRE(good(*frame));
        // TOS, TTL, checksum of IPv4; checksum of UDP; FECN, BECN and the bits behind them.
        const std::set<std::size_t> masked{15, 22, 24, 25, 40, 41, 46};
        const std::size_t packet = get_u16(frame->bytes(), kIpv4At + 2);
        for (std::size_t bit = 8 * kIpv4At; bit < 8 * (kIpv4At + packet); ++bit) {
            INFO(meaning(opcode)->name << ", byte " << bit / 8);
            CHECK(good(*flipped(pool, *frame, bit), packet) == masked.contains(bit / 8));
        }
    }
}

TEST_CASE("a frame with any bit flipped behind its addresses is refused, or means the same", "[wire]") {
    FramePool pool;
    const Header header = sample(Opcode::write_only_imm, 5);
    const FrameRef frame = sample_frame(pool, header);
    for (std::size_t bit = 8 * 12; bit < 8 * (frame->length() - kFcsBytes); ++bit) {
        INFO("bit " << bit);
        const Packet packet = parse(*flipped(pool, *frame, bit));
        const std::size_t byte = bit / 8;
        if (byte < kIpv4At) {
            CHECK(packet.error == Error::not_ipv4);  // EtherType
        } else if (byte < kIpv4At + kIpv4HeaderBytes) {
            CHECK(packet.error == (byte == kIpv4At ? Error::not_ipv4 : Error::ip_checksum));
        } else if (byte == 40 || byte == 41) {
            CHECK(packet.error == Error::none);  // UDP checksum
            CHECK(packet.header == header);
        } else if (byte == 46) {
            CHECK(packet.error == Error::none);
            Header marked = header;
            marked.fecn = bit % 8 == 0;
            marked.becn = bit % 8 == 1;
            CHECK(packet.header == marked);
        } else {
            CHECK(packet.error != Error::none);
        }
    }
}

TEST_CASE("a switch's mark leaves the ICRC good", "[wire]") {
    FramePool pool;
    const FrameRef frame = sample_frame(pool, sample(Opcode::send_only, 64));
    REQUIRE(ecn_capable(*frame));
    mark_congestion(*frame);
    CHECK(frame->fcs_good());
    CHECK_FALSE(frame->trailer_due());
    const Packet packet = parse(*frame);
    CHECK(packet.error == Error::none);
    CHECK(packet.ecn == Ecn::congestion);
}

TEST_CASE("the ICRC is computed when somebody reads it, and not before", "[wire]") {
    FramePool pool;
    const FrameRef frame = sample_frame(pool, sample(Opcode::send_only, 64));
    CHECK(frame->trailer_due());
    CHECK(parse(*frame).error == Error::none);
    CHECK(traffic_class(*frame) == 3);
    CHECK(frame->fcs_good());
    CHECK(frame->trailer_due());
    SECTION("all bytes") { CHECK(frame->bytes().size() == 126); }
    SECTION("all but the FCS") { CHECK(frame->without_fcs().size() == 122); }
    SECTION("client data") { CHECK(frame->client_data().size() == 108); }
    SECTION("bytes for writing") { CHECK(frame->writable_bytes().size() == 126); }
    SECTION("a copy") { CHECK(good(*pool.copy(*frame))); }
    SECTION("cut") {
        frame->truncate(100);
        CHECK(parse(*frame).error == Error::truncated);
        CHECK_FALSE(frame->trailer_due());
        return;
    }
    CHECK_FALSE(frame->trailer_due());
    CHECK(good(*frame));
    CHECK(frame->fcs_good());
    CHECK(parse(*frame).error == Error::none);
}

TEST_CASE("a frame that is used again owes no ICRC", "[wire]") {
    FramePool pool;
    { const FrameRef old = sample_frame(pool, sample(Opcode::send_only, 64)); }
    const FrameRef frame = pool.take();
    CHECK_FALSE(frame->trailer_due());
    frame->format({}, {}, 0x0800, 100);
    CHECK_FALSE(frame->trailer_due());
    seal(*sample_frame(pool, sample(Opcode::ack)));
}

}  // namespace
}  // namespace rnicsim::roce
