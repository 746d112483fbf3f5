// SPDX-License-Identifier: Apache-2.0
// packet_parser and packet_builder in a card: they say what the models say, and a wrong port is named.
#include "Vpacket_builder.h"
#include "Vpacket_parser.h"
#include "model/rtl/packet_rtl.h"
#include "testbench/tests/cosim/faulty_blocks.h"
#include "testbench/tests/wire/samples.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>

namespace rnicsim {
namespace {

template <typename Parser, typename Builder>
void live() {
    FramePool pool;
    PacketBuilderRtl<Builder> builder({});
    PacketParserRtl<Parser> parser({});
    const FrameRef frame = pool.take();
    builder.format(*frame, roce::kSampleRoute, roce::sample(roce::Opcode::write_only, 100));
    roce::seal(*frame);
    static_cast<void>(parser.read(*frame));  // a fault is an exception
}

TEST_CASE("packets of a card in Verilog: made and read as the models do it", "[cosim]") {
    FramePool pool;
    PacketBuilderRtl<Vpacket_builder> builder({});
    PacketParserRtl<Vpacket_parser> parser({});
    for (const roce::OpcodeMeaning& one : roce::kOpcodes) {
        for (const IpAddress address : {IpAddress::v4, IpAddress::unique_local}) {
            CAPTURE(one.name);
            roce::Route route = roce::kSampleRoute;
            route.source = route.destination = address;
            const roce::Header header = roce::sample(one.opcode, one.payload ? 61 : 0);
            const FrameRef frame = pool.take(), model = pool.take();
            const auto room = builder.format(*frame, route, header), expected = roce::format(*model, route, header);
            REQUIRE(room.size() == header.payload);
            std::ranges::fill(room, std::uint8_t{0x5A});
            std::ranges::fill(expected, std::uint8_t{0x5A});
            roce::seal(*frame);
            roce::seal(*model);
            REQUIRE(std::ranges::equal(frame->bytes(), model->bytes()));
            const roce::Packet read = parser.read(*frame);
            REQUIRE(same(read, roce::view_of(*model).packet));
        }
    }
}

TEST_CASE("packets of a card in Verilog: what is no packet is refused as the model refuses it", "[cosim]") {
    FramePool pool;
    PacketParserRtl<Vpacket_parser> parser({});
    const FrameRef good = roce::sample_frame(pool, roce::sample(roce::Opcode::write_only, 30));
    for (std::size_t bit = 8 * 12; bit < 8 * (good->length() - kFcsBytes); ++bit) {
        CAPTURE(bit);
        const FrameRef frame = pool.copy(*good);
        frame->writable_bytes()[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
        REQUIRE(parser.read(*frame).error == roce::view_of(*frame).packet.error);
    }
    for (std::size_t bytes = 0; bytes < good->length(); ++bytes) {
        CAPTURE(bytes);
        const FrameRef frame = pool.copy(*good);
        frame->truncate(bytes);
        REQUIRE(parser.read(*frame).error == roce::view_of(*frame).packet.error);
    }
}

TEST_CASE("packets of a card in Verilog: the port that is wrong is named", "[cosim]") {
    CHECK(fault_of(live<Vpacket_parser, Vpacket_builder>) == "nothing");
    const auto parser = []<auto Port>(const char* port) {
        const std::string said = fault_of(live<WrongOutput<Vpacket_parser, Port, kInverted>, Vpacket_builder>);
        INFO(said);
        CHECK(said.starts_with("packet_parser"));
        CHECK(said.find(std::string(": ") + port + " is ") != std::string::npos);
    };
    const auto builder = []<auto Port>(const char* port) {
        const std::string said = fault_of(live<Vpacket_parser, WrongOutput<Vpacket_builder, Port, kInverted>>);
        INFO(said);
        CHECK(said.starts_with("packet_builder"));
        CHECK(said.find(std::string(": ") + port + " is ") != std::string::npos);
    };
    parser.operator()<RNICSIM_PORT(error_o)>("error_o");
    parser.operator()<RNICSIM_PORT(psn_o)>("psn_o");
    parser.operator()<RNICSIM_PORT(payload_at_o)>("payload_at_o");
    parser.operator()<([](auto& module) -> auto& { return module.m_axis_tdata_o[0]; })>("m_axis_tdata_o");
    builder.operator()<([](auto& module) -> auto& { return module.m_axis_tdata_o[0]; })>("m_axis_tdata_o");
}

}  // namespace
}  // namespace rnicsim
