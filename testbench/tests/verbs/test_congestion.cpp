// SPDX-License-Identifier: Apache-2.0
// Congestion control by rule: DCQCN: exact rates, alphas and times of one QP; who is told of a mark, and who waits.
#include "model/rnic/rc/congestion/dcqcn/dcqcn.h"
#include "testbench/tests/verbs/verbs_pair.h"
#include "tlm/roce/codec.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim::rc {
namespace {

constexpr std::int64_t kGbit = 1'000'000'000;
constexpr Time kTimer = kMicrosecond * 55;

constexpr CardFacts kCard{100 * kGbit, 1024};

bool is_limited(const CongestionControl& control) { return control.rate() != kNoRateLimit; }

EndSettings controlled() {
    EndSettings s;
    s.config.congestion = &congestion_control("dcqcn");
    s.config.line_rate = 10 * kGbit;
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
    CHECK_FALSE(end.state().pace.control);
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
    const DcqcnConfig config;
    Dcqcn control(config, kCard);
    CHECK_FALSE(is_limited(control));
    control.on_cnp(Time{});
    CHECK(control.target() == 100 * kGbit);
    CHECK(control.rate() == 50 * kGbit);
    CHECK(control.alpha() == Dcqcn::kOne);
    control.on_cnp(kMicrosecond * 50);
    CHECK(control.target() == 50 * kGbit);
    CHECK(control.rate() == 25 * kGbit);
    // Both timers have expired: alpha is 255/256, the rate 37.5 Gb/s, and 37.5 x 255/512 is rounded down.
    control.on_cnp(kMicrosecond * 105);
    CHECK(control.target() == 37'500'000'000);
    CHECK(control.rate() == 37'500'000'000 - 18'676'757'812);
    CHECK(control.alpha() == 1'044'480 + 16);
    for (int i = 0; i < 40; ++i) control.on_cnp(kMicrosecond * 105);
    CHECK(control.rate() == config.least_rate);
}

TEST_CASE("V-D3: alpha falls by a part g each time its timer sees no CNP", "[verbs]") {
    const DcqcnConfig config;
    Dcqcn control(config, kCard);
    control.on_cnp(Time{});
    control.on_timer(kTimer - kPicosecond);
    CHECK(control.alpha() == 1'048'576);
    control.on_timer(kTimer);
    CHECK(control.alpha() == 1'044'480);
    control.on_timer(kTimer * 3 - kPicosecond);
    CHECK(control.alpha() == 1'040'400);
    control.on_timer(kTimer * 3);
    CHECK(control.alpha() == 1'036'335);  // 1036335.9, rounded down
    control.on_timer(kSecond);
    CHECK(control.alpha() == 0);
}

TEST_CASE("V-D4: half of the way back five times, then the target grows by AI", "[verbs]") {
    const DcqcnConfig config;
    Dcqcn control(config, kCard);
    control.on_cnp(Time{});
    control.on_cnp(Time{});  // target 50, current 25 Gb/s
    constexpr std::array<std::int64_t, 5> kFast{37'500'000'000, 43'750'000'000, 46'875'000'000, 48'437'500'000,
                                                49'218'750'000};
    for (std::size_t i = 0; i < kFast.size(); ++i) {
        control.on_timer(kTimer * static_cast<std::int64_t>(i + 1));
        CHECK(control.rate() == kFast[i]);
        CHECK(control.target() == 50 * kGbit);
    }
    control.on_timer(kTimer * 6);
    CHECK(control.target() == 50'040'000'000);
    CHECK(control.rate() == 49'629'375'000);
    control.on_timer(kTimer * 7);
    CHECK(control.target() == 50'080'000'000);
    CHECK(control.rate() == 49'854'687'500);
}

TEST_CASE("V-D4: the byte counter counts as well; when both have, the target grows by HAI", "[verbs]") {
    DcqcnConfig config;
    config.byte_counter = 10'000;
    Dcqcn control(config, kCard);
    control.on_cnp(Time{});
    control.on_cnp(Time{});
    control.on_sent(Time{}, 9'999);
    CHECK(control.rate() == 25 * kGbit);
    control.on_sent(Time{}, 1);
    CHECK(control.rate() == 37'500'000'000);
    for (int i = 0; i < 4; ++i) control.on_sent(Time{}, 10'000);
    CHECK(control.target() == 50 * kGbit);
    control.on_sent(Time{}, 10'000);
    CHECK(control.target() == 50'040'000'000);  // six byte events, no timer
    control.on_timer(kTimer * 5);
    CHECK(control.target() == 50'240'000'000);  // five of the timer: AI each, the byte counter is beyond F
    control.on_timer(kTimer * 6);
    CHECK(control.target() == 50'640'000'000);
    control.on_timer(kSecond);
    CHECK_FALSE(is_limited(control));  // back at the line's rate
}

/// What `parameters: nic` says, at 100 Gb/s, but for a byte counter a thousand times as fast.
DcqcnConfig as_sold() {
    DcqcnConfig config;
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
    Dcqcn control(config, kCard);
    const Time begin = kMicrosecond * 10;
    control.on_cnp(begin);
    control.on_cnp(begin + kMicrosecond * 3);
    control.on_timer(begin + kMicrosecond * 4 - kPicosecond);
    CHECK(is_limited(control));
    CHECK(control.rate() == 100 * kGbit);
    // Alpha began with 1023/1024 = 1047552; CNPs came in the first and in the fourth microsecond.
    std::uint32_t alpha = 1'047'552;
    alpha += (Dcqcn::kOne - alpha) / 2;
    for (int i = 0; i < 2; ++i) alpha /= 2;
    control.on_timer(begin + kMicrosecond * 4);
    alpha += (Dcqcn::kOne - alpha) / 2;
    CHECK(control.alpha() == alpha);
    CHECK(control.rate() == 100 * kGbit - ((100 * kGbit * alpha) >> 21U));
    const std::int64_t after = control.rate();
    control.on_timer(begin + kMicrosecond * 100);
    CHECK(control.rate() == after);  // nothing but its timer and bytes raise it
    // The next CNP is 101.5 us behind the first: that interval ends at 104.
    control.on_cnp(begin + kMicrosecond * 101 + kNanosecond * 500);
    control.on_timer(begin + kMicrosecond * 104 - kPicosecond);
    CHECK(control.rate() == after);
    control.on_timer(begin + kMicrosecond * 104);
    CHECK(control.rate() < after);
    CHECK(control.target() == 100 * kGbit);
}

TEST_CASE("V-D2: with target_update timer only a rate that the timer has raised becomes the target", "[verbs]") {
    const DcqcnConfig config = as_sold();
    Dcqcn control(config, kCard);
    control.on_cnp(Time{});
    control.on_timer(kMicrosecond * 4);
    const std::int64_t low = control.rate();
    CHECK(control.target() == 100 * kGbit);
    control.on_sent(kMicrosecond * 5, 32'767);
    CHECK(control.rate() == 100 * kGbit - (100 * kGbit - low) / 2);
    control.on_cnp(kMicrosecond * 6);
    control.on_timer(kMicrosecond * 8);
    CHECK(control.target() == 100 * kGbit);  // the bytes had raised it
    control.on_timer(kMicrosecond * 308);
    const std::int64_t risen = control.rate();
    control.on_cnp(kMicrosecond * 309);
    control.on_timer(kMicrosecond * 312);
    CHECK(control.target() == risen);
    CHECK(control.rate() < risen);
}

TEST_CASE("V-D3: with alpha_update period alpha grows once a period with CNPs, and falls in one without", "[verbs]") {
    const DcqcnConfig config = as_sold();
    Dcqcn control(config, kCard);
    control.on_cnp(Time{});
    CHECK(control.alpha() == 1'047'552);
    control.on_cnp(kNanosecond * 900);
    CHECK(control.alpha() == 1'047'552);
    control.on_timer(kMicrosecond);
    CHECK(control.alpha() == 1'047'552 + 5);  // (1048576 - 1047552) x 5/1024
    control.on_timer(kMicrosecond * 2);
    CHECK(control.alpha() == 1'042'441);  // 1047557 x 1019/1024 = 1042441.98
    control.on_timer(kSecond);
    CHECK(control.alpha() == 0);
    control.on_cnp(kSecond + kNanosecond);  // its period begins with it
    control.on_timer(kSecond + kMicrosecond);
    CHECK(control.alpha() == 0);
    control.on_timer(kSecond + kMicrosecond + kNanosecond);
    CHECK(control.alpha() == 5'120);
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
    constexpr std::int64_t kRate = 7 * kGbit;  // 1000 B take 1142857 1/7 ps
    Pacer pacer;
    for (int i = 1; i <= 7'000; ++i) {
        const Time late{i % 3 * 1'000};  // as a clock makes it
        pacer.on_sent(pacer.next_packet() + late, 1'000, kRate);
    }
    CHECK(pacer.next_packet() == Time{8'000'000'000});
    pacer.on_sent(kMillisecond * 9, 1'000, kRate);  // a rest earns nothing
    CHECK(pacer.next_packet() == kMillisecond * 9 + Time{1'142'857});
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

TEST_CASE("V-D5: WRITEs that say where they go, and WRITE_PERSISTs, are paced as others are", "[verbs]") {
    EndSettings selective = controlled(), persistent = controlled();
    selective.config.retransmission = &retransmission("selective_repeat");
    persistent.persist = PersistMode{};
    for (const auto& [settings, verb] :
         {std::pair(selective, Verb::write), std::pair(persistent, Verb::write_persist)}) {
        End end(settings);
        end.packet(cnp());
        end.post(wqe(verb, 3 * kMtu, end));
        CHECK(end.send().size() == 1);
        CHECK(end.send() == Lines{});
        CHECK(end.expiry(Time{354 * 1'600}) == Lines{});
        CHECK(end.send().size() == 1);
    }
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
