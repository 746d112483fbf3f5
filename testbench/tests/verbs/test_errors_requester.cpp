// SPDX-License-Identifier: Apache-2.0
// The error table (VERBS.md 6), the side that asks: with which status a WQE ends.
#include "testbench/tests/verbs/verbs_end.h"

namespace rnicsim::rc {

using roce::NakCode;
using roce::Opcode;

namespace {

/// Sends what is posted, then the answer comes. The WQE behind is flushed.
void check_fails(const SendWqe& w, End& e, const roce::Header& h, const std::string& status) {
    e.post(w);
    e.post(wqe(Verb::write, 0, e));
    e.send();
    CHECK(e.packet(h) == Lines{"cqe 0 " + status, "cqe 1 wr_flush"});
    CHECK(e.state().state == QpState::error);
    CHECK(e.send() == Lines{});
    CHECK(e.rc.next_deadline() == kEndOfTime);
}

/// The WQE is not sent; what is before it completes first.
void check_not_sent(const SendWqe& w, End& e, const std::string& status) {
    e.post(wqe(Verb::send, 0, e));
    e.post(w);
    e.post(wqe(Verb::send, 0, e));
    CHECK(e.send() == Lines{"send_only 100 ask"});
    CHECK(e.packet(answer({100})) == Lines{"cqe 0 success"});
    CHECK(e.send() == Lines{"cqe 1 " + status, "cqe 2 wr_flush"});
    CHECK(e.state().state == QpState::error);
}

}  // namespace

TEST_CASE("Errors: no answer at all: RETRY_EXC at last", "[verbs]") {
    End e;  // also: no room between wire and DMA, where frames are lost
    e.post(wqe(Verb::write, 8, e));
    for (int tries = 0; tries < 3; ++tries) {
        CHECK(e.send().size() == 1);
        const Lines lines = e.timers(e.rc.next_deadline());
        CHECK(lines == (tries < 2 ? Lines{} : Lines{"cqe 0 retry_exc"}));
    }
}

TEST_CASE("Errors: NAK sequence: resend", "[verbs]") {
    End e;
    e.post(wqe(Verb::send, 300, e));
    e.send();
    CHECK(e.packet(nak({101}, NakCode::psn_sequence)) == Lines{});
    CHECK(e.send() == Lines{"send_last 101 +44 ask"});
}

TEST_CASE("Errors: NAK invalid request: REM_INV_REQ", "[verbs]") {
    End e;
    check_fails(wqe(Verb::send, 8, e), e, nak({100}, NakCode::invalid_request), "rem_inv_req");
}

TEST_CASE("Errors: NAK remote access: REM_ACCESS", "[verbs]") {
    End e;
    check_fails(wqe(Verb::read, 600, e), e, nak({100}, NakCode::remote_access), "rem_access");
}

TEST_CASE("Errors: NAK remote operational: REM_OP", "[verbs]") {
    End e;
    check_fails(wqe(Verb::send, 8, e), e, nak({100}, NakCode::remote_operational), "rem_op");
}

TEST_CASE("Errors: RNR NAK: wait, at last RNR_RETRY_EXC", "[verbs]") {
    End e;  // rnr_retry 1
    e.post(wqe(Verb::send, 8, e));
    e.send();
    CHECK(e.packet(rnr({100}, 1)) == Lines{});
    e.expiry(kMicrosecond * 10);
    CHECK(e.send().size() == 1);
    CHECK(e.packet(rnr({100}, 1)) == Lines{"cqe 0 rnr_retry_exc"});
}

TEST_CASE("Errors: send WQE with wrong length or of an atomic that is not 8 bytes: LOC_QP_OP, not sent", "[verbs]") {
    {
        End e;
        SendWqe w = wqe(Verb::write, 0, e);
        w.sges = {{8192, 1U << 31U, e.key}, {8192, 1, e.key}};
        check_not_sent(w, e, "loc_qp_op");
    }
    {
        End e;
        check_not_sent(wqe(Verb::fetch_add, 4, e), e, "loc_qp_op");
    }
    End e;
    SendWqe w = wqe(Verb::read, 0, e);
    w.inline_data = true;
    w.inline_length = 8;
    check_not_sent(w, e, "loc_qp_op");
}

TEST_CASE("Errors: send WQE with a bad lkey, without local write, outside of its region: LOC_PROT, not sent",
          "[verbs]") {
    const auto with = [](Verb verb, std::uint64_t address, std::uint32_t key_plus) {
        End e;
        e.rc.regions().add(Pd{1}, {4096, 1U << 20U}, kLocalRead);
        SendWqe w = wqe(verb, 0, e);
        w.sges = {{address, 8, e.key + key_plus}};
        check_not_sent(w, e, "loc_prot");
    };
    with(Verb::send, 8192, 0x1000);
    with(Verb::read, 8192, 0x100);       // no local write
    with(Verb::fetch_add, 8192, 0x100);  // no local write
    with(Verb::write, 4090, 0);
}

TEST_CASE("Errors: a region that goes away while a message is sent: LOC_PROT when all before is acknowledged",
          "[verbs]") {
    End e;
    SendWqe w = wqe(Verb::write, 0, e);
    const std::uint32_t key = *e.rc.regions().add(Pd{1}, {8192, 4096}, kLocalRead);
    w.sges = {{8192, 600, key}};
    e.post(w);
    CHECK(e.send(1) == Lines{"write_first 100 +256 at 40960:600"});
    e.rc.regions().remove(key);
    CHECK(e.send() == Lines{});
    CHECK(e.packet(answer({100})) == Lines{});
    CHECK(e.send() == Lines{"cqe 0 loc_prot"});
    End f;
    w = wqe(Verb::read, 0, f);
    const std::uint32_t to = *f.rc.regions().add(Pd{1}, {8192, 4096}, kLocalWrite);
    w.sges = {{8192, 8, to}};
    f.post(w);
    f.send();
    f.rc.regions().remove(to);
    CHECK(f.packet(response(Opcode::read_only, {100}, 8)) == Lines{"cqe 0 loc_prot"});
}

TEST_CASE("Errors: READ response of wrong length or opcode: BAD_RESP", "[verbs]") {
    struct Case {
        Opcode opcode;
        std::uint32_t payload;
    };
    for (const Case c : {Case{Opcode::read_first, 255}, Case{Opcode::read_only, 256}, Case{Opcode::read_last, 44},
                         Case{Opcode::atomic_ack, 0}}) {
        End e;
        check_fails(wqe(Verb::read, 300, e), e, response(c.opcode, {100}, c.payload), "bad_resp");
    }
    for (const Case c : {Case{Opcode::read_middle, 44}, Case{Opcode::read_last, 43}}) {
        End e;
        e.post(wqe(Verb::read, 300, e));
        e.send();
        e.packet(response(Opcode::read_first, {100}, 256));
        CHECK(e.packet(response(c.opcode, {101}, c.payload)) == Lines{"cqe 0 bad_resp"});
    }
    for (const Verb verb : {Verb::send, Verb::fetch_add}) {
        End e;
        check_fails(wqe(verb, 8, e), e, response(Opcode::read_only, {100}, 8), "bad_resp");
    }
}

TEST_CASE("Errors: post to RESET or to a full queue: refused; to ERR: WR_FLUSH", "[verbs]") {
    EndSettings s;
    s.send_queue_size = 2;
    End e(s);
    e.post(wqe(Verb::send, 0, e));
    e.post(wqe(Verb::send, 0, e));
    CHECK_FALSE(e.rc.on_post({}, e.qp, 1, e));
    e.send();
    e.packet(answer({100}));
    CHECK(e.post(wqe(Verb::send, 0, e)) == Lines{});
    CHECK_FALSE(e.rc.on_push({}, e.qp, wqe(Verb::send, 0, e), e));
    e.to(QpState::error);
    CHECK(e.post(wqe(Verb::send, 0, e)) == Lines{"cqe 3 wr_flush"});
    e.to(QpState::reset);
    CHECK_FALSE(e.rc.on_post({}, e.qp, 1, e));
    CHECK_FALSE(e.rc.on_post({}, Qpn{99}, 1, e));
}

}  // namespace rnicsim::rc
