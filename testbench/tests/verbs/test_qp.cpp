// SPDX-License-Identifier: Apache-2.0
// V-Q1 to V-Q4: the states of a QP.
#include "testbench/tests/verbs/verbs_end.h"

namespace rnicsim::rc {

using roce::Opcode;
using namespace attribute;

TEST_CASE("V-Q1: the transitions of ibv_modify_qp, and the attributes that each needs", "[verbs]") {
    const QpAttributes v;
    using enum QpState;
    const auto check = [&](QpState from, QpState to, AttributeMask mask) {
        return check_modify(Service::reliable, from, to, mask, v);
    };
    CHECK(check(reset, init, kAccess) == ModifyError::none);
    CHECK(check(reset, init, kNone) == ModifyError::missing_attribute);
    CHECK(check(reset, rtr, kForRtr) == ModifyError::bad_transition);
    CHECK(check(init, rtr, kForRtr) == ModifyError::none);
    CHECK(check(init, rtr, kForRtr | kAccess) == ModifyError::none);
    CHECK(check(init, rtr, kPeer | kPathMtu | kDestQpn | kRqPsn | kMinRnrTimer) == ModifyError::missing_attribute);
    CHECK(check(init, rtr, kForRtr | kTimeout) == ModifyError::excess_attribute);
    CHECK(check(init, rts, kForRts) == ModifyError::bad_transition);
    CHECK(check(rtr, rts, kForRts) == ModifyError::none);
    CHECK(check(rtr, rts, kSqPsn | kRetryCnt | kRnrRetry | kTimeout) == ModifyError::missing_attribute);
    CHECK(check(rts, rts, kMinRnrTimer | kAccess) == ModifyError::none);
    CHECK(check(rts, rts, kTimeout) == ModifyError::excess_attribute);
    CHECK(check(rts, sqd, kNone) == ModifyError::none);
    CHECK(check(sqd, sqd, kTimeout | kRetryCnt | kMaxRdAtomic) == ModifyError::none);
    CHECK(check(sqd, rts, kNone) == ModifyError::none);
    CHECK(check(error, rts, kForRts) == ModifyError::bad_transition);
    for (const QpState from : {reset, init, rtr, rts, sqd, error}) {
        CHECK(check(from, reset, kNone) == ModifyError::none);
        CHECK(check(from, error, kNone) == ModifyError::none);
    }
}

TEST_CASE("V-Q1: values out of range are refused", "[verbs]") {
    const auto check = [](QpState from, QpState to, AttributeMask mask, auto change) {
        QpAttributes v;
        change(v);
        return check_modify(Service::reliable, from, to, mask, v);
    };
    CHECK(check(QpState::init, QpState::rtr, kForRtr, [](QpAttributes& v) { v.path_mtu = 1500; }) ==
          ModifyError::bad_value);
    CHECK(check(QpState::init, QpState::rtr, kForRtr, [](QpAttributes& v) { v.min_rnr_timer = 32; }) ==
          ModifyError::bad_value);
    CHECK(check(QpState::rtr, QpState::rts, kForRts, [](QpAttributes& v) { v.retry_cnt = 8; }) ==
          ModifyError::bad_value);
    CHECK(check(QpState::rtr, QpState::rts, kForRts, [](QpAttributes& v) { v.sq_psn = {1U << 24U}; }) ==
          ModifyError::bad_value);
}

TEST_CASE("V-Q1: a path MTU above the port's is refused", "[verbs]") {
    for (const std::uint32_t port : {512U, 4096U}) {
        EndSettings settings;
        settings.config.port_mtu = port;
        End e(settings);
        for (const std::uint32_t path : {256U, 512U, 1024U, 4096U}) {
            e.to(QpState::reset);
            e.modify(QpState::init, kAccess);
            e.attributes.path_mtu = path;
            const ModifyError error = e.rc.modify_qp({}, e.qp, QpState::rtr, kForRtr, e.attributes, e);
            INFO("path " << path << ", port " << port);
            CHECK(error == (path > port ? ModifyError::bad_value : ModifyError::none));
        }
    }
}

TEST_CASE("V-Q1: in RTR requests are executed, but nothing is sent", "[verbs]") {
    End e;
    e.to(QpState::reset);
    CHECK_FALSE(e.rc.on_post({}, e.qp, 1, e));
    e.modify(QpState::init, kAccess);
    CHECK_FALSE(e.rc.on_post({}, e.qp, 1, e));
    CHECK(e.packet(reth(request(Opcode::write_only, {500}, 8), e, 8)) == Lines{});
    CHECK(e.rc.count(RcCount::not_ready) == 1);
    e.modify(QpState::rtr, kForRtr);
    CHECK_FALSE(e.rc.on_post({}, e.qp, 1, e));
    CHECK(e.packet(reth(request(Opcode::write_only, {500}, 8), e, 8)) == Lines{"place 500 40960+8"});
    CHECK(e.answers() == Lines{"ack 500 msn 1"});
}

TEST_CASE("V-Q1: RESET forgets all, without CQEs; the QP can be connected again", "[verbs]") {
    End e;
    e.post(wqe(Verb::send, 600, e));
    e.send(1);
    e.receive(8);
    e.packet(request(Opcode::send_only, {500}, 8));
    e.take();
    CHECK(e.to(QpState::reset) == Lines{});
    CHECK(e.rc.next_deadline() == kEndOfTime);
    CHECK(e.send() == Lines{});
    CHECK(e.answers() == Lines{});
    e.sends.clear();
    e.connect();
    e.post(wqe(Verb::write, 0, e));
    CHECK(e.send() == Lines{"write_only 100 at 40960:0 ask"});
}

TEST_CASE("V-Q2: ERR flushes both queues in order, and frames are dropped", "[verbs]") {
    End e;
    for (int i = 0; i < 12; ++i) e.post(wqe(Verb::send, 0, e));
    e.send(2);
    e.receive(300);
    e.receive(300);
    e.packet(request(Opcode::send_first, {500}, 256));
    e.receive(8);  // not read yet
    Lines expected;
    for (int i = 0; i < 12; ++i) expected.push_back("cqe " + std::to_string(i) + " wr_flush");
    for (int i = 0; i < 3; ++i) expected.push_back("receive " + std::to_string(i) + " wr_flush");
    CHECK(e.to(QpState::error) == expected);
    CHECK(e.answers() == Lines{});
    CHECK(e.send() == Lines{});
    CHECK(e.packet(request(Opcode::send_last, {501}, 8)) == Lines{});
    CHECK(e.packet(answer({100})) == Lines{});
    CHECK(e.rc.count(RcCount::not_ready) == 2);
    CHECK(e.rc.next_deadline() == kEndOfTime);
}

TEST_CASE("V-Q2: in ERR the refusal waits for the payload before it, and the port's turn passes on", "[verbs]") {
    End e;
    e.posts_at_once = false;
    CHECK(e.packet(reth(request(Opcode::write_first, {500}, 256), e, 300)) == Lines{"place 500 40960+256"});
    e.packet(request(Opcode::write_last, {501}, 8));  // too short
    CHECK(e.state().state == QpState::error);
    CHECK(e.answers() == Lines{});  // and it returns
    e.posted();
    CHECK(e.answers() == Lines{"ack 500 msn 0", "nak 501 invalid"});
    CHECK(e.answers() == Lines{});
}

TEST_CASE("V-Q2: what is posted in ERR is flushed", "[verbs]") {
    End e;
    e.to(QpState::error);
    CHECK(e.post(wqe(Verb::send, 0, e)) == Lines{"cqe 0 wr_flush"});
    e.receive(8);
    e.rc.on_post_receive({}, e.qp, e);
    e.serve();
    CHECK(e.take() == Lines{"receive 0 wr_flush"});
}

TEST_CASE("V-Q2: what is posted in ERR behind a read of the queue is flushed as well", "[verbs]") {
    End e;
    e.serves = false;
    e.to(QpState::error);
    REQUIRE(std::exchange(e.receive_fetches, 0) == 1);  // it is under way, and has seen none
    e.receive(8);
    e.rc.on_post_receive({}, e.qp, e);
    CHECK(e.receive_fetches == 0);
    e.rc.on_fetched_receives({}, e.rq, {}, e);
    e.serves = true;
    e.serve();
    CHECK(e.take() == Lines{"receive 0 wr_flush"});
}

TEST_CASE("V-Q2: an SRQ is not flushed; the QP says that it takes no more of it", "[verbs]") {
    EndSettings s;
    s.shared = true;
    End e(s);
    e.receive(300);
    e.receive(300);
    e.packet(request(Opcode::send_first, {500}, 256));
    CHECK(e.to(QpState::error) == Lines{"receive 0 wr_flush", "event last_wqe_reached"});
    CHECK(e.rc.receive_queue(e.rq).ready() == 1);
}

TEST_CASE("V-Q3: SQD ends what has begun, starts nothing new, and tells when it is drained", "[verbs]") {
    End e;
    e.post(wqe(Verb::write, 600, e));
    e.post(wqe(Verb::write, 0, e));
    e.send(1);
    CHECK(e.to(QpState::sqd) == Lines{});
    CHECK(e.send() == Lines{"write_middle 101 +256", "write_last 102 +88 ask"});
    CHECK(e.packet(answer({101})) == Lines{});
    CHECK(e.packet(answer({102})) == Lines{"cqe 0 success", "event sq_drained"});
    CHECK(e.post(wqe(Verb::write, 0, e)) == Lines{});
    CHECK(e.packet(reth(request(Opcode::write_only, {500}, 8), e, 8)) == Lines{"place 500 40960+8"});
    CHECK(e.to(QpState::rts) == Lines{});
    CHECK(e.send().size() == 2);
}

TEST_CASE("V-Q3: an empty send queue is drained at once; each time anew", "[verbs]") {
    End e;
    CHECK(e.to(QpState::sqd) == Lines{"event sq_drained"});
    e.to(QpState::rts);
    CHECK(e.to(QpState::sqd) == Lines{"event sq_drained"});
}

TEST_CASE("V-Q4: a QPN rests before it is used again", "[verbs]") {
    EndSettings s;
    s.config.max_qps = 2;
    s.config.qp_rest = kMicrosecond;
    End e(s);
    const QpInit init = e.state().init;
    const Qpn other = *e.rc.create_qp({}, init);
    CHECK_FALSE(e.rc.create_qp({}, init));
    CHECK(e.rc.destroy_qp(kMicrosecond, other));
    CHECK_FALSE(e.rc.destroy_qp(kMicrosecond, other));
    CHECK_FALSE(e.rc.create_qp(kMicrosecond * 2 - kPicosecond, init));
    roce::Header late = request(Opcode::send_only, {500});
    late.to = other;
    e.rc.on_packet({}, kFarCard, late, e);
    CHECK(e.rc.count(RcCount::unknown_qp) == 1);
    CHECK(e.rc.create_qp(kMicrosecond * 2, init) == other);
}

TEST_CASE("V-Q4: free numbers that have never been used go first", "[verbs]") {
    EndSettings s;
    s.config.max_qps = 3;
    s.config.qp_rest = kMicrosecond;
    End e(s);
    const QpInit init = e.state().init;
    const Qpn other = *e.rc.create_qp({}, init);
    e.rc.destroy_qp({}, other);
    const auto fresh = e.rc.create_qp(kMillisecond, init);
    REQUIRE(fresh);
    CHECK(*fresh != other);
    CHECK(e.rc.create_qp(kMillisecond, init) == other);
}

TEST_CASE("V-Q: a region's key has 24 bits of index and a tag that changes", "[verbs]") {
    MrTable regions;
    const std::uint32_t a = *regions.add(Pd{1}, {4096, 8192}, kRemoteWrite);
    const std::uint32_t b = *regions.add(Pd{1}, {0, 1}, kLocalWrite);
    CHECK(a >> 8U == 0);
    CHECK(b >> 8U == 1);
    CHECK(regions.allows(a, Pd{1}, {4096, 8192}, kRemoteWrite));
    CHECK(regions.allows(a, Pd{1}, {12287, 1}, kRemoteWrite));
    CHECK_FALSE(regions.allows(a, Pd{1}, {12287, 2}, kRemoteWrite));
    CHECK_FALSE(regions.allows(a, Pd{1}, {4095, 2}, kRemoteWrite));
    CHECK_FALSE(regions.allows(a, Pd{1}, {~std::uint64_t{0}, 8}, kRemoteWrite));
    CHECK_FALSE(regions.allows(a, Pd{2}, {4096, 1}, kRemoteWrite));
    CHECK_FALSE(regions.allows(a, Pd{1}, {4096, 1}, kRemoteRead));
    CHECK(regions.allows(0xFFFF'FFFF, Pd{2}, {4096, 0}, kRemoteRead));  // no bytes: no key
    CHECK(regions.remove(a));
    CHECK_FALSE(regions.remove(a));
    const std::uint32_t again = *regions.add(Pd{1}, {4096, 8192}, kRemoteWrite);
    CHECK(again >> 8U == 0);
    CHECK(again != a);
    CHECK_FALSE(regions.allows(a, Pd{1}, {4096, 1}, kRemoteWrite));
    CHECK(regions.remove(again));
    for (int i = 0; i < 600; ++i) {  // all tags of index 0
        const std::uint32_t key = *regions.add(Pd{1}, {0, 1}, kLocalWrite);
        CHECK(key >> 8U == 0);
        CHECK(key != 0);
        regions.remove(key);
    }
    CHECK(regions.used() == 1);
}

}  // namespace rnicsim::rc
