// SPDX-License-Identifier: Apache-2.0
// packet_parser beside the model's parser: packets of every opcode, whole, damaged and cut, with and without stalls at
// both ends.
#include "Vpacket_parser.h"
#include "Vpacket_parser_32.h"
#include "Vpacket_parser_64.h"
#include "model/rtl/packet_bench.h"
#include "model/rtl/packet_ports.h"
#include "testbench/tests/wire/samples.h"
#include "tlm/ethernet/ipv6.h"

#include <algorithm>
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::size_t kMost = 150'000;  // more than IP can say

struct Received {
    Bytes bytes;
    bool bad_icrc = false;
};

bool is_ipv6(std::span<const std::uint8_t> packet) { return packet[0] >> 4U == 6; }

/// The frame with this packet, its ICRC zeros.
FrameRef frame_with(FramePool& pool, const Bytes& packet) {
    FrameRef frame = pool.take();
    frame->set_length_from_header(kEthernetHeaderBytes + packet.size() + roce::kIcrcBytes);
    const std::span<std::uint8_t> bytes = frame->writable_bytes();
    std::ranges::fill(bytes, std::uint8_t{0});
    put_u16(bytes, 12, is_ipv6(packet) ? kIpv6EtherType : kIpv4EtherType);
    std::ranges::copy(packet, bytes.subspan(kEthernetHeaderBytes).begin());
    frame->truncate(kEthernetHeaderBytes + packet.size() + roce::kIcrcBytes + kFcsBytes);
    return frame;
}

/// What the model says, payload_at as the block counts it.
struct Expected {
    roce::Packet packet;
    bool header = true;  ///< is specified
};
Expected expected(FramePool& pool, const Received& received) {
    const FrameRef frame = frame_with(pool, received.bytes);
    const roce::PacketView view = roce::view_of(*frame);
    Expected out{view.packet, !view.framed || view.packet.error != roce::Error::truncated};
    if (view.framed && received.bad_icrc) {
        out.packet.error = roce::Error::icrc;
        out.packet.header = {};
        out.header = true;
    }
    out.packet.payload_at = out.packet.error == roce::Error::none ? out.packet.payload_at - kEthernetHeaderBytes : 0;
    return out;
}

