// SPDX-License-Identifier: Apache-2.0
// icrc_insert and icrc_check beside the model's ICRC: packets of any length, with and without stalls at both ends.
#include "tlm/roce/icrc.h"
#include "Vicrc_check.h"
#include "Vicrc_check_32.h"
#include "Vicrc_check_64.h"
#include "Vicrc_insert.h"
#include "Vicrc_insert_32.h"
#include "Vicrc_insert_64.h"
#include "model/rtl/packet_bench.h"
#include "testbench/tests/wire/samples.h"

#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::size_t kMost = 9000;

bool is_ipv6(std::span<const std::uint8_t> packet) { return packet[0] >> 4U == 6; }
/// IP, UDP, BTH.
std::size_t headers(std::span<const std::uint8_t> packet) { return is_ipv6(packet) ? 60 : 40; }

/// The model's ICRC; of packets that end before their headers, which it does not take, that of what there is.
std::uint32_t icrc_of(std::span<const std::uint8_t> packet) {
    if (packet.size() >= headers(packet)) return roce::icrc(packet);
    Bytes whole(8, 0xFF);
    whole.insert(whole.end(), packet.begin(), packet.end());
    const std::vector<std::size_t> masked = is_ipv6(packet) ? std::vector<std::size_t>{1, 2, 3, 7, 46, 47, 52}
                                                            : std::vector<std::size_t>{1, 8, 10, 11, 26, 27, 32};
    for (const std::size_t at : masked)
        if (at < packet.size()) whole[8 + at] = 0xFF;
    if (is_ipv6(packet)) whole[8] |= 0x0FU;
    std::uint32_t state = 0xFFFF'FFFF;
    for (const std::uint8_t byte : whole) {
        state ^= byte;
        for (int bit = 0; bit < 8; ++bit) state = (state >> 1U) ^ ((state & 1U) != 0 ? 0xEDB8'8320U : 0U);
    }
    return ~state;
}
Bytes with_icrc(Bytes packet) {
    const std::uint32_t icrc = icrc_of(packet);
    for (unsigned i = 0; i < 4; ++i) packet.push_back(static_cast<std::uint8_t>(icrc >> 8 * i));
    return packet;
}

class Packets {
  public:
    explicit Packets(std::uint32_t seed) : random_(seed) {}
    std::uint32_t of(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
    /// Mostly short, as the ends are what differs; one in three IPv6, one in nine of no version at all.
    Bytes draw(std::size_t bytes) {
        Bytes packet(bytes);
        for (std::uint8_t& byte : packet) byte = static_cast<std::uint8_t>(random_());
        if (const std::uint32_t kind = of(9); kind != 0) packet[0] = kind < 4 ? packet[0] % 16 + 0x60 : 0x45;
        return packet;
    }
    std::size_t length() { return 1 + of(of(16) == 0 ? kMost : of(2) == 0 ? 70 : 200); }

  private:
    std::mt19937 random_;
};

/// How likely sender and receiver are to go on, in sixteenths.
struct Pace {
    std::uint32_t offer, ready;
};
constexpr Pace kPaces[] = {{16, 16}, {16, 8}, {8, 16}, {8, 8}, {2, 16}, {16, 2}, {12, 14}};

/// All `packets` through the block; what comes out.
template <typename Module>
std::vector<StreamedPacket> through(const char* name, const std::vector<Bytes>& packets, Pace pace,
                                    std::uint32_t seed) {
    PacketBench<Module> bench(name);
    std::mt19937 random(seed);
    std::size_t beats = 64;
    for (const Bytes& packet : packets) {
        bench.put(packet);
        beats += packet.size() / PacketBench<Module>::kBeat + 2;
    }
    std::vector<StreamedPacket> out;
    // Nothing may hang: at the slowest pace a beat takes less than a hundred cycles on average.
    for (std::size_t i = 0; i < 100 * beats && out.size() < packets.size(); ++i) {
        const bool offer = random() % 16 < pace.offer, ready = random() % 16 < pace.ready;
        bench.cycle(offer, ready);
        while (!bench.out().empty()) out.push_back(bench.next());
    }
    for (int i = 0; i < 32; ++i) bench.cycle(false, true);
    CHECK(bench.out().empty());  // nothing twice
    REQUIRE(out.size() == packets.size());
    return out;
}

template <typename Insert, typename Check>
struct Width {
    using InsertModule = Insert;
    using CheckModule = Check;
};
using Width512 = Width<Vicrc_insert, Vicrc_check>;
using Width64 = Width<Vicrc_insert_64, Vicrc_check_64>;
using Width32 = Width<Vicrc_insert_32, Vicrc_check_32>;

template <typename Of>
void inserted(const std::vector<Bytes>& packets, Pace pace, std::uint32_t seed) {
    const std::vector<StreamedPacket> out = through<typename Of::InsertModule>("icrc_insert", packets, pace, seed);
    for (std::size_t i = 0; i < packets.size(); ++i) {
        CAPTURE(i, packets[i].size());
        REQUIRE(out[i].bytes == with_icrc(packets[i]));
        REQUIRE(out[i].user == (packets[i].size() < headers(packets[i])));
        REQUIRE(out[i].clean);
    }
}

template <typename Of>
void checked(const std::vector<Bytes>& packets, Pace pace, std::uint32_t seed) {
    const std::vector<StreamedPacket> out = through<typename Of::CheckModule>("icrc_check", packets, pace, seed);
    for (std::size_t i = 0; i < packets.size(); ++i) {
        const Bytes& packet = packets[i];
        CAPTURE(i, packet.size());
        REQUIRE(out[i].bytes == Bytes(packet.begin(), packet.end() - static_cast<std::ptrdiff_t>(
                                                                         std::min<std::size_t>(4, packet.size()))));
        const bool good = packet.size() >= headers(packet) + 4 && roce::icrc_good(packet);
        REQUIRE(out[i].user == !good);
    }
}

TEMPLATE_TEST_CASE("icrc_insert: random packets get the model's ICRC, whatever stalls", "[cosim]", Width512, Width64,
                   Width32) {
    for (std::uint32_t run = 0; run < 14; ++run) {
        CAPTURE(run);
        Packets random(run);
        std::vector<Bytes> packets;
        for (int i = 0; i < 60; ++i) packets.push_back(random.draw(random.length()));
        inserted<TestType>(packets, kPaces[run % std::size(kPaces)], run);
    }
}

TEMPLATE_TEST_CASE("icrc_check: random packets get the model's verdict, whatever stalls", "[cosim]", Width512, Width64,
                   Width32) {
    for (std::uint32_t run = 0; run < 14; ++run) {
        CAPTURE(run);
        Packets random(run);
        std::vector<Bytes> packets;
        for (int i = 0; i < 60; ++i) {
            Bytes packet = random.draw(random.length());
            if (random.of(8) != 0) packet = with_icrc(std::move(packet));
            if (random.of(3) == 0) packet[random.of(static_cast<std::uint32_t>(packet.size()))] ^= 1U << random.of(8);
            packets.push_back(std::move(packet));
        }
        checked<TestType>(packets, kPaces[run % std::size(kPaces)], run);
    }
}

TEMPLATE_TEST_CASE("icrc_insert, icrc_check: every length up to three beats of 512 bits", "[cosim]", Width512, Width64,
                   Width32) {
    Packets random(1);
    std::vector<Bytes> packets, with;
    for (std::size_t bytes = 1; bytes <= 192; ++bytes) {
        for (const std::uint8_t first : {0x45, 0x60}) {
            packets.push_back(random.draw(bytes));
            packets.back()[0] = first;
            with.push_back(packets.back());  // the end taken for an ICRC
            with.push_back(with_icrc(packets.back()));
        }
    }
    for (const Pace& pace : {kPaces[0], kPaces[3]}) {
        inserted<TestType>(packets, pace, 2);
        checked<TestType>(with, pace, 3);
    }
}

TEMPLATE_TEST_CASE("icrc_insert, icrc_check: the model's packet of every opcode, by IPv4 and IPv6", "[cosim]", Width512,
                   Width64, Width32) {
    FramePool pool;
    std::vector<Bytes> packets, without;
    for (const roce::OpcodeMeaning& one : roce::kOpcodes) {
        for (const IpAddress address : {IpAddress::v4, IpAddress::unique_local}) {
            roce::Route route = roce::kSampleRoute;
            route.source = route.destination = address;
            const FrameRef frame = roce::sample_frame(pool, roce::sample(one.opcode, one.payload ? 6 : 0), route);
            const std::span<const std::uint8_t> packet = frame->without_fcs().subspan(kEthernetHeaderBytes);
            const std::size_t ip = is_ipv6(packet) ? kIpv6HeaderBytes : kIpv4HeaderBytes;
            const std::size_t bytes = ip + get_u16(packet, ip + 4);  // UDP's length
            packets.emplace_back(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(bytes));
            without.emplace_back(packets.back().begin(), packets.back().end() - 4);
        }
    }
    const std::vector<StreamedPacket> sent =
        through<typename TestType::InsertModule>("icrc_insert", without, {16, 16}, 1);
    const std::vector<StreamedPacket> got = through<typename TestType::CheckModule>("icrc_check", packets, {16, 16}, 1);
    for (std::size_t i = 0; i < packets.size(); ++i) {
        CAPTURE(i);
        CHECK(sent[i].bytes == packets[i]);
        CHECK_FALSE(sent[i].user);
        CHECK(got[i].bytes == without[i]);
        CHECK_FALSE(got[i].user);
    }
}

TEMPLATE_TEST_CASE("icrc_check: of one packet each bit but those that may change on the way", "[cosim]", Width512,
                   Width64) {
    for (const std::uint8_t first : {0x45, 0x60}) {
        Packets random(first);
        Bytes packet = random.draw(headers(Bytes{first}) + 5);
        packet[0] = first;
        packet = with_icrc(std::move(packet));
        std::vector<Bytes> flipped;
        for (std::size_t bit = 8; bit < 8 * packet.size(); ++bit) {
            flipped.push_back(packet);
            flipped.back()[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
        }
        checked<TestType>(flipped, {16, 16}, 1);
    }
}

TEMPLATE_TEST_CASE("icrc_insert, icrc_check: full rate, and cycles as rtl/README.md says", "[cosim]", Width512, Width64,
                   Width32) {
    constexpr std::size_t kBeat = PacketBench<typename TestType::InsertModule>::kBeat;
    const std::uint64_t insert_takes = kBeat == 64 ? 11 : kBeat == 8 ? 8 : 7, check_takes = 7;
    const auto beats = [](std::size_t bytes) { return (bytes + kBeat - 1) / kBeat; };
    Packets random(1);
    std::vector<Bytes> packets;
    for (std::size_t bytes = 64; bytes < 64 + 200; ++bytes) packets.push_back(random.draw(bytes));
    std::uint64_t begins = 0;
    for (const StreamedPacket& out : through<typename TestType::InsertModule>("icrc_insert", packets, {16, 16}, 1)) {
        CAPTURE(out.bytes.size());
        REQUIRE(out.beats == beats(out.bytes.size()));
        REQUIRE(out.first == begins + insert_takes);
        REQUIRE(out.last == out.first + out.beats - 1);
        begins += out.beats;  // one more than came if the ICRC did not fit
    }
    begins = 0;
    for (const StreamedPacket& out : through<typename TestType::CheckModule>("icrc_check", packets, {16, 16}, 1)) {
        CAPTURE(out.bytes.size());
        REQUIRE(out.beats == beats(out.bytes.size()));
        REQUIRE(out.first == begins + check_takes);
        REQUIRE(out.last == out.first + out.beats - 1);
        begins += beats(out.bytes.size() + 4);
    }
}

}  // namespace
}  // namespace rnicsim
