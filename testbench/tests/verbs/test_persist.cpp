// SPDX-License-Identifier: Apache-2.0
// Making data durable (VERBS.md 11): WRITE_PERSIST, FLUSH, ATOMIC WRITE.
#include "testbench/tests/verbs/verbs_end.h"

namespace rnicsim::rc {
namespace {

using roce::FlushPlacement;
using roce::FlushSelectivity;
using roce::NakCode;
using roce::Opcode;

EndSettings persists(PersistMode mode = {}) {
    EndSettings s;
    s.persist = mode;
    return s;
}
constexpr PersistMode kRange{PersistMark::range, PersistPack::opcode, false};
constexpr PersistMode kTwoAcks{PersistMark::opcode, PersistPack::opcode, true};
constexpr PersistMode kPsnOnly{PersistMark::opcode, PersistPack::psn_only, true};
constexpr PersistMode kOneAckPsnOnly{PersistMark::opcode, PersistPack::psn_only, false};

roce::Header flush_of(Psn psn, const End& end, std::uint32_t length = 100,
                      FlushPlacement placement = FlushPlacement::persistent,
                      FlushSelectivity selectivity = FlushSelectivity::range) {
    roce::Header h = reth(request(Opcode::flush, psn), end, length);
    h.feth = {placement, selectivity};
    return h;
}

roce::Header pack(Psn psn) {
    roce::Header h = answer(psn);
    h.opcode = Opcode::persist_ack;
    return h;
}

SendWqe flush_wqe(const End& end) {
    SendWqe w = wqe(Verb::flush, 0, end);
    w.flush = {FlushPlacement::persistent, FlushSelectivity::range};
    w.flush_length = 600;
    return w;
}

}  // namespace

TEST_CASE("V-P1: the mark is the opcode, or the region's right", "[verbs]") {
    End by_opcode(persists());
    CHECK(by_opcode.post(wqe(Verb::write_persist, 700, by_opcode)) == Lines{});
    CHECK(by_opcode.send() ==
          Lines{"persist_first 100 +256 at 40960:700", "persist_middle 101 +256", "persist_last 102 +188 ask"});
    CHECK(by_opcode.post(wqe(Verb::write_persist, 20, by_opcode)) == Lines{});
    CHECK(by_opcode.send() == Lines{"persist_only 103 +20 at 40960:20 ask"});
    End by_range(persists(kRange));
    CHECK(by_range.post(wqe(Verb::write_persist, 700, by_range)) == Lines{});
    CHECK(by_range.send() ==
          Lines{"write_first 100 +256 at 40960:700", "write_middle 101 +256", "write_last 102 +188 ask"});
    // The responder.
    CHECK(by_range.packet(reth(request(Opcode::write_only, {500}, 64), by_range, 64)) ==
          Lines{"place 500 40960+64", "persist 500 at 41023"});
    CHECK(by_opcode.packet(reth(request(Opcode::write_persist_only, {500}, 64), by_opcode, 64)) ==
          Lines{"place 500 40960+64", "persist 500 at 41023"});
    CHECK(by_opcode.packet(reth(request(Opcode::write_only, {501}, 64), by_opcode, 64)) == Lines{"place 501 40960+64"});
}

TEST_CASE("V-P1: a region without the right", "[verbs]") {
    const Access plain = kLocalWrite | kRemoteWrite;
    End by_range(persists(kRange));
    const std::uint32_t elsewhere = *by_range.rc.regions().add(Pd{1}, {1U << 21U, 4096}, plain);
    roce::Header h = reth(request(Opcode::write_only, {500}, 64), by_range, 64, 1U << 21U);
    h.key = elsewhere;
    CHECK(by_range.packet(h) == Lines{"place 500 2097152+64"});
    CHECK(by_range.answers() == Lines{"ack 500 msn 1"});
    End by_opcode(persists());
    h.key = *by_opcode.rc.regions().add(Pd{1}, {1U << 21U, 4096}, plain);
    h.opcode = Opcode::write_persist_only;
    CHECK(by_opcode.packet(h) == Lines{"event qp_access_error"});
    CHECK(by_opcode.answers() == Lines{"nak 500 access"});
}

TEST_CASE("V-P1: a QP without a mode, or with another mark, knows no such opcode", "[verbs]") {
    for (const auto& settings : {EndSettings{}, persists(kRange)}) {
        End end(settings);
        CHECK(end.packet(reth(request(Opcode::write_persist_only, {500}, 64), end, 64)) ==
              Lines{"event qp_request_error"});
        CHECK(end.answers() == Lines{"nak 500 invalid"});
    }
    End end;
    end.post(wqe(Verb::write_persist, 20, end));
    CHECK(end.send() == Lines{"cqe 0 loc_qp_op"});
}

TEST_CASE("V-P1: a message is marked from its first packet to its last", "[verbs]") {
    End end(persists());
    CHECK(end.packet(reth(request(Opcode::write_persist_first, {500}, 256), end, 300)) == Lines{"place 500 40960+256"});
    CHECK(end.packet(request(Opcode::write_last, {501}, 44)) == Lines{"event qp_request_error"});
    End other(persists());
    CHECK(other.packet(reth(request(Opcode::write_first, {500}, 256), other, 300)) == Lines{"place 500 40960+256"});
    CHECK(other.packet(request(Opcode::write_persist_last, {501}, 44)) == Lines{"event qp_request_error"});
}

TEST_CASE("V-P2: the job follows the last packet's placement, and waits for room", "[verbs]") {
    End end(persists());
    end.packet(reth(request(Opcode::write_persist_first, {500}, 256), end, 300));
    end.has_room = false;
    roce::Header last = request(Opcode::write_persist_last, {501}, 44);
    last.to = end.qp;
    CHECK(end.rc.on_packet({}, kFarCard, last, end) == Taken::later);
    CHECK(end.take() == Lines{});
    end.has_room = true;
    CHECK(end.packet(last) == Lines{"place 501 41216+44", "persist 501 at 41259"});
    end.has_room = false;
    roce::Header flush = flush_of({502}, end);
    flush.to = end.qp;
    CHECK(end.rc.on_packet({}, kFarCard, flush, end) == Taken::later);
}

TEST_CASE("V-P2: with selective repeat a WRITE_PERSIST is not placed ahead", "[verbs]") {
    for (const PersistMode mode : {PersistMode{}, kRange}) {
        EndSettings s = persists(mode);
        s.config.retransmission = &retransmission("selective_repeat");
        End end(s);
        const bool range = mode.mark == PersistMark::range;
        const Opcode only = range ? Opcode::write_only : Opcode::write_persist_only;
        CHECK(end.packet(reth(request(only, {501}, 64), end, 64)) == Lines{});
        CHECK(end.answers() == Lines{"nak 500 sequence"});
    }
}

TEST_CASE("V-P3: the PACK says that it is durable, and only it completes", "[verbs]") {
    End end(persists());
    end.packet(reth(request(Opcode::write_persist_only, {500}, 64), end, 64));
    CHECK(end.answers() == Lines{});
    end.durable({500});
    CHECK(end.answers() == Lines{"pack 500"});
    End both(persists(kTwoAcks));
    both.packet(reth(request(Opcode::write_persist_only, {500}, 64), both, 64));
    CHECK(both.answers() == Lines{"ack 500 msn 1"});
    both.durable({500});
    CHECK(both.answers() == Lines{"pack 500"});
    // The requester.
    for (const PersistMode mode : {PersistMode{}, kTwoAcks}) {
        End asks(persists(mode));
        asks.post(wqe(Verb::write_persist, 64, asks));
        asks.post(wqe(Verb::write, 64, asks));
        asks.send();
        CHECK(asks.packet(answer({100})) == Lines{});  // received
        CHECK(asks.packet(answer({101})) == Lines{});  // V-C7
        CHECK(asks.packet(pack({100})) == Lines{"cqe 0 success", "cqe 1 success"});
    }
}

TEST_CASE("V-P3: a PACK is cumulative, and says that all was received", "[verbs]") {
    End end(persists());
    for (unsigned i = 0; i < 3; ++i) end.post(wqe(Verb::write_persist, 64, end));
    end.send();
    CHECK(end.packet(pack({101})) == Lines{"cqe 0 success", "cqe 1 success"});
    CHECK(end.packet(pack({101})) == Lines{});
    CHECK(end.rc.count(RcCount::ghosts) == 1);
    CHECK(end.packet(pack({102})) == Lines{"cqe 2 success"});
    CHECK(end.rc.count(RcCount::packs_received) == 2);
}

TEST_CASE("V-P3: only the PSN: the second ACK of a PSN is the PACK", "[verbs]") {
    End end(persists(kPsnOnly));
    end.packet(reth(request(Opcode::write_persist_only, {500}, 64), end, 64));
    CHECK(end.answers() == Lines{"ack 500 msn 1"});
    end.durable({500});
    CHECK(end.answers() == Lines{"ack 500 msn 1"});
    end.post(wqe(Verb::write_persist, 64, end));
    end.post(wqe(Verb::write_persist, 64, end));
    end.send();
    CHECK(end.packet(answer({100})) == Lines{});
    CHECK(end.packet(answer({101})) == Lines{});
    CHECK(end.packet(answer({101})) == Lines{});  // of 101 alone
    CHECK(end.packet(answer({100})) == Lines{"cqe 0 success", "cqe 1 success"});
    // With one ACK there is nothing to tell the two apart.
    End one(persists(kOneAckPsnOnly));
    one.post(wqe(Verb::write_persist, 64, one));
    one.send();
    CHECK(one.packet(answer({100})) == Lines{"cqe 0 success"});
}

TEST_CASE("V-P3: the ACK timer runs until the PACK, where nothing else is answered", "[verbs]") {
    End end(persists());
    end.post(wqe(Verb::write_persist, 64, end));
    end.send();
    CHECK(end.expiry(kAckTime) == Lines{});
    CHECK(end.send() == Lines{"persist_only 100 +64 at 40960:64 ask"});
    CHECK(end.packet(pack({100})) == Lines{"cqe 0 success"});
    CHECK(end.rc.next_deadline() == kEndOfTime);
}

TEST_CASE("V-P3: what is held is flushed, never told to be durable", "[verbs]") {
    End end(persists(kTwoAcks));
    end.post(wqe(Verb::write_persist, 64, end));
    end.post(wqe(Verb::write, 64, end));
    end.post(wqe(Verb::write, 64, end));
    end.send();
    CHECK(end.packet(answer({101})) == Lines{});
    CHECK(end.packet(nak({102}, NakCode::remote_access)) ==
          Lines{"cqe 0 wr_flush", "cqe 1 wr_flush", "cqe 2 rem_access"});
    End other(persists(kTwoAcks));
    other.post(wqe(Verb::write_persist, 64, other));
    other.send();
    other.packet(answer({100}));
    CHECK(other.to(QpState::error) == Lines{"cqe 0 wr_flush"});
    CHECK(other.packet(pack({100})) == Lines{});
    // What the responder's QP had under way comes back in vain.
    End far(persists());
    far.packet(reth(request(Opcode::write_persist_only, {500}, 64), far, 64));
    far.to(QpState::error);
    far.durable({500});
    CHECK(far.answers() == Lines{});
}

TEST_CASE("V-P3: what is held takes its room in the send queue", "[verbs]") {
    EndSettings s = persists(kTwoAcks);
    s.send_queue_size = 2;
    End end(s);
    end.post(wqe(Verb::write_persist, 64, end));
    end.send();
    end.packet(answer({100}));
    end.post(wqe(Verb::write, 64, end));
    CHECK_FALSE(end.rc.on_post({}, end.qp, 1, end));
    end.packet(pack({100}));
    CHECK(end.rc.on_post({}, end.qp, 1, end));
}

TEST_CASE("V-P4: without a PACK the last packet is repeated, retry_cnt times", "[verbs]") {
    EndSettings s = persists(kTwoAcks);
    s.config.persist.timer = kMicrosecond * 5;
    End end(s);
    end.post(wqe(Verb::write_persist, 300, end));
    end.send();
    CHECK(end.packet(answer({101})) == Lines{});
    CHECK(end.expiry(kMicrosecond * 5) == Lines{});
    CHECK(end.send() == Lines{"persist_last 101 +44 ask"});
    CHECK(end.expiry(kMicrosecond * 10) == Lines{});
    CHECK(end.send() == Lines{"persist_last 101 +44 ask"});
    CHECK(end.rc.count(RcCount::persist_repeats) == 2);
    CHECK(end.expiry(kMicrosecond * 15) == Lines{"cqe 0 retry_exc"});
    CHECK(end.state().state == QpState::error);
    s.config.persist.timer = {};
    End never(s);
    never.post(wqe(Verb::write_persist, 64, never));
    never.send();
    never.packet(answer({100}));
    CHECK(never.rc.next_deadline() == kEndOfTime);
}

TEST_CASE("V-P4: with each PACK the time until a repeat begins anew", "[verbs]") {
    EndSettings s = persists(kTwoAcks);
    s.config.persist.timer = kMicrosecond * 5;
    End end(s);
    end.post(wqe(Verb::write_persist, 64, end));
    end.post(wqe(Verb::write_persist, 64, end));
    end.send();
    CHECK(end.packet(answer({101})) == Lines{});
    end.now = kMicrosecond * 4;
    CHECK(end.packet(pack({100})) == Lines{"cqe 0 success"});
    CHECK(end.expiry(kMicrosecond * 9) == Lines{});
    CHECK(end.send() == Lines{"persist_only 101 +64 at 40960:64 ask"});
}

TEST_CASE("V-P4: a duplicate is answered by what is durable", "[verbs]") {
    for (const bool two : {false, true}) {
        for (const PersistMark mark : {PersistMark::opcode, PersistMark::range}) {
            End end(persists({mark, PersistPack::opcode, two}));
            const bool range = mark == PersistMark::range;
            const Opcode only = range ? Opcode::write_only : Opcode::write_persist_only;
            const roce::Header first = reth(request(only, {500}, 64), end, 64);
            const Lines ack = two ? Lines{"ack 500 msn 1"} : Lines{};
            end.packet(first);
            CHECK(end.answers() == ack);
            CHECK(end.packet(first) == Lines{});  // not executed
            CHECK(end.answers() == ack);          // not durable
            end.durable({500});
            CHECK(end.answers() == Lines{"pack 500"});
            end.packet(first);
            Lines again = ack;
            again.emplace_back("pack 500");
            CHECK(end.answers() == again);
        }
    }
}

TEST_CASE("V-P4: of a message that has come in part a duplicate is acknowledged, with one ACK, too", "[verbs]") {
    for (const PersistMode mode : {PersistMode{}, kRange}) {
        End end(persists(mode));
        const bool range = mode.mark == PersistMark::range;
        end.packet(reth(request(range ? Opcode::write_first : Opcode::write_persist_first, {500}, 256), end, 600));
        const roce::Header middle = request(range ? Opcode::write_middle : Opcode::write_persist_middle, {501}, 256);
        end.packet(middle);
        CHECK(end.answers() == Lines{"ack 501 msn 0"});  // of the two the newer one
        end.packet(middle);
        CHECK(end.answers() == Lines{"ack 501 msn 0"});
    }
}

TEST_CASE("V-P2: what has no byte names no place, whatever address it has", "[verbs]") {
    constexpr std::uint64_t kNowhere = 0xDEAD0000;
    for (const PersistMode mode : {PersistMode{}, kRange}) {
        End end(persists(mode));
        const Opcode opcode = mode.mark == PersistMark::range ? Opcode::write_only : Opcode::write_persist_only;
        CHECK(end.packet(reth(request(opcode, {500}, 0), end, 0, kNowhere)) == Lines{"persist 500 of no byte"});
    }
    End end;
    roce::Header flush = flush_of({500}, end, 0);
    flush.address = kNowhere;
    CHECK(end.packet(flush) == Lines{"persist 500 of no byte"});
}

TEST_CASE("V-P4: a duplicate of a plain WRITE is acknowledged", "[verbs]") {
    for (const PersistMode mode : {PersistMode{}, kTwoAcks, kRange}) {
        End end(persists(mode));
        const std::uint32_t plain = *end.rc.regions().add(Pd{1}, {1U << 21U, 4096}, kLocalWrite | kRemoteWrite);
        roce::Header h = reth(request(Opcode::write_only, {500}, 64), end, 64, 1U << 21U);
        h.key = plain;
        end.packet(h);
        CHECK(end.answers() == Lines{"ack 500 msn 1"});
        end.packet(h);
        CHECK(end.answers() == Lines{"ack 500 msn 1"});
    }
}

TEST_CASE("V-P5: FLUSH: what was written before is durable before the answer", "[verbs]") {
    End end;
    CHECK(end.packet(flush_of({500}, end)) == Lines{"persist 500 at 41059"});
    CHECK(end.packet(request(Opcode::send_only, {501}, 0)) == Lines{});  // without a receive WQE
    CHECK(end.answers() == Lines{});
    end.durable({500});
    CHECK(end.answers() == Lines{"read_only 500", "rnr 501 12"});
    // A duplicate is answered, not done again.
    CHECK(end.packet(flush_of({500}, end)) == Lines{});
    CHECK(end.answers() == Lines{"read_only 500"});
    // All of a region, wherever the request points.
    CHECK(end.packet(flush_of({501}, end, 0, FlushPlacement::both, FlushSelectivity::region)) ==
          Lines{"persist 501 at 1052671"});
    CHECK(end.packet(flush_of({501}, end)) == Lines{});  // under way
    CHECK(end.answers() == Lines{});
    end.durable({501});
    CHECK(end.answers() == Lines{"read_only 501"});
}

TEST_CASE("V-P5: the requester of a FLUSH", "[verbs]") {
    End end;
    end.post(wqe(Verb::write, 64, end));
    end.post(flush_wqe(end));
    CHECK(end.send() == Lines{"write_only 100 +64 at 40960:64 ask", "flush 101 at 40960:600 ask"});
    CHECK(end.packet(answer({100})) == Lines{"cqe 0 success"});
    CHECK(end.packet(response(Opcode::read_only, {101}, 0)) == Lines{"cqe 1 success"});
    end.post(flush_wqe(end));
    end.send();
    CHECK(end.packet(response(Opcode::read_only, {102}, 4)) == Lines{"cqe 2 bad_resp"});
}

TEST_CASE("V-P5: FLUSHes and ATOMIC WRITEs count as READs", "[verbs]") {
    EndSettings s;
    s.attributes.max_rd_atomic = s.attributes.max_dest_rd_atomic = 1;
    End end(s);
    end.post(flush_wqe(end));
    end.post(wqe(Verb::atomic_write, 8, end));
    CHECK(end.send() == Lines{"flush 100 at 40960:600 ask"});
    CHECK(end.packet(response(Opcode::read_only, {100}, 0)) == Lines{"cqe 0 success"});
    CHECK(end.send() == Lines{"atomic_write 101 +8 at 40960:8 ask"});
    // An ACK behind it is no answer to it: it is lost (V-C2).
    end.post(wqe(Verb::write, 64, end));
    end.send();
    CHECK(end.packet(answer({102})) == Lines{});
    CHECK(end.send() == Lines{"atomic_write 101 +8 at 40960:8 ask", "write_only 102 +64 at 40960:64 ask"});
    CHECK(end.packet(response(Opcode::read_only, {101}, 0)) == Lines{"cqe 1 success"});
    // V-R7
    SendWqe fenced = wqe(Verb::write, 64, end);
    fenced.fence = true;
    end.packet(answer({102}));
    end.post(flush_wqe(end));
    end.post(fenced);
    CHECK(end.send() == Lines{"flush 103 at 40960:600 ask"});
    // More than were agreed.
    End far(s);
    CHECK(far.packet(flush_of({500}, far)) == Lines{"persist 500 at 41059"});
    CHECK(far.packet(flush_of({501}, far)) == Lines{"event qp_request_error"});
}

TEST_CASE("V-P5: an ATOMIC WRITE waits for FLUSHes, is written once, and answered when it is posted", "[verbs]") {
    End end;
    end.packet(flush_of({500}, end));
    roce::Header h = reth(request(Opcode::atomic_write, {501}, 8), end, 8);
    h.to = end.qp;
    CHECK(end.rc.on_packet({}, kFarCard, h, end) == Taken::later);
    end.durable({500});
    end.posts_at_once = false;
    CHECK(end.packet(h) == Lines{"place 501 40960+8"});
    CHECK(end.answers() == Lines{"read_only 500"});
    end.posted();
    CHECK(end.answers() == Lines{"read_only 501"});
    CHECK(end.packet(h) == Lines{});  // V-S2
    CHECK(end.answers() == Lines{"read_only 501"});
}

TEST_CASE("V-P5: what a FLUSH or an ATOMIC WRITE must not ask for", "[verbs]") {
    const auto refused = [](const roce::Header& (*change)(roce::Header&, End&), const std::string& code,
                            Opcode opcode = Opcode::flush) {
        End end;
        roce::Header h =
            opcode == Opcode::flush ? flush_of({500}, end) : reth(request(Opcode::atomic_write, {500}, 8), end, 8);
        change(h, end);
        end.packet(h);
        CHECK(end.answers() == Lines{"nak 500 " + code});
    };
    using H = roce::Header;
    refused([](H& h, End&) -> const H& { return h.feth.placement = FlushPlacement::none, h; }, "invalid");
    refused([](H& h, End&) -> const H& { return h.feth.placement = FlushPlacement{4}, h; }, "invalid");
    refused([](H& h, End&) -> const H& { return h.feth.selectivity = FlushSelectivity{2}, h; }, "invalid");
    refused([](H& h, End&) -> const H& { return h.payload = 4, h; }, "invalid");
    refused([](H& h, End&) -> const H& { return h.length = (1U << 31U) + 1, h; }, "invalid");
    refused([](H& h, End&) -> const H& { return h.length = 1U << 20U, h; }, "access");
    refused([](H& h, End&) -> const H& { return h.key = 0, h; }, "access");
    refused(
        [](H& h, End& end) -> const H& {
            h.key = *end.rc.regions().add(Pd{1}, {40960, 4096}, kLocalWrite | kRemoteWrite | kFlushVisible);
            return h;
        },
        "access");
    refused(
        [](H& h, End&) -> const H& {
            h.feth.selectivity = FlushSelectivity::region;
            return h.key = 0, h;
        },
        "access");
    refused([](H& h, End&) -> const H& { return h.address += 4, h; }, "invalid", Opcode::atomic_write);
    refused([](H& h, End&) -> const H& { return h.payload = 4, h; }, "invalid", Opcode::atomic_write);
    refused([](H& h, End&) -> const H& { return h.length = 16, h; }, "invalid", Opcode::atomic_write);
    refused([](H& h, End&) -> const H& { return h.key = 0, h; }, "access", Opcode::atomic_write);
    EndSettings s;
    s.attributes.access = kRemoteAtomic | kFlushVisible;
    End end(s);
    end.packet(flush_of({500}, end));
    CHECK(end.answers() == Lines{"nak 500 invalid"});
    End far(s);
    far.packet(reth(request(Opcode::atomic_write, {500}, 8), far, 8));
    CHECK(far.answers() == Lines{"nak 500 invalid"});
}

TEST_CASE("V-P5: send WQEs of FLUSH and ATOMIC WRITE that are wrong", "[verbs]") {
    End end;
    SendWqe flush = flush_wqe(end);
    flush.sges.push({8192, 4, end.key});
    end.post(flush);
    CHECK(end.send() == Lines{"cqe 0 loc_qp_op"});
    End other;
    other.post(wqe(Verb::atomic_write, 16, other));
    CHECK(other.send() == Lines{"cqe 0 loc_qp_op"});
    End inlined;
    SendWqe w = wqe(Verb::atomic_write, 0, inlined);
    w.inline_data = true;
    w.inline_length = 8;
    inlined.post(w);
    CHECK(inlined.send() == Lines{"atomic_write 100 +8 at 40960:8 ask"});
}

}  // namespace rnicsim::rc
