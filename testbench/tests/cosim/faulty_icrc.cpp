// SPDX-License-Identifier: Apache-2.0
// The ICRC's Verilog in a card: what it appends and what it finds, and a wrong port is named.
#include "Vicrc_check.h"
#include "Vicrc_insert.h"
#include "model/rtl/icrc_rtl.h"
#include "testbench/tests/cosim/faulty_blocks.h"
#include "testbench/tests/wire/samples.h"

#include <algorithm>
#include <string>

namespace rnicsim {
namespace {

using Icrc = IcrcRtl<Vicrc_insert, Vicrc_check>;

/// As it was asked for, without ICRC; payload that has some.
FrameRef formatted(FramePool& pool, std::uint32_t payload, IpAddress address) {
    FrameRef frame = pool.take();
    roce::Route route = roce::kSampleRoute;
    route.source = route.destination = address;
    const std::span<std::uint8_t> room = roce::format(*frame, route, roce::sample(roce::Opcode::write_only, payload));
    for (std::size_t i = 0; i < room.size(); ++i) room[i] = static_cast<std::uint8_t>(i * 37 + payload);
    return frame;
}

/// What a receiver gets to know of it.
roce::Error error_of(Icrc& icrc, const Frame& frame) {
    roce::Packet packet = roce::view_of(frame).packet;
    icrc.check(frame, packet);
    return packet.error;
}

/// A packet there and back.
template <typename Insert, typename Check>
void live() {
    FramePool pool;
    IcrcRtl<Insert, Check> icrc({});
    const FrameRef frame = formatted(pool, 100, IpAddress::v4);
    icrc.complete(*frame);
    static_cast<void>(icrc.good(*frame));  // a fault is an exception
}

TEST_CASE("the ICRC of a card in Verilog: frames are those of the model, and their FCS is good", "[cosim]") {
    FramePool pool;
    Icrc icrc({});
    for (const IpAddress address : {IpAddress::v4, IpAddress::unique_local}) {
        for (std::uint32_t payload = 0; payload < 140; ++payload) {
            CAPTURE(payload);
            const FrameRef frame = formatted(pool, payload, address), model = pool.copy(*frame);
            icrc.complete(*frame);
            roce::seal(*model);
            REQUIRE(std::ranges::equal(frame->bytes(), model->bytes()));
            REQUIRE(frame->fcs_good());
            REQUIRE_FALSE(frame->trailer_due());  // so that a receiver has to look
            REQUIRE(icrc.good(*frame));
        }
    }
}

TEST_CASE("the ICRC of a card in Verilog: one that is due is written, one that is wrong is found", "[cosim]") {
    FramePool pool;
    Icrc icrc({});
    const FrameRef sealed = formatted(pool, 64, IpAddress::v4);
    roce::seal(*sealed);
    CHECK(icrc.good(*sealed));
    CHECK(error_of(icrc, *sealed) == roce::Error::none);
    for (const std::size_t at : {roce::kBthAt, roce::kBthAt + 40, sealed->length() - kFcsBytes - 1}) {
        const FrameRef frame = pool.copy(*sealed);
        frame->writable_bytes()[at] ^= 1U;
        CHECK_FALSE(icrc.good(*frame));
        CHECK(error_of(icrc, *frame) == roce::Error::icrc);
    }
    const FrameRef marked = pool.copy(*sealed);  // by a switch
    marked->writable_bytes()[kIpv4At + 1] ^= 1U;
    CHECK(icrc.good(*marked));
}

TEST_CASE("the ICRC of a card in Verilog: the port that is wrong is named", "[cosim]") {
    CHECK(fault_of(live<Vicrc_insert, Vicrc_check>) == "nothing");
    const auto insert = []<auto Port>(const char* port) {
        const std::string said = fault_of(live<WrongOutput<Vicrc_insert, Port, kInverted>, Vicrc_check>);
        INFO(said);
        CHECK(said.starts_with("icrc_insert"));
        CHECK(said.find(std::string(": ") + port + " is ") != std::string::npos);
    };
    const auto check = []<auto Port>(const char* port) {
        const std::string said = fault_of(live<Vicrc_insert, WrongOutput<Vicrc_check, Port, kInverted>>);
        INFO(said);
        CHECK(said.starts_with("icrc_check"));
        CHECK(said.find(std::string(": ") + port + " is ") != std::string::npos);
    };
    insert.operator()<RNICSIM_PORT(m_axis_tuser_o)>("m_axis_tuser_o");
    check.operator()<RNICSIM_PORT(m_axis_tuser_o)>("m_axis_tuser_o");
    insert.operator()<([](auto& module) -> auto& { return module.m_axis_tdata_o[0]; })>("m_axis_tdata_o");
    check.operator()<([](auto& module) -> auto& { return module.m_axis_tdata_o[0]; })>("m_axis_tdata_o");
}

}  // namespace
}  // namespace rnicsim
