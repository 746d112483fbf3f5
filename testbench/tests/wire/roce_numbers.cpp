// SPDX-License-Identifier: Apache-2.0
// Lengths of frames, source ports and the tables of the AETH, at compile time where they are constants.
#include "testbench/tests/wire/samples.h"
#include "tlm/roce/syndrome.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim::roce {
namespace {

TEST_CASE("frames with FCS are as long as their headers make them", "[wire]") {
    for (const std::size_t bytes : {0U, 4U, 64U, 1024U, 4096U}) {
        CHECK(frame_length(Opcode::write_only, bytes) == 78 + bytes);
        CHECK(frame_length(Opcode::send_only, bytes) == std::max<std::size_t>(62 + bytes, 64));
        CHECK(frame_length(Opcode::read_only, bytes) == 66 + bytes);
        CHECK(frame_length(Opcode::ud_send_only, bytes) == 70 + bytes);
    }
    CHECK(frame_length(Opcode::ack, 0) == 66);
    CHECK(frame_length(Opcode::read_request, 0) == 78);
    CHECK(frame_length(Opcode::compare_swap, 0) == 90);
    CHECK(frame_length(Opcode::fetch_add, 0) == 90);
    CHECK(frame_length(Opcode::atomic_ack, 0) == 74);
    CHECK(frame_length(Opcode::cnp, 0) == 78);
    CHECK(frame_length(Opcode::write_only, 1) == 82);
    CHECK(frame_length(Opcode::write_only, 5) == 86);
    CHECK(kMaxHeaderBytes == 40);
}

TEST_CASE("a frame of 4096 B payload", "[wire]") {
    FramePool pool(5000);
    const Header header = sample(Opcode::write_only_imm, 4096);
    const FrameRef frame = sample_frame(pool, header);
    CHECK(frame->length() == 82 + 4096);
    const FrameRef copy = pool.copy(*frame);
    const Packet packet = parse(*copy);
    CHECK(packet.error == Error::none);
    CHECK(packet.header == header);
}

TEST_CASE("what an older frame leaves is not sent", "[wire]") {
    FramePool pool;
    {
        const FrameRef old = pool.take();
        old->format({}, {}, kIpv4EtherType, 1400);
        std::ranges::fill(old->writable_client_data(), std::uint8_t{0xFF});
    }
    const FrameRef frame = pool.take();
    Header header;
    header.payload = 1;
    format(*frame, kSampleRoute, header).front() = 9;
    seal(*frame);
    const auto bytes = frame->bytes();
    REQUIRE(bytes.size() == 66);
    CHECK(bytes[kBthAt + 12] == 9);
    for (const std::size_t at : {55U, 56U, 57U}) CHECK(bytes[at] == 0);  // pad
    // Two bytes of Ethernet's padding behind the ICRC of the shortest packet.
    const FrameRef shortest = sample_frame(pool, Header{});
    REQUIRE(shortest->bytes().size() == 64);
    CHECK(shortest->bytes()[58] == 0);
    CHECK(shortest->bytes()[59] == 0);
    CHECK(parse(*shortest).error == Error::none);
    CHECK(parse(*pool.copy(*shortest)).error == Error::none);
}

TEST_CASE("the source port is folded from the product of the QP numbers", "[wire]") {
    CHECK(source_port({1}, {1}) == 0xC001);
    CHECK(source_port({0x12}, {0x34}) == 0xC3A8);
    CHECK(source_port({0x34}, {0x12}) == 0xC3A8);
    CHECK(source_port({0x1000}, {0x10}) == (0xC000 | (0x1'0000 >> 14)));  // bit 16 of the label comes to bit 2
    CHECK(source_port({0x10'0000}, {1}) == 0xC001);                       // bit 20 of the product to bit 0
    CHECK(source_port({0xFF'FFFF}, {0xFF'FFFF}) == 0xFF21);
    CHECK(source_port({0}, {5}) == 0xC000);
}

TEST_CASE("the times of RNR NAKs", "[wire]") {
    // While it runs: a wrong line that does not compile would be noticed by nobody.
    CHECK(rnr_time(1) == Time{10'000'000});
    // Hundredths of ms from 0 to 31, as the standard prints them.
    constexpr std::array<std::int64_t, 32> kTable{65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
                                                  48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
                                                  2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
    for (std::uint8_t code = 0; code < 32; ++code) CHECK(rnr_time(code) == kMicrosecond * (10 * kTable.at(code)));
}

TEST_CASE("the credits of acknowledgements", "[wire]") {
    constexpr std::array<std::uint32_t, 31> kTable{0,    1,    2,    3,    4,    6,     8,     12,    16,   24,   32,
                                                   48,   64,   96,   128,  192,  256,   384,   512,   768,  1024, 1536,
                                                   2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};
    for (std::uint8_t code = 0; code < kNoCredits; ++code) CHECK(credits(code) == kTable.at(code));
}

}  // namespace
}  // namespace rnicsim::roce
