// SPDX-License-Identifier: Apache-2.0
// Header codec, frames, randomness: the foundations, against the description and known values.
#include "model/random.h"
#include "tlm/drp/drp_header.h"
#include "tlm/ethernet/frame.h"
#include "tlm/inbox.h"
#include "tlm/pcie/tlp_header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <vector>

namespace rnicsim {
namespace {

TEST_CASE("the header is in network byte order, with the offsets of PROTOCOL.md 2.2", "[smoke]") {
    DrpHeader header;
    header.type = DrpType::req_ack;
    header.operation = Operation::read;
    header.indirect = true;
    header.valid = true;
    header.tid = Tid{0x1234};
    header.len = 0x01020304;
    header.sn = 0x11121314;
    header.ackn = 0x21222324;
    header.sba = 0x3132333435363738;
    header.dba = 0x4142434445464748;
    std::array<std::uint8_t, 64> bytes{};
    encode(header, std::span(bytes).first<32>());
    constexpr std::array<std::uint8_t, 32> kExpected{0x47, 0x00, 0x12, 0x34, 0x01, 0x02, 0x03, 0x04, 0x11, 0x12, 0x13,
                                                     0x14, 0x21, 0x22, 0x23, 0x24, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36,
                                                     0x37, 0x38, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48};
    CHECK(std::memcmp(bytes.data(), kExpected.data(), 32) == 0);
    DrpHeader back;
    CHECK(decode(bytes, back) == DrpError::none);
    CHECK(back == header);
}

TEST_CASE("of 256 values of CTRL those with exactly one type bit are well formed", "[smoke]") {
    std::array<std::uint8_t, 64> bytes{};
    bytes[7] = 1;   // LEN
    bytes[11] = 1;  // SN: segment size of a request, not 0
    int good = 0;
    for (unsigned ctrl = 0; ctrl < 256; ++ctrl) {
        bytes[0] = static_cast<std::uint8_t>(ctrl);
        DrpHeader header;
        const DrpError error = decode(bytes, header);
        CHECK(error == (std::popcount(ctrl & 0xF8U) == 1 ? DrpError::none : DrpError::type_bits));
        good += error == DrpError::none ? 1 : 0;
    }
    CHECK(good == 5 * 8);
}

TEST_CASE("length and extension are checked to the byte", "[smoke]") {
    DrpHeader header;
    header.type = DrpType::data;
    header.len = 10;
    std::array<std::uint8_t, 42> bytes{};
    encode(header, std::span(bytes).first<32>());
    DrpHeader out;
    CHECK(decode(bytes, out) == DrpError::none);
    CHECK(decode(std::span(bytes).first(41), out) == DrpError::length);
    CHECK(decode(std::span(bytes).first(31), out) == DrpError::truncated);
    bytes[1] = 1;
    CHECK(decode(bytes, out) == DrpError::extension);
    header.type = DrpType::req;
    header.sn = 1024;
    encode(header, std::span(bytes).first<32>());
    CHECK(decode(bytes, out) == DrpError::none);
    header.len = 0;
    encode(header, std::span(bytes).first<32>());
    CHECK(decode(bytes, out) == DrpError::length);
}

TEST_CASE("headers of memory requests are as in the PCI Express specification", "[smoke]") {
    using Bytes = std::vector<std::uint8_t>;
    const auto is = [](const TlpHeader& header, const Bytes& expected) {
        return std::ranges::equal(header.used(), expected);
    };
    // Fmt and Type, attributes, length in DW; requester, tag, byte enables; address.
    CHECK(is(memory_write_header(0x12345680, 128), {0x40, 0, 0, 0x20, 0, 0, 0, 0xFF, 0x12, 0x34, 0x56, 0x80}));
    CHECK(is(memory_read_header(0x2'0000'0200, 512), {0x20, 0, 0, 0x80, 0, 0, 0, 0xFF, 0, 0, 0, 2, 0, 0, 2, 0}));
    CHECK(is(memory_write_header(0xFFFF'FFFC, 4), {0x40, 0, 0, 1, 0, 0, 0, 0x0F, 0xFF, 0xFF, 0xFF, 0xFC}));
    CHECK(is(memory_write_header(0x1003, 1), {0x40, 0, 0, 1, 0, 0, 0, 0x08, 0, 0, 0x10, 0}));
    CHECK(is(memory_write_header(0x1001, 2), {0x40, 0, 0, 1, 0, 0, 0, 0x06, 0, 0, 0x10, 0}));
    CHECK(is(memory_write_header(0x1002, 7), {0x40, 0, 0, 3, 0, 0, 0, 0x1C, 0, 0, 0x10, 0}));
    CHECK(is(memory_read_header(0x1000, 4096), {0x00, 0, 0, 0, 0, 0, 0, 0xFF, 0, 0, 0x10, 0}));
    CHECK(memory_write_header(0x1002, 7).payload_bytes == 12);
    CHECK(memory_read_header(0x1000, 4096).payload_bytes == 0);
    CHECK(first_tlp_bytes(0x1F80, 1000, 128) == 128);
    CHECK(first_tlp_bytes(0x1FF0, 1000, 128) == 16);
    CHECK(first_tlp_bytes(0x1F80, 100, 128) == 100);
}

TEST_CASE("the FCS is the CRC-32 of IEEE 802.3, least significant byte first", "[smoke]") {
    // A published check value: CRC-32 of "123456789" is CBF43926. In a frame: 14 bytes of header are part of it, so the
    // value is computed here bit by bit, by the polynomial of clause 3.2.9.
    FramePool pool;
    FrameRef frame = pool.take();
    frame->format({1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}, 0x0800, 46);
    std::memcpy(frame->writable_client_data().data(), "123456789", 9);
    frame->seal();
    const auto crc = [](std::span<const std::uint8_t> bytes) {
        std::uint32_t value = 0xFFFFFFFF;
        for (const std::uint8_t byte : bytes) {
            value ^= byte;
            for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1U) != 0 ? 0xEDB88320U : 0U);
        }
        return ~value;
    };
    constexpr std::array<std::uint8_t, 9> kCheck{'1', '2', '3', '4', '5', '6', '7', '8', '9'};
    REQUIRE(crc(kCheck) == 0xCBF43926);
    const std::uint32_t expected = crc(frame->bytes().first(60));
    for (std::size_t i = 0; i < 4; ++i) CHECK(frame->bytes()[60 + i] == static_cast<std::uint8_t>(expected >> (8 * i)));
    CHECK(frame->length() == 64);
    CHECK(frame->fcs_good());
}

TEST_CASE("short frames are padded with zeros, also where an older frame lay", "[smoke]") {
    FramePool pool;
    {
        FrameRef old = pool.take();
        old->format({}, {}, 0x0800, 1500);
        std::memset(old->writable_client_data().data(), 0xFF, 1500);
    }
    CHECK(pool.in_use() == 0);
    FrameRef frame = pool.take();
    frame->format({}, {}, 0x0800, 10);
    CHECK(frame->length() == 64);
    for (std::size_t i = 24; i < 60; ++i) CHECK(frame->bytes()[i] == 0);
    CHECK(pool.in_use() == 1);
}

TEST_CASE("draws are uniform, and each bit of a key matters", "[smoke]") {
    const RandomSource random{1, 0};
    std::array<int, 16> bins{};
    for (std::uint64_t i = 0; i < 16'000; ++i) {
        ++bins[static_cast<std::size_t>(random.uniform(RandomStream::frame_loss, i, 3, 5) * 16)];
    }
    double chi = 0;
    for (const int n : bins) chi += (n - 1000.0) * (n - 1000.0) / 1000.0;
    CHECK(chi < 37.7);  // 99.9 % of a chi-square with 15 degrees of freedom
    CHECK(chi > 3.4);
    int flipped = 0;
    for (int bit = 0; bit < 64; ++bit) {
        const std::uint64_t one = random.bits(RandomStream::registration, std::uint64_t{1} << bit, 0, 0);
        flipped += std::popcount(one ^ random.bits(RandomStream::registration, 0, 0, 0));
    }
    CHECK(flipped > 64 * 28);
    CHECK(flipped < 64 * 36);
    CHECK(random.bits(RandomStream::frame_loss, 1, 2, 3) != random.bits(RandomStream::registration, 1, 2, 3));
    CHECK(random.bits(RandomStream::frame_loss, 1, 2, 3) != RandomSource{1, 1}.bits(RandomStream::frame_loss, 1, 2, 3));
}

TEST_CASE("an inbox is a queue in time that grows", "[smoke]") {
    Inbox<int> inbox;
    CHECK(inbox.next_due() == kNever);
    for (int i = 0; i < 100; ++i) {
        inbox.push(i, Cycle{10 + i});
        if (i % 3 == 0) CHECK(inbox.pop() == i / 3);
    }
    CHECK(inbox.next_due() == Cycle{44});
    CHECK_FALSE(inbox.ready(Cycle{43}));
    CHECK(inbox.ready(Cycle{44}));
    for (int i = 34; i < 100; ++i) CHECK(inbox.pop() == i);
    CHECK(inbox.empty());
}

}  // namespace
}  // namespace rnicsim
