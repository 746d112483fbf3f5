// SPDX-License-Identifier: Apache-2.0
// Entries of the rings in host memory: what is written is read, and any bytes become something that fails by itself.
#include "model/rnic/rc/rings.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <random>
#include <vector>

namespace rnicsim::rc {
namespace {

SendWqe read_of(const SendWqe& wqe, std::vector<std::uint8_t> payload = {}) {
    std::array<std::uint8_t, kMostWqeBytes> bytes{};
    write_wqe(bytes, wqe, Qpn{77}, 4'000'000'000U, payload);
    const WrittenWqe read = read_wqe(bytes);
    CHECK(read.qp.n == 77);
    CHECK(read.number == 4'000'000'000U);
    CHECK(read.bytes == wqe_bytes(wqe));
    return read.wqe;
}

TEST_CASE("rings: each kind of send WQE is read as it was written", "[wire]") {
    SendWqe wqe;
    wqe.verb = Verb::write_imm;
    wqe.signaled = false;
    wqe.solicited = wqe.fence = true;
    wqe.remote_address = 0x1234'5678'9ABC'DEF0;
    wqe.remote_key = 0xA1B2C3D4;
    wqe.immediate_or_key = 0x01020304;
    for (std::uint32_t i = 0; i < SendSges::capacity(); ++i) {
        wqe.sges.push({0x1000ULL * i, 100 + i, 7 + i});
        const SendWqe read = read_of(wqe);
        CHECK(read.verb == wqe.verb);
        CHECK(read.signaled == wqe.signaled);
        CHECK((read.solicited && read.fence && !read.inline_data));
        CHECK(read.remote_address == wqe.remote_address);
        CHECK(read.remote_key == wqe.remote_key);
        CHECK(read.immediate_or_key == wqe.immediate_or_key);
        REQUIRE(read.sges.size() == wqe.sges.size());
        CHECK(read.sges[i].address == wqe.sges[i].address);
        CHECK(read.sges[i].length == wqe.sges[i].length);
        CHECK(read.sges[i].lkey == wqe.sges[i].lkey);
    }
}

TEST_CASE("rings: an atomic has its operands, an inline WQE its payload", "[wire]") {
    SendWqe atomic;
    atomic.verb = Verb::compare_swap;
    atomic.compare = 5;
    atomic.swap_or_add = 0xFFFF'FFFF'FFFF'FFFE;
    atomic.sges = {Sge{64, 8, 3}};
    CHECK(read_of(atomic).compare == 5);
    CHECK(read_of(atomic).swap_or_add == 0xFFFF'FFFF'FFFF'FFFE);
    CHECK(read_of(atomic).sges[0].address == 64);
    for (const std::uint32_t length : {0U, 1U, 32U, 33U, kMostInline}) {
        SendWqe wqe;
        wqe.inline_data = true;
        wqe.inline_length = length;
        const SendWqe read = read_of(wqe, std::vector<std::uint8_t>(length, 0x5A));
        CHECK(read.inline_data);
        CHECK(read.inline_length == length);
        CHECK(wqe_bytes(wqe) == (32 + length + 63) / 64 * 64);
    }
}

TEST_CASE("rings: a receive WQE ends at its first key of 0", "[wire]") {
    std::array<std::uint8_t, kReceiveWqeBytes> bytes{};
    write_receive(bytes, {Sge{1, 2, 3}, Sge{4, 5, 6}});
    const ReceiveSges read = read_receive(bytes);
    REQUIRE(read.size() == 2);
    CHECK(read[1].address == 4);
    CHECK(read[1].lkey == 6);
}

TEST_CASE("rings: a receive WQE of two blocks holds eight SGEs, of one block four", "[wire]") {
    ReceiveSges sges;
    for (std::uint32_t i = 1; i <= ReceiveSges::capacity(); ++i) sges.push({i, i, i});
    std::array<std::uint8_t, kMostReceiveWqeBytes> bytes{};
    write_receive(bytes, sges);
    const ReceiveSges read = read_receive(bytes);
    REQUIRE(read.size() == 8);
    CHECK(read[7].address == 8);
    CHECK(read_receive(std::span(bytes).first(kReceiveWqeBytes)).size() == 4);
}

TEST_CASE("rings: a CQE is read as it was written, and its phase tells it from the last round's", "[wire]") {
    Completion c;
    c.qp = Qpn{9};
    c.cq = Cqn{2};
    c.receive = c.solicited = c.grh = true;
    c.from = Qpn{0xAB'CDEF};
    c.status = Status::rem_access;
    c.index = 123;
    c.verb = Verb::send_imm;
    c.bytes = 1U << 31U;
    c.immediate_or_key = 0xDEADBEEF;
    for (const bool phase : {true, false}) {
        std::array<std::uint8_t, kCqeBytes> bytes{};
        bytes.fill(0xFF);
        write_cqe(bytes, c, phase, Time{1});
        CHECK(read_cqe(bytes) == c);
        CHECK(cqe_phase(bytes) == phase);
    }
}

TEST_CASE("rings: a datagram's WQE says where it goes", "[wire]") {
    const Destination to{Peer{513}, Qpn{0xAB'CDEF}, 0x8123'4567};
    SendWqe wqe;
    set_destination(wqe, to);
    std::array<std::uint8_t, kWqeBlock> bytes{};
    write_wqe(bytes, wqe, Qpn{9}, 4, {});
    CHECK(destination_of(read_wqe(bytes).wqe) == to);
    Destination on_its_path = to;
    on_its_path.path = {0x6A, 3, 0xA'BCDE, IpAddress::unique_local, IpAddress::link_local};
    set_destination(wqe, on_its_path);
    for (const bool is_inline : {false, true}) {
        wqe.inline_data = is_inline;
        std::array<std::uint8_t, kWqeBlock> again{};
        write_wqe(again, wqe, Qpn{9}, 4, {});
        CHECK(destination_of(read_wqe(again).wqe) == on_its_path);
        CHECK(read_wqe(again).wqe.inline_length == 0);
    }
    // Address handle, QPN, Q_Key (README.md, "Host interface").
    CHECK(bytes[8] == 1);
    CHECK(bytes[9] == 2);
    CHECK(bytes[12] == 0xEF);
    CHECK(bytes[14] == 0xAB);
    CHECK(bytes[16] == 0x67);
}

TEST_CASE("rings: any bytes are a WQE, and what cannot be carried out fails with LOC_QP_OP", "[wire]") {
    std::mt19937 random(1);
    std::array<std::uint8_t, kMostWqeBytes> bytes{};
    int legal = 0;
    for (int i = 0; i < 100'000; ++i) {
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
        if (i % 2 == 0) {  // nearly right ones, too
            bytes[0] %= 9;
            bytes[2] %= 16;
            bytes[3] %= 6;
        }
        const WrittenWqe read = read_wqe(bytes);
        const bool malformed = read.wqe.verb == Verb::fetch_add && bytes_of(read.wqe) != kAtomicBytes;
        if (malformed) continue;
        ++legal;
        CHECK(wqe_bytes(read.wqe) <= read.bytes);
    }
    CHECK(legal > 1'000);
}

}  // namespace
}  // namespace rnicsim::rc
