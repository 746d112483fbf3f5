// SPDX-License-Identifier: Apache-2.0
// The error table (VERBS.md 6), the side that answers: what goes on the wire, and what the responder's program sees.
#include "testbench/tests/verbs/verbs_end.h"

namespace rnicsim::rc {

using roce::Header;
using roce::Opcode;

namespace {

/// The request is refused with this NAK, the QP goes to ERR, and further frames are dropped.
void check_refused(End& e, const Header& h, const std::string& nak, const Lines& seen) {
    CHECK(e.packet(h) == seen);
    CHECK(e.answers() == Lines{nak});
    CHECK(e.state().state == QpState::error);
    CHECK(e.packet(h) == Lines{});
    CHECK(e.answers() == Lines{});
}

const Lines kRequestError{"event qp_request_error"};
const Lines kAccessError{"event qp_access_error"};

}  // namespace

TEST_CASE("Errors: unknown QPN, wrong source, QP not ready: no answer, counted", "[verbs]") {
    End e;
    Header h = reth(request(Opcode::write_only, {500}, 8), e, 8);
    h.to = Qpn{e.qp.n + 1};
    CHECK(e.rc.on_packet({}, kFarCard, h, e) == Taken::yes);
    h.to = Qpn{0};
    CHECK(e.rc.on_packet({}, kFarCard, h, e) == Taken::yes);
    CHECK(e.rc.count(RcCount::unknown_qp) == 2);
    h.to = e.qp;
    CHECK(e.rc.on_packet({}, Peer{4}, h, e) == Taken::yes);
    CHECK(e.rc.count(RcCount::wrong_peer) == 1);
    e.to(QpState::reset);
    CHECK(e.packet(h) == Lines{});
    CHECK(e.rc.count(RcCount::not_ready) == 1);
    CHECK(e.answers() == Lines{});
}

TEST_CASE("Errors: opcode out of sequence: NAK invalid request, event", "[verbs]") {
    for (const Opcode opcode : {Opcode::send_middle, Opcode::send_last, Opcode::write_middle, Opcode::write_last_imm}) {
        End e;
        e.receive(1000);
        check_refused(e, request(opcode, {500}, 256), "nak 500 invalid",
                      {"event qp_request_error", "receive 0 wr_flush"});
    }
    for (const Opcode opcode : {Opcode::send_first, Opcode::send_only, Opcode::write_first, Opcode::write_only,
                                Opcode::send_last, Opcode::read_request, Opcode::fetch_add}) {
        End e;
        e.packet(reth(request(Opcode::write_first, {500}, 256), e, 600));
        e.answers();
        check_refused(e, reth(request(opcode, {501}, 8), e, 8), "nak 501 invalid", kRequestError);
    }
}

TEST_CASE("Errors: opcode out of sequence in a SEND: its receive WQE is flushed", "[verbs]") {
    End e;
    e.receive(1000);
    e.packet(request(Opcode::send_first, {500}, 256));
    e.answers();
    check_refused(e, reth(request(Opcode::write_only, {501}, 8), e, 8), "nak 501 invalid",
                  {"receive 0 wr_flush", "event qp_request_error"});
}

TEST_CASE("Errors: opcode not enabled or reserved: NAK invalid request, event", "[verbs]") {
    for (const Opcode opcode : {Opcode::write_only, Opcode::read_request, Opcode::fetch_add}) {
        EndSettings s;
        s.attributes.access = kLocalWrite;
        End e(s);
        const std::uint32_t payload = opcode == Opcode::write_only ? 8 : 0;
        check_refused(e, reth(request(opcode, {500}, payload), e, 8), "nak 500 invalid", kRequestError);
    }
    for (const Opcode opcode : {static_cast<Opcode>(0x1F), Opcode::uc_send_only, Opcode::ud_send_only}) {
        End e;
        check_refused(e, request(opcode, {500}, 8), "nak 500 invalid", kRequestError);
    }
}

TEST_CASE("Errors: misaligned atomic: NAK invalid request, event", "[verbs]") {
    End e;
    check_refused(e, reth(request(Opcode::compare_swap, {500}), e, 0, 40961), "nak 500 invalid", kRequestError);
}

TEST_CASE("Errors: more READs and atomics than max_dest_rd_atomic: NAK invalid request", "[verbs]") {
    EndSettings s;
    s.attributes.max_dest_rd_atomic = 2;
    End e(s);
    e.packet(reth(request(Opcode::read_request, {500}), e, 8));
    e.packet(reth(request(Opcode::read_request, {501}), e, 8));
    CHECK(e.packet(reth(request(Opcode::read_request, {502}), e, 8)) == kRequestError);
    // What was accepted before is still answered.
    CHECK(e.answers() == Lines{"read_only 500 +8", "read_only 501 +8", "nak 502 invalid"});
    CHECK(e.state().state == QpState::error);
    s.attributes.max_dest_rd_atomic = 0;
    End none(s);
    check_refused(none, reth(request(Opcode::fetch_add, {500}), none, 0), "nak 500 invalid", kRequestError);
}

TEST_CASE("Errors: first or middle not PMTU, last 0 or more than PMTU: NAK invalid request", "[verbs]") {
    struct Case {
        Opcode opcode;
        std::uint32_t payload;
    };
    for (const Case c : {Case{Opcode::send_first, 255}, Case{Opcode::send_only, 257}}) {
        End e;
        e.receive(1000);
        CHECK(e.packet(request(c.opcode, {500}, c.payload)) == Lines{"event qp_request_error", "receive 0 wr_flush"});
        CHECK(e.answers() == Lines{"nak 500 invalid"});
    }
    for (const Case c : {Case{Opcode::send_middle, 100}, Case{Opcode::send_last, 0}, Case{Opcode::send_last, 257}}) {
        End e;
        e.receive(1000);
        e.packet(request(Opcode::send_first, {500}, 256));
        e.answers();
        check_refused(e, request(c.opcode, {501}, c.payload), "nak 501 invalid",
                      {"receive 0 wr_flush", "event qp_request_error"});
    }
}

TEST_CASE("Errors: payloads that do not add up to the RETH's length: NAK invalid request", "[verbs]") {
    {
        End e;
        check_refused(e, reth(request(Opcode::write_only, {500}, 8), e, 9), "nak 500 invalid", kRequestError);
    }
    {
        End e;  // a first packet of a message that needs no second one
        check_refused(e, reth(request(Opcode::write_first, {500}, 256), e, 256), "nak 500 invalid", kRequestError);
    }
    {
        End e;
        check_refused(e, reth(request(Opcode::write_only, {500}, 0), e, kMaxMessage + 1), "nak 500 invalid",
                      kRequestError);
    }
    {
        End e;
        check_refused(e, reth(request(Opcode::read_request, {500}, 0), e, kMaxMessage + 1), "nak 500 invalid",
                      kRequestError);
    }
    for (const std::uint32_t payload : {87U, 89U, 256U}) {
        End e;
        e.packet(reth(request(Opcode::write_first, {500}, 256), e, 344));
        e.answers();
        check_refused(e, request(Opcode::write_last, {501}, payload), "nak 501 invalid", kRequestError);
    }
    End e;  // a middle packet where the last one is due
    e.packet(reth(request(Opcode::write_first, {500}, 256), e, 512));
    e.answers();
    check_refused(e, request(Opcode::write_middle, {501}, 256), "nak 501 invalid", kRequestError);
}

TEST_CASE("Errors: SEND longer than its receive WQE: NAK invalid request, LOC_LEN", "[verbs]") {
    End e;
    e.receive(7);
    check_refused(e, request(Opcode::send_only, {500}, 8), "nak 500 invalid", {"receive 0 loc_len"});
    End f;
    f.receive(300);
    f.packet(request(Opcode::send_first, {500}, 256));
    f.answers();
    check_refused(f, request(Opcode::send_middle, {501}, 256), "nak 501 invalid", {"receive 0 loc_len"});
}

TEST_CASE("Errors: key unknown, of another PD, without the right, outside, gone: NAK remote access, event", "[verbs]") {
    End probe;
    const auto refused = [](std::uint32_t key, Opcode opcode, std::uint64_t address) {
        End e;
        e.rc.regions().add(Pd{2}, {4096, 1U << 20U}, kAllAccess);
        e.rc.regions().add(Pd{1}, {4096, 1U << 20U}, kLocalWrite);
        const std::uint32_t gone = *e.rc.regions().add(Pd{1}, {4096, 1U << 20U}, kAllAccess);
        e.rc.regions().remove(gone);
        Header h = reth(request(opcode, {500}, opcode == Opcode::write_only ? 8 : 0), e, 8, address);
        if (key != 0) h.key = key;
        check_refused(e, h, "nak 500 access", kAccessError);
    };
    for (const Opcode opcode : {Opcode::write_only, Opcode::read_request, Opcode::fetch_add}) {
        refused(0x12345678, opcode, 40960);         // unknown
        refused(probe.key + 0x100, opcode, 40960);  // other PD
        refused(probe.key + 0x200, opcode, 40960);  // no right
        refused(probe.key + 0x300, opcode, 40960);  // gone
        refused(0, opcode, 4088);                   // outside
    }
}

TEST_CASE("Errors: of length 0 the key is not checked", "[verbs]") {
    End e;
    Header h = reth(request(Opcode::write_only, {500}), e, 0);
    h.key = 0x12345678;
    CHECK(e.packet(h) == Lines{});
    h.opcode = Opcode::read_request;
    h.psn = {501};
    e.packet(h);
    CHECK(e.answers() == Lines{"ack 500 msn 1", "read_only 501"});
}

TEST_CASE("Errors: invalidation of no key: NAK remote access, event", "[verbs]") {
    End e;
    e.receive(8);
    Header h = request(Opcode::send_only_inv, {500}, 8);
    h.key = 0x12345678;
    CHECK(e.packet(h) == Lines{"event qp_access_error", "receive 0 wr_flush"});
    CHECK(e.answers() == Lines{"nak 500 access"});
}

TEST_CASE("Errors: receive WQE malformed: NAK remote operational, LOC_QP_OP", "[verbs]") {
    End e;
    e.receive({{65536, 1U << 31U, e.key}, {65536, 1, e.key}});
    check_refused(e, request(Opcode::send_only, {500}, 8), "nak 500 operational", {"receive 0 loc_qp_op"});
}

TEST_CASE("Errors: lkey of a receive WQE bad: NAK remote operational, LOC_PROT", "[verbs]") {
    End e;
    e.receive({{65536, 8, 0x12345678}});
    check_refused(e, request(Opcode::send_only, {500}, 8), "nak 500 operational", {"receive 0 loc_prot"});
}

TEST_CASE("Errors: no receive WQE: RNR NAK, the QP stays", "[verbs]") {
    End e;
    CHECK(e.packet(request(Opcode::send_only, {500}, 8)) == Lines{});
    CHECK(e.answers() == Lines{"rnr 500 12"});
    CHECK(e.state().state == QpState::rts);
}

TEST_CASE("V-C11: CQ full: no answer, CQ error, its QPs go to ERR", "[verbs]") {
    End e;
    e.receive(8);
    e.receive(8);
    e.packet(request(Opcode::send_only, {500}, 8));
    e.rc.on_cq_full({}, Cqn{2}, e);
    e.serve();
    CHECK(e.take() == Lines{"event cq_error", "event qp_fatal", "receive 1 wr_flush"});
    CHECK(e.answers() == Lines{});
    CHECK(e.state().state == QpState::error);
    End other;
    other.rc.on_cq_full({}, Cqn{3}, other);
    CHECK(other.state().state == QpState::rts);
}

}  // namespace rnicsim::rc
