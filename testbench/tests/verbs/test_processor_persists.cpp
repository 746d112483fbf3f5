// SPDX-License-Identifier: Apache-2.0
// WRITE_PERSISTs that the responder's processor makes durable (VERBS.md 11, V-P6 and V-P7).
#include "testbench/tests/verbs/verbs_end.h"

namespace rnicsim::rc {
namespace {

using roce::Opcode;

constexpr PersistMode kByProcessor{PersistMark::opcode, PersistPack::opcode, true, true};
constexpr PersistMode kByProcessorPsnOnly{PersistMark::opcode, PersistPack::psn_only, true, true};

EndSettings by_processor(PersistMode mode = kByProcessor) {
    EndSettings s;
    s.persist = mode;
    return s;
}

roce::Header persist_of(Psn psn, const End& end, std::uint32_t bytes = 64) {
    return reth(request(Opcode::write_persist_only, psn, bytes), end, bytes);
}

roce::Header pack_of(Psn psn) {
    roce::Header h = answer(psn);
    h.opcode = Opcode::persist_ack;
    return h;
}

SendWqe answer_wqe(Psn psn) {
    SendWqe w;
    w.verb = Verb::persist_ack;
    w.immediate_or_key = psn.n;
    return w;
}

/// A requester with one WRITE_PERSIST that is received.
void send_one(End& end) {
    end.post(wqe(Verb::write_persist, 64, end));
    CHECK(end.send() == Lines{"persist_only 100 +64 at 40960:64 ask"});
    CHECK(end.packet(answer({100})) == Lines{"cqe 0 success"});
}

}  // namespace

TEST_CASE("V-P6: the program is told where it lies, and of its PSN, by a receive WQE", "[verbs]") {
    End end(by_processor());
    end.receive(16);
    end.receive(16);
    CHECK(end.packet(reth(request(Opcode::write_persist_first, {500}, 256), end, 300)) == Lines{"place 500 40960+256"});
    CHECK(end.packet(request(Opcode::write_persist_last, {501}, 44)) ==
          Lines{"place 501 41216+44", "receive 0 success 300 B imm 501 from 40960"});
    CHECK(end.answers() == Lines{"ack 501 msn 1"});
    roce::Header empty = persist_of({502}, end, 0);
    empty.solicited = true;
    CHECK(end.packet(empty) == Lines{"receive 1 success imm 502 from 40960 se"});
}

TEST_CASE("V-P6: where the region is the mark a plain WRITE takes no receive WQE", "[verbs]") {
    PersistMode mode = kByProcessor;
    mode.mark = PersistMark::range;
    End end(by_processor(mode));
    end.receive(16);
    const std::uint32_t plain = *end.rc.regions().add(Pd{1}, {1U << 21U, 4096}, kLocalWrite | kRemoteWrite);
    roce::Header h = reth(request(Opcode::write_only, {500}, 64), end, 64, 1U << 21U);
    h.key = plain;
    CHECK(end.packet(h) == Lines{"place 500 2097152+64"});
    CHECK(end.packet(reth(request(Opcode::write_only, {501}, 64), end, 64)) ==
          Lines{"place 501 40960+64", "receive 0 success 64 B imm 501 from 40960"});
}

TEST_CASE("V-P6: without a receive WQE the reception is acknowledged, and the card looks again each microsecond",
          "[verbs]") {
    End end(by_processor());
    CHECK(end.packet(persist_of({500}, end)) == Lines{"place 500 40960+64"});
    CHECK(end.answers() == Lines{"ack 500 msn 1"});
    CHECK(end.rc.count(RcCount::receive_waits) == 1);
    CHECK(end.expiry(kMicrosecond) == Lines{});
    CHECK(end.packet(persist_of({501}, end)) == Lines{"place 501 40960+64"});
    CHECK(end.rc.count(RcCount::receive_waits) == 2);
    end.receive(16);
    CHECK(end.expiry(kMicrosecond * 2) == Lines{"receive 0 success 64 B imm 500 from 40960"});
    CHECK(end.rc.next_deadline() == kMicrosecond * 3);
    end.receive(16);
    CHECK(end.timers(kMicrosecond * 3) == Lines{"receive 1 success 64 B imm 501 from 40960"});
    CHECK(end.rc.next_deadline() == kEndOfTime);
}

TEST_CASE("V-P6: what came before a SEND takes its receive WQE before it", "[verbs]") {
    End end(by_processor());
    end.packet(persist_of({500}, end));
    end.receive(16);
    end.receive(16);
    CHECK(end.packet(request(Opcode::send_only, {501}, 8)) ==
          Lines{"receive 0 success 64 B imm 500 from 40960", "place 501 65536+8", "receive 1 success 8 B"});
}

TEST_CASE("V-P6: with `capacity` of them not told the next one is put off", "[verbs]") {
    EndSettings s = by_processor();
    s.config.persist.capacity = 1;
    End end(s);
    end.packet(persist_of({500}, end));
    end.answers();
    CHECK(end.packet(persist_of({501}, end)) == Lines{});
    CHECK(end.answers() == Lines{"rnr 501 12"});
    end.receive(16);
    CHECK(end.timers(kMicrosecond) == Lines{"receive 0 success 64 B imm 500 from 40960"});
    CHECK(end.packet(persist_of({501}, end)) == Lines{"place 501 40960+64"});
    CHECK(end.answers() == Lines{"ack 501 msn 2"});
}

TEST_CASE("V-P7: the program's WQE becomes a PACK of what it was told of", "[verbs]") {
    End end(by_processor());
    for (int i = 0; i < 3; ++i) end.receive(16);
    for (const std::uint32_t psn : {500U, 501U, 502U}) end.packet(persist_of({psn}, end));
    CHECK(end.answers() == Lines{"ack 502 msn 3"});
    CHECK(end.post(answer_wqe({501})) == Lines{"cqe 0 success"});
    CHECK(end.send() == Lines{});
    CHECK(end.answers() == Lines{"pack 501"});
    // A duplicate: of what is durable, also if its PACK was lost.
    CHECK(end.packet(persist_of({501}, end)) == Lines{});
    CHECK(end.answers() == Lines{"ack 502 msn 3", "pack 501"});
    CHECK(end.packet(persist_of({502}, end)) == Lines{});
    CHECK(end.answers() == Lines{"ack 502 msn 3", "pack 501"});
    CHECK(end.post(answer_wqe({502})) == Lines{"cqe 1 success"});
    CHECK(end.answers() == Lines{"pack 502"});
    // Not twice.
    CHECK(end.post(answer_wqe({502})) == Lines{"cqe 2 loc_qp_op"});
    CHECK(end.answers() == Lines{});
}

TEST_CASE("V-P7: a PACK for what the program was not told of", "[verbs]") {
    End end(by_processor());
    CHECK(end.packet(persist_of({500}, end)) == Lines{"place 500 40960+64"});  // without a receive WQE
    CHECK(end.post(answer_wqe({500})) == Lines{"cqe 0 loc_qp_op"});
    CHECK(end.answers() == Lines{});
    End other;
    other.post(answer_wqe({500}));
    CHECK(other.send() == Lines{"cqe 0 loc_qp_op"});
    End bytes(by_processor());
    bytes.receive(16);
    bytes.packet(persist_of({500}, bytes));
    SendWqe w = answer_wqe({500});
    w.sges = {{8192, 4, bytes.key}};
    CHECK(bytes.post(w) == Lines{"cqe 0 loc_qp_op"});
}

TEST_CASE("V-P7: in its turn: when what was posted before it has completed", "[verbs]") {
    End end(by_processor());
    end.receive(16);
    end.packet(persist_of({500}, end));
    end.answers();
    end.post(wqe(Verb::write, 64, end));
    CHECK(end.post(answer_wqe({500})) == Lines{});
    end.post(wqe(Verb::write, 64, end));
    CHECK(end.send() == Lines{"write_only 100 +64 at 40960:64 ask"});
    CHECK(end.answers() == Lines{});
    CHECK(end.packet(answer({100})) == Lines{"cqe 0 success", "cqe 1 success"});
    CHECK(end.answers() == Lines{"pack 500"});
    CHECK(end.send() == Lines{"write_only 101 +64 at 40960:64 ask"});
}

TEST_CASE("V-P7: a WRITE_PERSIST completes when it is received, and a receive WQE tells of its PACK", "[verbs]") {
    for (const PersistMode mode : {kByProcessor, kByProcessorPsnOnly}) {
        End end(by_processor(mode));
        const roce::Header pack = mode.pack == PersistPack::opcode ? pack_of({100}) : answer({100});
        end.receive(16);
        send_one(end);
        CHECK(end.packet(pack) == Lines{"receive 0 success imm 100"});
        CHECK(end.packet(pack) == Lines{});  // a copy
        CHECK(end.rc.count(RcCount::ghosts) == 1);
        CHECK(end.rc.count(RcCount::packs_received) == 1);
    }
}

TEST_CASE("V-P7: a PACK stands for all before it, each with a receive WQE of its own", "[verbs]") {
    End end(by_processor());
    for (int i = 0; i < 3; ++i) end.receive(16);
    for (int i = 0; i < 3; ++i) end.post(wqe(Verb::write_persist, 64, end));
    end.post(wqe(Verb::write, 64, end));
    end.send();
    // It says that they were received, too.
    CHECK(end.packet(pack_of({101})) ==
          Lines{"cqe 0 success", "cqe 1 success", "receive 0 success imm 100", "receive 1 success imm 101"});
    CHECK(end.packet(answer({103})) == Lines{"cqe 2 success", "cqe 3 success"});  // nothing waits for a PACK
    CHECK(end.packet(pack_of({102})) == Lines{"receive 2 success imm 102"});
}

TEST_CASE("V-P7: a PACK waits for its receive WQE, and those beyond `hold` are dropped", "[verbs]") {
    EndSettings s = by_processor();
    s.config.persist.hold = 1;
    s.config.persist.timer = kMicrosecond * 5;
    End end(s);
    end.post(wqe(Verb::write_persist, 64, end));
    end.post(wqe(Verb::write_persist, 64, end));
    end.send();
    CHECK(end.packet(answer({101})) == Lines{"cqe 0 success", "cqe 1 success"});
    CHECK(end.packet(pack_of({101})) == Lines{});
    CHECK(end.rc.count(RcCount::packs_dropped) == 1);
    CHECK(end.expiry(kMicrosecond) == Lines{});
    end.receive(16);
    end.receive(16);
    CHECK(end.expiry(kMicrosecond * 2) == Lines{"receive 0 success imm 100"});
    // The other one is repeated, as if no PACK had come.
    CHECK(end.expiry(kMicrosecond * 5) == Lines{});
    CHECK(end.send() == Lines{"persist_only 101 +64 at 40960:64 ask"});
    CHECK(end.packet(pack_of({101})) == Lines{"receive 1 success imm 101"});
    CHECK(end.rc.next_deadline() == kEndOfTime);
}

TEST_CASE("V-P7: with `hold` 0 a PACK waits until the queue has been read, and no longer", "[verbs]") {
    EndSettings s = by_processor();
    s.config.persist.hold = 0;
    s.config.persist.timer = {};
    End end(s);
    send_one(end);
    end.receive(16);
    CHECK(end.packet(pack_of({100})) == Lines{"receive 0 success imm 100"});
    End late(s);
    send_one(late);
    CHECK(late.packet(pack_of({100})) == Lines{});
    CHECK(late.rc.count(RcCount::packs_dropped) == 1);
    CHECK(late.rc.next_deadline() == kEndOfTime);  // for ever
}

TEST_CASE("V-P7: without a PACK it is repeated, and then the QP fails", "[verbs]") {
    EndSettings s = by_processor();
    s.config.persist.timer = kMicrosecond * 5;
    s.attributes.retry_cnt = 1;
    End end(s);
    end.receive(16);
    send_one(end);
    CHECK(end.expiry(kMicrosecond * 5) == Lines{});
    CHECK(end.send() == Lines{"persist_only 100 +64 at 40960:64 ask"});
    CHECK(end.packet(answer({100})) == Lines{});
    CHECK(end.expiry(kMicrosecond * 10) == Lines{"event qp_fatal", "receive 0 wr_flush"});
    CHECK(end.state().state == QpState::error);
    CHECK(end.packet(pack_of({100})) == Lines{});
    CHECK(end.rc.next_deadline() == kEndOfTime);
}

TEST_CASE("V-P7: what waits for a PACK takes no room in the send queue", "[verbs]") {
    EndSettings s = by_processor();
    s.send_queue_size = 1;
    End end(s);
    send_one(end);
    end.post(wqe(Verb::write, 64, end));
    CHECK(end.send() == Lines{"write_only 101 +64 at 40960:64 ask"});
}

TEST_CASE("V-P6, V-P7: in ERR nobody is told", "[verbs]") {
    End end(by_processor());
    end.packet(persist_of({500}, end));
    end.to(QpState::error);
    CHECK(end.rc.next_deadline() == kEndOfTime);
    CHECK(end.post(answer_wqe({500})) == Lines{"cqe 0 wr_flush"});
    CHECK(end.answers() == Lines{});
}

}  // namespace rnicsim::rc