class Draw {
  public:
    explicit Draw(std::uint32_t seed) : random_(seed), pool_(kMost) {}
    std::uint32_t of(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
    std::uint8_t byte() { return static_cast<std::uint8_t>(random_()); }
    FramePool& pool() { return pool_; }

    /// Of this opcode; what a header may say is random, but for lengths, version and pad.
    Bytes packet(roce::Opcode opcode, std::uint32_t payload, bool ipv6) {
        roce::Route route = roce::kSampleRoute;
        if (ipv6) route.source = route.destination = IpAddress::unique_local;
        const FrameRef frame = roce::sample_frame(pool_, roce::sample(opcode, payload), route);
        const std::span<const std::uint8_t> all = frame->without_fcs().subspan(kEthernetHeaderBytes);
        const std::size_t udp = ipv6 ? kIpv6HeaderBytes : kIpv4HeaderBytes, bth = udp + roce::kUdpBytes;
        Bytes bytes(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(udp + get_u16(all, udp + 4) - 4));
        for (std::size_t at = bth + 1; at < bth + roce::header_bytes(opcode); ++at) {
            if (at != bth + 1) bytes[at] = byte();
        }
        bytes[bth + 1] = static_cast<std::uint8_t>(bytes[bth + 1] ^ (byte() & 0xC0U));
        const roce::OpcodeMeaning* const means = roce::meaning(opcode);
        const bool answers = std::ranges::count(means->parts, roce::Part::aeth) != 0;
        if (answers && of(4) != 0) bytes[bth + 12] = static_cast<std::uint8_t>((bytes[bth + 12] & 0x1FU) | of(2) << 5U);
        bytes[udp] = byte();
        if (ipv6) {
            for (std::size_t at = 8; at < kIpv6HeaderBytes; ++at) bytes[at] = byte();
            bytes[0] = static_cast<std::uint8_t>(0x60U | of(16));
            bytes[1] = byte();
            bytes[7] = byte();
        } else {
            for (const std::size_t at : {1, 4, 5, 8, 12, 13, 14, 15, 16, 17, 18, 19}) bytes[at] = byte();
            right_checksum(bytes);
        }
        return bytes;
    }

    Bytes packet() {
        const roce::OpcodeMeaning& one = roce::kOpcodes.at(of(static_cast<std::uint32_t>(roce::kOpcodes.size())));
        return packet(one.opcode, !one.payload || of(4) == 0 ? 0 : of(8) == 0 ? of(1400) : of(140), of(2) == 0);
    }

    /// Something in it is wrong, more or less.
    Received damaged() {
        Received out{packet()};
        for (std::uint32_t times = of(3); times != 0; --times) damage(out);
        return out;
    }

    /// IP and UDP say that so many bytes are behind IP. Precondition: they are there.
    static void say_length(Bytes& bytes, std::uint32_t says) {
        const bool ipv6 = is_ipv6(bytes);
        put_u16(bytes, (ipv6 ? kIpv6HeaderBytes : kIpv4HeaderBytes) + 4, static_cast<std::uint16_t>(says));
        put_u16(bytes, ipv6 ? 4 : 2, static_cast<std::uint16_t>(ipv6 ? says : says + kIpv4HeaderBytes));
        if (!ipv6) right_checksum(bytes);
    }

  private:
    static void right_checksum(Bytes& bytes) {
        if (bytes.size() < kIpv4HeaderBytes) return;
        put_u16(bytes, 10, 0);
        put_u16(bytes, 10, internet_checksum(std::span(bytes).first(kIpv4HeaderBytes)));
    }

    void damage(Received& received) {
        Bytes& bytes = received.bytes;
        const bool ipv6 = is_ipv6(bytes);
        const std::size_t udp = ipv6 ? kIpv6HeaderBytes : kIpv4HeaderBytes, bth = udp + roce::kUdpBytes;
        const auto any = [&](std::size_t end) { return of(static_cast<std::uint32_t>(std::min(end, bytes.size()))); };
        switch (of(11)) {
            case 0: bytes[any(bth + 40)] ^= static_cast<std::uint8_t>(1U << of(8)); return;
            case 1: bytes[any(bth + 40)] ^= static_cast<std::uint8_t>(1U << of(8)); break;
            case 2: bytes.resize(1 + any(bth + 60)); return;
            case 3: bytes.resize(bytes.size() + 1 + of(200), 0x5A); return;
            case 4: received.bad_icrc = true; return;
            case 5:
                if (bytes.size() > bth) bytes[bth] = byte();
                return;
            case 6:
                if (bytes.size() > bth + 1) bytes[bth + 1] = byte();
                return;
            case 7: {  // both lengths, near what is there and near what there must be
                if (bytes.size() < bth) return;
                const auto now = static_cast<std::uint32_t>(bytes.size() - udp + roce::kIcrcBytes);
                const std::uint32_t says = of(3) == 0 ? of(70) : now + of(9) - 4;
                say_length(bytes, says);
                return;
            }
            case 8:  // that of UDP, or its port
                if (bytes.size() >= bth) bytes[udp + 2 + of(4)] ^= static_cast<std::uint8_t>(1U << of(8));
                return;
            case 9:  // payload that is no multiple of four, with lengths that agree
                if (bytes.size() < bth) return;
                bytes.push_back(byte());
                say_length(bytes, static_cast<std::uint32_t>(bytes.size() - udp + roce::kIcrcBytes));
                return;
            default:
                for (std::uint8_t& one : bytes) one = byte();
                return;
        }
        if (!ipv6) right_checksum(bytes);
    }

    std::mt19937 random_;
    FramePool pool_;
};

/// How likely sender and receiver are to go on, in sixteenths.
struct Pace {
    std::uint32_t offer, ready;
};
constexpr Pace kPaces[] = {{16, 16}, {16, 8}, {8, 16}, {8, 8}, {2, 16}, {16, 2}, {12, 14}};

/// All packets through the block, each held to the model; how often each error was seen.
template <typename Module>
std::array<unsigned, 12> compare(FramePool& pool, const std::vector<Received>& packets, Pace pace, std::uint32_t seed) {
    PacketBench<Module> bench("packet_parser");
    std::mt19937 random(seed);
    std::size_t beats = 64;
    for (const Received& one : packets) {
        bench.put(one.bytes, one.bad_icrc);
        beats += one.bytes.size() / PacketBench<Module>::kBeat + 2;
    }
    std::vector<roce::Packet> said;
    bench.at_end = [&said](Module& rtl) { said.push_back(parsed_packet(rtl)); };
    std::vector<StreamedPacket> out;
    for (std::size_t i = 0; i < 100 * beats && out.size() < packets.size(); ++i) {
        const bool offer = random() % 16 < pace.offer, ready = random() % 16 < pace.ready;
        bench.cycle(offer, ready);
        while (!bench.out().empty()) out.push_back(bench.next());
    }
    for (int i = 0; i < 16; ++i) bench.cycle(false, true);
    CHECK(bench.out().empty());
    REQUIRE(out.size() == packets.size());
    std::array<unsigned, 12> seen{};
    for (std::size_t i = 0; i < packets.size(); ++i) {
        const Expected model = expected(pool, packets[i]);
        CAPTURE(i, packets[i].bytes, roce::error_name(model.packet.error), roce::error_name(said[i].error));
        REQUIRE(out[i].bytes == packets[i].bytes);
        REQUIRE(out[i].clean);
        REQUIRE(said[i].error == model.packet.error);
        REQUIRE(out[i].user == (model.packet.error != roce::Error::none));
        REQUIRE((!model.header || said[i].header == model.packet.header));
        roce::Packet outer = said[i];
        outer.header = model.packet.header;
        REQUIRE(same(outer, model.packet));
        ++seen[static_cast<std::size_t>(model.packet.error)];
    }
    return seen;
}

TEMPLATE_TEST_CASE("packet_parser: every opcode, by IPv4 and IPv6, with payload of any length", "[cosim]",
                   Vpacket_parser, Vpacket_parser_64, Vpacket_parser_32) {
    Draw draw(1);
    std::vector<Received> packets;
    for (const roce::OpcodeMeaning& one : roce::kOpcodes) {
        for (const bool ipv6 : {false, true}) {
            for (const std::uint32_t payload : {0, 1, 2, 3, 4, 5, 8, 60, 63, 64, 65, 127, 1024}) {
                if (payload == 0 || one.payload) packets.push_back({draw.packet(one.opcode, payload, ipv6)});
            }
        }
    }
    const std::array<unsigned, 12> seen = compare<TestType>(draw.pool(), packets, {16, 16}, 1);
    CHECK(seen[0] + seen[static_cast<std::size_t>(roce::Error::syndrome)] == packets.size());
    CHECK(seen[0] > packets.size() / 2);
}

TEMPLATE_TEST_CASE("packet_parser: damaged packets are refused as the model refuses them, whatever stalls", "[cosim]",
                   Vpacket_parser, Vpacket_parser_64, Vpacket_parser_32) {
    std::array<unsigned, 12> seen{};
    for (std::uint32_t run = 0; run < 14; ++run) {
        CAPTURE(run);
        Draw draw(run);
        std::vector<Received> packets;
        for (int i = 0; i < 400; ++i) packets.push_back(draw.damaged());
        const auto of_run = compare<TestType>(draw.pool(), packets, kPaces[run % std::size(kPaces)], run);
        for (std::size_t i = 0; i < seen.size(); ++i) seen[i] += of_run[i];
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
        CAPTURE(roce::kErrorNames[i]);
        CHECK(seen[i] > 4);
    }
}

TEMPLATE_TEST_CASE("packet_parser: a packet cut at each byte, one that says each length, each bit of one", "[cosim]",
                   Vpacket_parser, Vpacket_parser_64) {
    for (const bool ipv6 : {false, true}) {
        for (const roce::Opcode opcode : {roce::Opcode::write_only_imm, roce::Opcode::atomic_ack, roce::Opcode::cnp}) {
            Draw draw(1);
            const Bytes whole = draw.packet(opcode, opcode == roce::Opcode::write_only_imm ? 7 : 0, ipv6);
            std::vector<Received> packets;
            for (std::size_t bytes = 1; bytes < whole.size(); ++bytes) {
                packets.push_back({Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes))});
            }
            for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
                packets.push_back({whole});
                packets.back().bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
            }
            for (std::uint32_t says = 0; says < whole.size() + 10; ++says) {
                packets.push_back({whole});
                Draw::say_length(packets.back().bytes, says);
                packets.push_back(packets.back());
                packets.back().bytes[(ipv6 ? kIpv6HeaderBytes : kIpv4HeaderBytes) + roce::kUdpBytes] = 0xFF;
            }
            compare<TestType>(draw.pool(), packets, {16, 16}, 1);
        }
    }
}

