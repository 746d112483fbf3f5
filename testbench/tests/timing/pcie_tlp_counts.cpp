// SPDX-License-Identifier: Apache-2.0
// How requests are cut into TLPs, against a reference that walks byte by byte; and what they take on the link.
#include "tlm/pcie/pcie_direction.h"
#include "tlm/pcie/tlp_count.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>

namespace rnicsim {
namespace {

/// Splits [address, address + bytes) before each byte for which `cut` says so; counts parts and their link bytes.
template <typename Cut>
TlpCount walk(std::uint64_t address, std::uint32_t bytes, std::uint32_t header, bool with_payload, const Cut& cut) {
    TlpCount count;
    std::uint32_t part = 0;
    const auto close = [&] {
        if (part == 0) return;
        ++count.tlps;
        count.link_bytes += header + 2 + 2 + 4 + (with_payload ? (part + 3) / 4 * 4 : 0);
        part = 0;
    };
    for (std::uint32_t i = 0; i < bytes; ++i) {
        if (cut(address + i, part)) close();
        ++part;
    }
    close();
    return count;
}

std::uint64_t next_random(std::uint64_t& state) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return state >> 33;
}

TEST_CASE("MWr, MRd and CplD are cut where the standard says", "[timing]") {
    std::uint64_t state = 1;
    for (int i = 0; i < 3000; ++i) {
        const std::uint64_t address = next_random(state) % 8192 + (i % 3 == 0 ? std::uint64_t{1} << 32 : 0);
        const auto bytes = static_cast<std::uint32_t>(next_random(state) % 3000 + 1);
        const std::uint32_t mps = 128U << next_random(state) % 4;
        const std::uint32_t mrrs = 128U << next_random(state) % 6;
        const std::uint32_t rcb = 64U << next_random(state) % 2;
        const std::uint32_t header = address >> 32 != 0 ? 16 : 12;  // 4 DW above 4 GiB
        INFO(address << ' ' << bytes << ' ' << mps << ' ' << mrrs << ' ' << rcb);
        CHECK(memory_write_tlps(address, bytes, mps) ==
              walk(address, bytes, header, true, [&](std::uint64_t a, std::uint32_t) { return a % mps == 0; }));
        CHECK(memory_read_tlps(address, bytes, mrrs) ==
              walk(address, bytes, header, false, [&](std::uint64_t a, std::uint32_t) { return a % mrrs == 0; }));
        // A completion ends where its request ends, at the first RCB if it starts off one, or when it is full.
        bool off_boundary = true;
        CHECK(completion_tlps(address, bytes, mrrs, mps, rcb) ==
              walk(address, bytes, 12, true, [&](std::uint64_t a, std::uint32_t part) {
                  const bool cut = a % mrrs == 0 || part == mps || (off_boundary && a % rcb == 0);
                  if (part == 0 || cut) off_boundary = a % rcb != 0;
                  return cut;
              }));
    }
}

TEST_CASE("no request crosses a boundary of 4 KiB", "[timing]") {
    CHECK(memory_read_tlps(4096 - 4, 8, 4096).tlps == 2);
    CHECK(memory_write_tlps(4096 - 4, 8, 4096).tlps == 2);
}

TEST_CASE("bytes on the link: 20 around a write below 4 GiB, 24 above, padded to a double word", "[timing]") {
    CHECK(memory_write_tlps(0, 64, 128) == TlpCount{1, 84});
    CHECK(memory_write_tlps(std::uint64_t{1} << 32, 64, 128) == TlpCount{1, 88});
    CHECK(memory_write_tlps(0, 61, 128) == TlpCount{1, 84});
    CHECK(memory_read_tlps(0, 64, 512) == TlpCount{1, 20});
    CHECK(completion_tlps(0, 64, 512, 128, 64) == TlpCount{1, 84});
    // 1514 bytes at MPS 128: 12 TLPs, as pcie-bench's model counts; 1.65 of 2 Gb/s before DLLPs.
    CHECK(memory_write_tlps(0, 1514, 128) == TlpCount{12, 12 * 20 + 1516});
}

TEST_CASE("serialisation: generations and widths, first come first served", "[timing]") {
    struct Row {
        std::uint32_t generation;
        std::uint32_t lanes;
        std::int64_t ps_of_1024_bytes;
    };
    // 2.5 and 5 GT/s with 8b/10b: 2 and 4 Gb/s a lane; 8 GT/s with 128b/130b: 7.877 Gb/s.
    for (const Row row : {Row{1, 1, 4'096'000}, Row{1, 4, 1'024'000}, Row{2, 1, 2'048'000}, Row{2, 8, 256'000},
                          Row{3, 1, 1'040'000}, Row{3, 16, 65'000}}) {
        PcieDirection lane(row.generation, row.lanes);
        CHECK(lane.send(Time{500}, 1024) == Time{500 + row.ps_of_1024_bytes});
        CHECK(lane.send(Time{600}, 1024) == Time{500 + 2 * row.ps_of_1024_bytes});  // waits
        CHECK(lane.send(kMicrosecond * 100, 1024) == kMicrosecond * 100 + Time{row.ps_of_1024_bytes});
    }
}

TEST_CASE("bytes that have been coming have used what was idle of the link since then, once", "[timing]") {
    constexpr std::int64_t kOne = 65'000;  // ps that 1024 bytes are on the link
    const auto lane_at = [](std::initializer_list<std::int64_t> begins) {
        PcieDirection lane(3, 16);
        for (const std::int64_t begin : begins) lane.send(Time{begin}, 1024);
        return lane;
    };
    const auto early = [&](PcieDirection lane, std::int64_t since, std::int64_t from, std::int64_t most) {
        lane.begin_early(Time{since}, Time{from}, Time{most});
        return lane.send({}, 4096).ps - 4 * kOne;
    };
    CHECK(early(lane_at({}), 400'000, 1'000'000, 3 * kOne) == 1'000'000 - 3 * kOne);  // idle, and faster than it comes
    CHECK(early(lane_at({}), 900'000, 1'000'000, 3 * kOne) == 900'000);               // slower
    // Busy from 950'000 to 1'015'000, so it begins then; between 900'000 and 950'000 there was nothing.
    CHECK(early(lane_at({950'000}), 900'000, 1'000'000, 3 * kOne) == 1'015'000 - 50'000);
    // Two gaps.
    CHECK(early(lane_at({910'000}), 900'000, 1'000'000, 3 * kOne) == 1'000'000 - 10'000 - 25'000);
    CHECK(early(lane_at({800'000}), 900'000, 1'000'000, 3 * kOne) == 900'000);
    // What followed without a gap is one burst.
    CHECK(early(lane_at({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), 600'000, 800'000, 4 * kOne) == 780'000);
    // More of them than it remembers: busy before.
    CHECK(early(lane_at({0, 100'000, 200'000, 300'000, 400'000, 500'000, 600'000, 700'000, 800'000}), 0, 865'000,
                100 * kOne) == 865'000 - 7 * (100'000 - kOne));
    PcieDirection twice = lane_at({});
    twice.begin_early(Time{}, Time{1'000'000}, Time{kOne});
    CHECK(twice.send({}, 2048) == Time{1'000'000 + kOne});
    twice.begin_early(Time{}, Time{1'100'000}, Time{10 * kOne});  // only what was idle after that
    CHECK(twice.free_at() == Time{1'000'000 + kOne});
}

}  // namespace
}  // namespace rnicsim
