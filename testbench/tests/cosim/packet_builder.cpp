// SPDX-License-Identifier: Apache-2.0
// packet_builder beside the model's format(): packets of every opcode, with and without stalls on all three sides; and
// packet_parser reads what it has built.
#include "Vpacket_builder.h"
#include "Vpacket_builder_32.h"
#include "Vpacket_builder_64.h"
#include "Vpacket_parser.h"
#include "Vpacket_parser_32.h"
#include "Vpacket_parser_64.h"
#include "model/rtl/packet_bench.h"
#include "model/rtl/packet_ports.h"
#include "testbench/tests/wire/samples.h"

#include <algorithm>
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace rnicsim {
namespace {

struct ToBuild {
    roce::Route route;
    roce::Header header;
    Bytes payload;
    std::optional<std::array<std::uint32_t, 2>> hosts{};  ///< addresses of IPv4 that no host of ours has
};

/// The model's packet, from the IP header to the pad.
Bytes model_bytes(FramePool& pool, const ToBuild& packet) {
    const FrameRef frame = pool.take();
    std::ranges::copy(packet.payload, roce::format(*frame, packet.route, packet.header).begin());
    if (packet.hosts) {
        const std::span<std::uint8_t> bytes = frame->writable_bytes();
        for (std::size_t i = 0; i < 8; ++i)
            bytes[kIpv4At + 12 + i] = static_cast<std::uint8_t>(packet.hosts->at(i / 4) >> (24 - 8 * (i % 4)));
        roce::right_ip_checksum(bytes);
    }
    const std::span<const std::uint8_t> all = frame->client_data();
    const std::size_t udp = frame->ether_type() == kIpv6EtherType ? kIpv6HeaderBytes : kIpv4HeaderBytes;
    const std::size_t bytes = udp + get_u16(all, udp + 4) - roce::kIcrcBytes;
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(bytes)};
}

class Draw {
  public:
    explicit Draw(std::uint32_t seed) : random_(seed) {}
    std::uint32_t of(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

    /// All fields of the header are random, also those that the opcode has no room for.
    ToBuild packet(roce::Opcode opcode, std::uint32_t payload, bool ipv6) {
        ToBuild out;
        roce::Route& route = out.route;
        route.from = of(0xFFFF);
        route.to = of(0xFFFF);
        route.source_port = static_cast<std::uint16_t>(random_());
        route.dscp = static_cast<std::uint8_t>(of(64));
        const std::array<Ecn, 3> codes{Ecn::not_capable, Ecn::capable, Ecn::congestion};
        route.ecn = codes.at(of(3));
        route.hop_limit = static_cast<std::uint8_t>(random_());
        route.flow_label = of(1U << 20U);
        if (ipv6) {
            route.source = of(2) == 0 ? IpAddress::link_local : IpAddress::unique_local;
            route.destination = of(2) == 0 ? IpAddress::link_local : IpAddress::unique_local;
        }
        roce::Header& header = out.header;
        header.opcode = opcode;
        header.solicited = of(2) == 0;
        header.ack_request = of(2) == 0;
        header.fecn = of(2) == 0;
        header.becn = of(2) == 0;
        header.apart = of(2) == 0;
        header.partition = static_cast<std::uint16_t>(random_());
        header.to.n = of(1U << 24U);
        header.psn.n = of(1U << 24U);
        header.address = long_number();
        header.key = static_cast<std::uint32_t>(random_());
        header.length = static_cast<std::uint32_t>(random_());
        header.swap_or_add = long_number();
        header.compare = long_number();
        header.aeth = {static_cast<roce::AckKind>(of(8)), static_cast<std::uint8_t>(of(32)), {of(1U << 24U)}};
        header.feth = {static_cast<roce::FlushPlacement>(of(16)), static_cast<roce::FlushSelectivity>(of(4))};
        header.original = long_number();
        header.immediate = static_cast<std::uint32_t>(random_());
        header.queue_key = static_cast<std::uint32_t>(random_());
        header.from.n = of(1U << 24U);
        header.arrived.n = of(1U << 24U);
        header.payload = payload;
        out.payload.resize(payload);
        for (std::uint8_t& byte : out.payload) byte = static_cast<std::uint8_t>(random_());
        return out;
    }

    std::vector<ToBuild> packets(int count) {
        std::vector<ToBuild> out;
        for (int i = 0; i < count; ++i) {
            const roce::OpcodeMeaning& one = roce::kOpcodes.at(of(static_cast<std::uint32_t>(roce::kOpcodes.size())));
            const std::uint32_t bytes = of(3) == 0 ? 0 : of(8) == 0 ? of(1400) : of(150);
            out.push_back(packet(one.opcode, one.payload ? bytes : 0, of(2) == 0));
        }
        return out;
    }

  private:
    std::uint64_t long_number() { return std::uint64_t{random_()} << 32U | random_(); }
    std::mt19937 random_;
};

/// Every opcode, by IPv4 and IPv6, with payload of such lengths that it ends everywhere in a beat.
std::vector<ToBuild> of_every_opcode(Draw& draw) {
    std::vector<ToBuild> out;
    for (const roce::OpcodeMeaning& one : roce::kOpcodes) {
        for (const bool ipv6 : {false, true}) {
            for (const std::uint32_t payload :
                 {0, 1, 2, 3, 4, 5, 8, 20, 23, 24, 25, 60, 63, 64, 65, 84, 88, 127, 1024}) {
                if (payload == 0 || one.payload) out.push_back(draw.packet(one.opcode, payload, ipv6));
            }
        }
    }
    return out;
}

/// How likely each side is to go on, in sixteenths.
struct Pace {
    std::uint32_t packet, payload, ready;
};
constexpr Pace kPaces[] = {{16, 16, 16}, {16, 16, 8}, {8, 16, 16}, {16, 8, 16},
                           {8, 8, 8},    {2, 16, 16}, {16, 2, 16}, {16, 16, 2}};

template <typename Module>
std::vector<StreamedPacket> build(const std::vector<ToBuild>& packets, Pace pace, std::uint32_t seed) {
    PacketBench<Module> bench("packet_builder");
    std::mt19937 random(seed);
    std::size_t next = 0, beats = 64;
    bool offered = false;
    for (const ToBuild& packet : packets) {
        if (!packet.payload.empty()) bench.put(packet.payload);
        beats += (packet.payload.size() + 88) / PacketBench<Module>::kBeat + 2;
    }
    bench.drive = [&](Module& rtl) {
        offered = next < packets.size() && (offered || random() % 16 < pace.packet);
        rtl.packet_valid_i = offered;
        if (!offered) return;
        show_packet(rtl, packets[next].route, packets[next].header);
        if (!packets[next].hosts) return;
        rtl.source_i[0] = packets[next].hosts->at(0);
        rtl.destination_i[0] = packets[next].hosts->at(1);
    };
    bench.look_at = [&](Module& rtl) {
        if (!offered || rtl.packet_ready_o == 0) return;
        offered = false;
        ++next;
    };
    std::vector<StreamedPacket> out;
    for (std::size_t i = 0; i < 100 * beats && out.size() < packets.size(); ++i) {
        const bool offer = random() % 16 < pace.payload, ready = random() % 16 < pace.ready;
        bench.cycle(offer, ready);
        while (!bench.out().empty()) out.push_back(bench.next());
    }
    for (int i = 0; i < 32; ++i) bench.cycle(false, true);
    CHECK(bench.out().empty());
    CHECK_FALSE(bench.sending());
    REQUIRE(out.size() == packets.size());
    return out;
}

template <typename Module>
void compare(const std::vector<ToBuild>& packets, Pace pace, std::uint32_t seed) {
    FramePool pool;
    const std::vector<StreamedPacket> out = build<Module>(packets, pace, seed);
    for (std::size_t i = 0; i < packets.size(); ++i) {
        CAPTURE(i, static_cast<unsigned>(packets[i].header.opcode), packets[i].payload.size());
        REQUIRE(out[i].bytes == model_bytes(pool, packets[i]));
        REQUIRE(out[i].clean);
    }
}

TEMPLATE_TEST_CASE("packet_builder: every opcode, by IPv4 and IPv6, as the model has it", "[cosim]", Vpacket_builder,
                   Vpacket_builder_64, Vpacket_builder_32) {
    Draw draw(1);
    compare<TestType>(of_every_opcode(draw), {16, 16, 16}, 1);
}

TEMPLATE_TEST_CASE("packet_builder: random packets, whatever stalls", "[cosim]", Vpacket_builder, Vpacket_builder_64,
                   Vpacket_builder_32) {
    for (std::uint32_t run = 0; run < 16; ++run) {
        CAPTURE(run);
        Draw draw(run);
        compare<TestType>(draw.packets(150), kPaces[run % std::size(kPaces)], run);
    }
}

TEST_CASE("packet_builder: the checksum of any addresses, also where its sum carries", "[cosim]") {
    Draw draw(1);
    FramePool pool;
    std::vector<ToBuild> packets;
    for (int i = 0; i < 50; ++i) {
        ToBuild packet = draw.packet(roce::Opcode::ack, 0, false);
        const std::uint32_t high = i == 0 ? 0xFFFF'0000 : draw.of(1U << 16U) << 16U;
        packet.hosts = {i == 0 ? 0xFFFF'FFFF : draw.of(~0U), high};
        const std::uint32_t sum = get_u16(model_bytes(pool, packet), 10);  // with this as a word, the sum is 0xFFFF
        for (std::uint32_t near = 0; near < 16; ++near) {
            packet.hosts->at(1) = high | ((sum + near - 8) & 0xFFFFU);
            packets.push_back(packet);
        }
    }
    compare<Vpacket_builder>(packets, {16, 16, 16}, 1);
    compare<Vpacket_builder_64>(packets, {16, 16, 16}, 1);
}

TEMPLATE_TEST_CASE("packet_builder: full rate, and cycles as rtl/README.md says", "[cosim]", Vpacket_builder,
                   Vpacket_builder_64, Vpacket_builder_32) {
    constexpr std::size_t kBeat = PacketBench<TestType>::kBeat;
    Draw draw(1);
    std::uint64_t begins = 10;
    for (const StreamedPacket& out : build<TestType>(draw.packets(200), {16, 16, 16}, 1)) {
        REQUIRE(out.beats == (out.bytes.size() + kBeat - 1) / kBeat);
        REQUIRE(out.first == begins);
        REQUIRE(out.last == begins + out.beats - 1);
        begins += out.beats;
    }
}

template <typename Builder, typename Parser>
struct Pair {
    using BuilderModule = Builder;
    using ParserModule = Parser;
};
using Pair512 = Pair<Vpacket_builder, Vpacket_parser>;
using Pair64 = Pair<Vpacket_builder_64, Vpacket_parser_64>;
using Pair32 = Pair<Vpacket_builder_32, Vpacket_parser_32>;

/// Only what the opcode says.
roce::Header said_by(const roce::Header& header) {
    Bytes bytes(roce::header_bytes(header.opcode) + header.payload + roce::pad_bytes(header.payload));
    roce::encode(header, bytes);
    roce::Header out;
    roce::decode(bytes, out);
    return out;
}

TEMPLATE_TEST_CASE("packet_builder, packet_parser: what was built is what is read, for every opcode", "[cosim]",
                   Pair512, Pair64, Pair32) {
    Draw draw(1);
    std::vector<ToBuild> packets = of_every_opcode(draw);
    for (ToBuild& packet : packets) packet.header.aeth.kind = roce::AckKind::nak;
    const std::vector<StreamedPacket> built = build<typename TestType::BuilderModule>(packets, {16, 16, 16}, 1);
    PacketBench<typename TestType::ParserModule> parser("packet_parser");
    std::vector<roce::Packet> said;
    parser.at_end = [&said](auto& rtl) { said.push_back(parsed_packet(rtl)); };
    for (const StreamedPacket& out : built) parser.put(out.bytes);
    while (parser.sending()) parser.cycle(true, true);
    for (int i = 0; i < 16; ++i) parser.cycle(true, true);
    REQUIRE(said.size() == packets.size());
    for (std::size_t i = 0; i < packets.size(); ++i) {
        const ToBuild& packet = packets[i];
        CAPTURE(i, static_cast<unsigned>(packet.header.opcode), roce::error_name(said[i].error));
        REQUIRE(said[i].error == roce::Error::none);
        REQUIRE(said[i].header == said_by(packet.header));
        REQUIRE(said[i].source_port == packet.route.source_port);
        REQUIRE(said[i].dscp == packet.route.dscp);
        REQUIRE(said[i].ecn == packet.route.ecn);
        REQUIRE(said[i].hop_limit == packet.route.hop_limit);
        const StreamedPacket read = parser.next();
        const std::span<const std::uint8_t> behind = std::span(read.bytes).subspan(said[i].payload_at);
        REQUIRE(std::ranges::equal(behind.first(packet.payload.size()), packet.payload));
    }
}

}  // namespace
}  // namespace rnicsim