TEMPLATE_TEST_CASE("packet_parser: what has not come is zero, not what the packet before had there", "[cosim]",
                   Vpacket_parser, Vpacket_parser_64, Vpacket_parser_32) {
    Draw draw(1);
    Bytes packet = draw.packet(roce::Opcode::send_only, 0, false);
    packet.resize(kIpv4HeaderBytes + roce::kUdpBytes);
    Draw::say_length(packet, roce::kUdpBytes);
    const Bytes shorter(packet.begin(), packet.end() - 4);
    const std::array<unsigned, 12> seen =
        compare<TestType>(draw.pool(), {{packet}, {shorter}, {packet}, {shorter}}, {16, 16}, 1);
    CHECK(seen[static_cast<std::size_t>(roce::Error::truncated)] == 2);
    CHECK(seen[static_cast<std::size_t>(roce::Error::length)] == 2);
}

TEMPLATE_TEST_CASE("packet_parser: behind more than IP can say, the next packet is read", "[cosim]", Vpacket_parser,
                   Vpacket_parser_64) {
    Draw draw(1);
    std::vector<Received> packets;
    for (const std::size_t bytes : {65'531U, 65'571U, 65'572U, 131'071U, 131'072U, 131'073U, 140'000U}) {
        for (const bool ipv6 : {false, true}) {
            packets.push_back({draw.packet(roce::Opcode::send_only, 100, ipv6)});
            packets.back().bytes.resize(bytes, 0xA5);
            packets.push_back(packets.back());
            Draw::say_length(packets.back().bytes, 0xFFFF - (ipv6 ? 0 : kIpv4HeaderBytes));
            packets.push_back({draw.packet(roce::Opcode::send_only, 100, ipv6)});
            packets.back().bytes.pop_back();  // IP says more than there is
        }
    }
    compare<TestType>(draw.pool(), packets, {16, 16}, 1);
}

TEMPLATE_TEST_CASE("packet_parser: full rate, and cycles as rtl/README.md says", "[cosim]", Vpacket_parser,
                   Vpacket_parser_64, Vpacket_parser_32) {
    Draw draw(1);
    PacketBench<TestType> bench("packet_parser");
    std::vector<std::size_t> sizes;
    for (int i = 0; i < 200; ++i) {
        Bytes packet = draw.packet();
        sizes.push_back(packet.size());
        bench.put(std::move(packet));
    }
    while (bench.sending()) bench.cycle(true, true);
    for (int i = 0; i < 16; ++i) bench.cycle(true, true);
    std::uint64_t begins = 0;
    for (const std::size_t bytes : sizes) {
        const StreamedPacket out = bench.next();
        REQUIRE(out.first == begins + 7);
        REQUIRE(out.last == out.first + out.beats - 1);
        begins += (bytes + PacketBench<TestType>::kBeat - 1) / PacketBench<TestType>::kBeat;
    }
}

}  // namespace
}  // namespace rnicsim
