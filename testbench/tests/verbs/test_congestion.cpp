// SPDX-License-Identifier: Apache-2.0
// DCQCN by rule: exact rates, alphas and times of one QP; who is told of a mark, and who waits.
#include "testbench/tests/verbs/verbs_pair.h"
#include "tlm/roce/codec.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim::rc {
namespace {

constexpr std::int64_t kGbit = 1'000'000'000;
constexpr Time kTimer = kMicrosecond * 55;

DcqcnConfig hundred_gigabits() {
    DcqcnConfig config;
    config.most_rate = 100 * kGbit;
    return config;
}

EndSettings controlled() {
    EndSettings s;
    s.config.congestion = &congestion_control("dcqcn");
    s.config.dcqcn.most_rate = 10 * kGbit;
    s.attributes.timeout = 14;
    return s;
}

roce::Header cnp() { return roce::congestion_notification({}); }

/// A CNP to the sender of the marked packet, if one is due: what the card would send now.
Lines marked_packet(End& end, Time now) {
    end.now = now;
    end.rc.on_marked(now, kFarCard, end.qp, end);
    return end.notifications();
}

TEST_CASE("V-D1: a mark is told to its sender at once, and not again within the interval", "[verbs]") {
    End end(controlled());
    CHECK(marked_packet(end, Time{}).size() == 1);
    CHECK(marked_packet(end, kMicrosecond * 50 - kPicosecond) == Lines{});
    CHECK(marked_packet(end, kMicrosecond * 50).size() == 1);
    CHECK(marked_packet(end, kMicrosecond * 50).empty());
    CHECK(end.rc.count(RcCount::marked_packets) == 4);
    CHECK(end.rc.count(RcCount::cnps_sent) == 2);

    end.now += kMillisecond;
    end.rc.on_marked(end.now, kFarCard, end.qp, end);
    const auto packet = end.rc.next_packet(end.now, Lane::notification, end);
    REQUIRE(packet);
    CHECK(packet->header == roce::congestion_notification(kFar));
    CHECK(packet->peer == kFarCard);
    end.rc.on_marked(end.now, Peer{4}, end.qp, end);  // nobody's
    CHECK(end.rc.count(RcCount::marked_packets) == 5);
}

TEST_CASE("V-D1: without congestion control marks and CNPs mean nothing", "[verbs]") {
    End end;
    CHECK(marked_packet(end, Time{}) == Lines{});
    CHECK(end.packet(cnp()) == Lines{});
    CHECK_FALSE(end.state().pace.rate.limited());
    CHECK(end.rc.count(RcCount::marked_packets) == 0);
}

TEST_CASE("V-D1: a CNP leaves before what else the QP has to answer, and does not wait for the pace", "[verbs]") {
    End end(controlled());
    end.packet(cnp());
    end.packet(reth(request(roce::Opcode::read_request, kRq), end, 3 * kMtu));
    CHECK(end.answers().size() == 1);  // one response, the others wait
    CHECK(marked_packet(end, Time{}).size() == 1);
    CHECK(end.rc.count(RcCount::cnps_sent) == 1);
}

TEST_CASE("V-D2: a CNP makes the rate the target, cuts it by half of alpha, and alpha grows", "[verbs]") {
    const DcqcnConfig config = hundred_gigabits();
    Dcqcn rate;
    CHECK_FALSE(rate.limited());
    rate.on_cnp(Time{}, config);
    CHECK(rate.target() == 100 * kGbit);
    CHECK(rate.current() == 50 * kGbit);
    CHECK(rate.alpha() == Dcqcn::kOne);
    rate.on_cnp(kMicrosecond * 50, config);
    CHECK(rate.target() == 50 * kGbit);
    CHECK(rate.current() == 25 * kGbit);
    // Both timers have expired: alpha is 255/256, the rate 37.5 Gb/s, and 37.5 x 255/512 is rounded down.
    rate.on_cnp(kMicrosecond * 105, config);
    CHECK(rate.target() == 37'500'000'000);
    CHECK(rate.current() == 37'500'000'000 - 18'676'757'812);
    CHECK(rate.alpha() == 1'044'480 + 16);
    for (int i = 0; i < 40; ++i) rate.on_cnp(kMicrosecond * 105, config);
    CHECK(rate.current() == config.least_rate);
}

TEST_CASE("V-D3: alpha falls by a part g each time its timer sees no CNP", "[verbs]") {
    const DcqcnConfig config = hundred_gigabits();
    Dcqcn rate;
    rate.on_cnp(Time{}, config);
    rate.advance(kTimer - kPicosecond, config);
    CHECK(rate.alpha() == 1'048'576);
    rate.advance(kTimer, config);
    CHECK(rate.alpha() == 1'044'480);
    rate.advance(kTimer * 3 - kPicosecond, config);
    CHECK(rate.alpha() == 1'040'400);
    rate.advance(kTimer * 3, config);
    CHECK(rate.alpha() == 1'036'335);  // 1036335.9, rounded down
    rate.advance(kSecond, config);
    CHECK(rate.alpha() == 0);
}

TEST_CASE("V-D4: half of the way back five times, then the target grows by AI", "[verbs]") {
    const DcqcnConfig config = hundred_gigabits();
    Dcqcn rate;
    rate.on_cnp(Time{}, config);
    rate.on_cnp(Time{}, config);  // target 50, current 25 Gb/s
    constexpr std::array<std::int64_t, 5> kFast{37'500'000'000, 43'750'000'000, 46'875'000'000, 48'437'500'000,
                                                49'218'750'000};
    for (std::size_t i = 0; i < kFast.size(); ++i) {
        rate.advance(kTimer * static_cast<std::int64_t>(i + 1), config);
        CHECK(rate.current() == kFast[i]);
        CHECK(rate.target() == 50 * kGbit);
    }
    rate.advance(kTimer * 6, config);
    CHECK(rate.target() == 50'040'000'000);
    CHECK(rate.current() == 49'629'375'000);
    rate.advance(kTimer * 7, config);
    CHECK(rate.target() == 50'080'000'000);
    CHECK(rate.current() == 49'854'687'500);
}

TEST_CASE("V-D4: the byte counter counts as well; when both have, the target grows by HAI", "[verbs]") {
    DcqcnConfig config = hundred_gigabits();
    config.byte_counter = 10'000;
    Dcqcn rate;
    rate.on_cnp(Time{}, config);
    rate.on_cnp(Time{}, config);
    rate.on_sent(Time{}, 9'999, config);
    CHECK(rate.current() == 25 * kGbit);
    rate.on_sent(Time{}, 1, config);
    CHECK(rate.current() == 37'500'000'000);
    for (int i = 0; i < 4; ++i) rate.on_sent(Time{}, 10'000, config);
    CHECK(rate.target() == 50 * kGbit);
    rate.on_sent(Time{}, 10'000, config);
    CHECK(rate.target() == 50'040'000'000);  // six byte events, no timer
    rate.advance(kTimer * 5, config);
    CHECK(rate.target() == 50'240'000'000);  // five of the timer: AI each, the byte counter is beyond F
    rate.advance(kTimer * 6, config);
    CHECK(rate.target() == 50'640'000'000);
    rate.advance(kSecond, config);
    CHECK_FALSE(rate.limited());  // back at the line's rate
}

/// What `parameters: nic` says, at 100 Gb/s, but for a byte counter a thousand times as fast.
DcqcnConfig as_sold() {
    DcqcnConfig config = hundred_gigabits();
    config.g = 5;
    config.first_alpha = 1023;
    config.alpha_update = AlphaUpdate::period;
    config.alpha_timer = kMicrosecond;
    config.reduction_interval = kMicrosecond * 4;
    config.target_update = TargetUpdate::timer;
    config.rate_timer = kMicrosecond * 300;
    config.byte_counter = 32'767;
    config.fast_recovery = 1;
    return config;
}

TEST_CASE("V-D2: with intervals the rate falls once at the end of each in which CNPs came", "[verbs]") {
    DcqcnConfig config = as_sold();
    config.g = 512;  // alpha moves by half
    Dcqcn rate;
    const Time begin = kMicrosecond * 10;
    rate.on_cnp(begin, config);
    rate.on_cnp(begin + kMicrosecond * 3, config);
    rate.advance(begin + kMicrosecond * 4 - kPicosecond, config);
    CHECK(rate.limited());
    CHECK(rate.current() == 100 * kGbit);
    // Alpha began with 1023/1024 = 1047552; CNPs came in the first and in the fourth microsecond.
    std::uint32_t alpha = 1'047'552;
    alpha += (Dcqcn::kOne - alpha) / 2;
    for (int i = 0; i < 2; ++i) alpha /= 2;
    rate.advance(begin + kMicrosecond * 4, config);
    alpha += (Dcqcn::kOne - alpha) / 2;
    CHECK(rate.alpha() == alpha);
    CHECK(rate.current() == 100 * kGbit - ((100 * kGbit * alpha) >> 21U));
    const std::int64_t after = rate.current();
    rate.advance(begin + kMicrosecond * 100, config);
    CHECK(rate.current() == after);  // nothing but its timer and bytes raise it
    // The next CNP is 101.5 us behind the first: that interval ends at 104.
    rate.on_cnp(begin + kMicrosecond * 101 + kNanosecond * 500, config);
    rate.advance(begin + kMicrosecond * 104 - kPicosecond, config);
    CHECK(rate.current() == after);
    rate.advance(begin + kMicrosecond * 104, config);
    CHECK(rate.current() < after);
    CHECK(rate.target() == 100 * kGbit);
}

TEST_CASE("V-D2: with target_update timer only a rate that the timer has raised becomes the target", "[verbs]") {
    const DcqcnConfig config = as_sold();
    Dcqcn rate;
    rate.on_cnp(Time{}, config);
    rate.advance(kMicrosecond * 4, config);
    const std::int64_t low = rate.current();
    CHECK(rate.target() == 100 * kGbit);
    rate.on_sent(kMicrosecond * 5, 32'767, config);
    CHECK(rate.current() == 100 * kGbit - (100 * kGbit - low) / 2);
    rate.on_cnp(kMicrosecond * 6, config);
    rate.advance(kMicrosecond * 8, config);
    CHECK(rate.target() == 100 * kGbit);  // the bytes had raised it
    rate.advance(kMicrosecond * 308, config);
    const std::int64_t risen = rate.current();
    rate.on_cnp(kMicrosecond * 309, config);
    rate.advance(kMicrosecond * 312, config);
    CHECK(rate.target() == risen);
    CHECK(rate.current() < risen);
}

TEST_CASE("V-D3: with alpha_update period alpha grows once a period with CNPs, and falls in one without", "[verbs]") {
    const DcqcnConfig config = as_sold();
    Dcqcn rate;
    rate.on_cnp(Time{}, config);
    CHECK(rate.alpha() == 1'047'552);
    rate.on_cnp(kNanosecond * 900, config);
    CHECK(rate.alpha() == 1'047'552);
    rate.advance(kMicrosecond, config);
    CHECK(rate.alpha() == 1'047'552 + 5);  // (1048576 - 1047552) x 5/1024
    rate.advance(kMicrosecond * 2, config);
    CHECK(rate.alpha() == 1'042'441);  // 1047557 x 1019/1024 = 1042441.98
    rate.advance(kSecond, config);
    CHECK(rate.alpha() == 0);
    rate.on_cnp(kSecond + kNanosecond, config);  // its period begins with it
    rate.advance(kSecond + kMicrosecond, config);
    CHECK(rate.alpha() == 0);
    rate.advance(kSecond + kMicrosecond + kNanosecond, config);
    CHECK(rate.alpha() == 5'120);
}

TEST_CASE("V-D6: a gap brings a CNP beside its NAK if asked to, within the interval of CNPs", "[verbs]") {
    for (const bool tells : {false, true}) {
        EndSettings settings = controlled();
        settings.config.nak_cnp = tells;
        End end(settings);
        CHECK(end.packet(reth(request(roce::Opcode::write_only, kRq + 1, kMtu), end, kMtu)) == Lines{});
        CHECK(end.answers().size() == 1);  // the NAK
        CHECK(end.notifications().size() == (tells ? 1U : 0U));
        CHECK(end.rc.count(RcCount::marked_packets) == 0);
        end.packet(reth(request(roce::Opcode::write_only, kRq, kMtu), end, kMtu));
        end.packet(reth(request(roce::Opcode::write_only, kRq + 2, kMtu), end, kMtu));
        end.answers();
        CHECK(end.rc.count(RcCount::naks_sent) == 2);
        CHECK(end.notifications().empty());  // 50 us are not over
        CHECK(end.rc.count(RcCount::cnps_sent) == (tells ? 1U : 0U));
    }
    EndSettings without;
    without.config.nak_cnp = true;  // nobody hears CNPs
    End end(without);
    end.packet(reth(request(roce::Opcode::write_only, kRq + 1, kMtu), end, kMtu));
    CHECK(end.notifications().empty());
}

TEST_CASE("V-D5: packets leave by the rate to the picosecond, and what is rounded does not add up", "[verbs]") {
    DcqcnConfig config = hundred_gigabits();
    config.least_rate = config.most_rate = 7 * kGbit;  // 1000 B take 1142857 1/7 ps
    config.rate_timer = kSecond;
    Dcqcn rate;
    rate.on_cnp(Time{}, config);
    REQUIRE(rate.limited());
    Time last;
    for (int i = 1; i <= 7'000; ++i) {
        const Time late{i % 3 * 1'000};  // as a clock makes it
        rate.on_sent(rate.next_deadline() + late, 1'000, config);
        last = rate.next_deadline();
    }
    CHECK(last == Time{8'000'000'000});
    rate.on_sent(kMillisecond * 9, 1'000, config);  // a rest earns nothing
    CHECK(rate.next_deadline() == kMillisecond * 9 + Time{1'142'857});
}

TEST_CASE("V-D5: a QP waits for its time, retransmissions as well, and wakes the card", "[verbs]") {
    End end(controlled());
    end.packet(cnp());  // 5 Gb/s
    CHECK(end.post(wqe(Verb::write, 3 * kMtu, end)) == Lines{});
    CHECK(end.send().size() == 1);
    // 8 + 14 + 20 + 8 + 12 + 16 + 256 + 4 + 4 + 12 bytes with the first packet's RETH, at 5 Gb/s.
    const Time first{354 * 1'600};
    CHECK(end.rc.next_deadline() == first);
    CHECK(end.expiry(first) == Lines{});
    CHECK(end.send().size() == 1);
    CHECK(end.send() == Lines{});
    const Time second = first + Time{338 * 1'600};
    CHECK(end.expiry(second) == Lines{});
    CHECK(end.send().size() == 1);
    end.packet(nak(kSq, roce::NakCode::psn_sequence));
    CHECK(end.send() == Lines{});
    CHECK(end.expiry(second + Time{338 * 1'600}) == Lines{});
    CHECK(end.send().size() == 1);
    CHECK(end.rc.count(RcCount::retransmissions) == 1);
    CHECK(end.rc.count(RcCount::cnps_received) == 1);
}

TEST_CASE("V-D5: READ responses are paced, ACKs are not", "[verbs]") {
    End end(controlled());
    end.packet(cnp());
    end.packet(reth(request(roce::Opcode::write_only, kRq, kMtu), end, kMtu));
    end.packet(reth(request(roce::Opcode::read_request, kRq + 1), end, 2 * kMtu));
    CHECK(end.answers().size() == 2);  // the ACK and a response
    CHECK(end.answers() == Lines{});
    CHECK(end.expiry(Time{342 * 1'600}) == Lines{});
    CHECK(end.answers().size() == 1);
    CHECK(end.rc.next_deadline() == kEndOfTime);
}

TEST_CASE("V-D5: other QPs of the card do not wait", "[verbs]") {
    End end(controlled());
    QpInit init = end.state().init;
    const Qpn other = *end.rc.create_qp({}, init);
    const auto to = [&](QpState state, AttributeMask mask) {
        REQUIRE(end.rc.modify_qp({}, other, state, mask, end.attributes, end) == ModifyError::none);
    };
    to(QpState::init, attribute::kAccess);
    to(QpState::rtr, attribute::kForRtr);
    to(QpState::rts, attribute::kForRts);
    end.packet(cnp());
    end.post(wqe(Verb::write, 3 * kMtu, end));
    CHECK(end.rc.on_push({}, other, wqe(Verb::write, 3 * kMtu, end), end));
    CHECK(end.send().size() == 4);  // one of the slow QP, three of the other
    CHECK(end.send() == Lines{});
}

}  // namespace
}  // namespace rnicsim::rc
