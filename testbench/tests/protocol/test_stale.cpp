// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md 7.6: late, duplicate and stale frames of an ended transfer change nothing.
#include "testbench/tests/protocol/logic_harness.h"

namespace rnicsim {
namespace {

TEST_CASE("7 stale, initiator: no frame of a completed transfer changes anything", "[protocol]") {
    for (const Spec& s : {write_of(500), read_of(500)}) {
        End end;
        end.establish(s);
        end.send_data(0);
        end.frame(10, s.operation == Operation::write ? ack(s, 1) : data(s, 0));
        CHECK(end.frame(20, rel_ack(s)) == Lines{completed(s)});
        for (const DrpHeader& late : {req_ack(s, true), req_ack(s, false), ack(s, 0), ack(s, 1), rel_ack(s)}) {
            CAPTURE(text(late));
            CHECK(end.frame(30, late) == Lines{});
        }
        if (s.operation == Operation::read) {
            CHECK(end.frame(30, data(s, 0)) == Lines{});
            CHECK(end.frame(30, data(s, 0, true)) == Lines{});
        }
        CHECK(end.empty());
        CHECK(end.count(TransportCount::completed) == 1);
        CHECK(end.timers(1'000'000) == Lines{});
    }
}

TEST_CASE("7 stale, initiator: no frame of a failed transfer changes anything", "[protocol]") {
    const Spec s = write_of(500);
    End end;
    end.command(0, start(s));
    for (const At at : {100, 200, 300, 400}) end.timers(at);
    REQUIRE(end.empty());
    for (const DrpHeader& late : {req_ack(s, true), req_ack(s, false), ack(s, 1), rel_ack(s)}) {
        CHECK(end.frame(500, late) == Lines{});
    }
    CHECK(end.empty());
    CHECK(end.count(TransportCount::failed) == 1);
}

TEST_CASE("7 stale, initiator: while releasing, late data and answers change nothing", "[protocol]") {
    for (const Spec& s : {write_of(500), read_of(500)}) {
        End end;
        end.establish(s);
        end.send_data(0);
        end.frame(10, s.operation == Operation::write ? ack(s, 1) : data(s, 0));
        CHECK(end.frame(20, req_ack(s, false)) == Lines{});
        if (s.operation == Operation::write) {
            CHECK(end.frame(20, req_ack(s, true)) == Lines{});
            CHECK(end.frame(20, ack(s, 1)) == Lines{});
            CHECK(end.frame(20, ack(s, 0)) == Lines{});
        } else {
            CHECK(end.frame(20, data(s, 0)) == Lines{});
        }
        CHECK(end.send_data(20) == Lines{});
        CHECK(end.expiry(60) == Lines{sent(rel(s))});
    }
}

TEST_CASE("7 stale, responder: late requests and data of a released write change nothing", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.accept(s);
    for (const std::uint32_t sn : {0U, 1U, 2U}) end.frame(10, data(s, sn));
    end.frame(20, rel(s));
    for (const DrpHeader& late : {req(s), data(s, 0), data(s, 0, true), data(s, 2, true), ack(s, 0)}) {
        CAPTURE(text(late));
        CHECK(end.frame(30, late) == Lines{});
        CHECK(end.empty());
    }
    CHECK(end.timers(1'000'000) == Lines{});
}

TEST_CASE("7 stale, responder: late requests and acknowledgements of a released read change nothing", "[protocol]") {
    const Spec s = read_of(2500);
    End end;
    end.accept(s);
    end.frame(5, ack(s, 0));
    end.send_data(5);
    end.frame(20, rel(s));
    for (const DrpHeader& late : {req(s), ack(s, 0), ack(s, 3)}) {
        CAPTURE(text(late));
        CHECK(end.frame(30, late) == Lines{});
        CHECK(end.empty());
    }
    CHECK(end.send_data(30) == Lines{});
    CHECK(end.timers(1'000'000) == Lines{});
}

TEST_CASE("7 stale, responder: as many ended transfers are remembered as the table has entries", "[protocol]") {
    End end;  // four entries
    for (std::uint16_t tid = 1; tid <= 9; ++tid) {
        end.receive(write_of(500, tid), tid);
        end.frame(tid, rel(write_of(500, tid)));
    }
    for (std::uint16_t tid = 6; tid <= 9; ++tid) CHECK(end.frame(20, req(write_of(500, tid))) == Lines{});
    const Spec oldest = write_of(500, 5);  // forgotten: TIDs are used again
    CHECK(end.frame(20, req(oldest)) == Lines{asked(oldest)});
}

TEST_CASE("7 stale, responder: a REQ of an earlier transfer with the same TID changes nothing", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.accept(s);
    Spec longer = s;
    longer.length = 9000;
    Spec elsewhere = s;
    elsewhere.dba += 0x1000;
    const Spec other_way = read_of(2500);
    for (const Spec& other : {longer, elsewhere, other_way}) CHECK(end.frame(10, req(other)) == Lines{});
    CHECK(end.count(TransportCount::stale) == 3);
    CHECK(end.frame(20, data(s, 2)) == Lines{placed(s, 2), sent(ack(s, 0))});
}

TEST_CASE("7 stale: frames of TIDs that were never seen change nothing", "[protocol]") {
    End end;
    for (const Spec& s : {write_of(500), read_of(500)}) {
        for (const DrpHeader& frame : {req_ack(s, true), req_ack(s, false), ack(s, 0), rel_ack(s), data(s, 0)}) {
            CAPTURE(text(frame));
            CHECK(end.frame(0, frame) == Lines{});
        }
    }
    CHECK(end.empty());
    CHECK(end.count(TransportCount::stale) == 10);
}

TEST_CASE("7 stale: an answer of the wrong operation changes nothing", "[protocol]") {
    End end;
    end.command(0, start(write_of(500)));
    CHECK(end.frame(10, req_ack(read_of(500), true)) == Lines{});
    CHECK(end.send_data(10) == Lines{});
    CHECK(end.frame(20, ack(write_of(500), 1)) == Lines{});  // nothing has been sent yet
    CHECK(end.expiry(100) == Lines{sent(req(write_of(500)))});
}

TEST_CASE("3 stale: a request starts no new transfer while the ended one still has a frame to send", "[protocol]") {
    // Its "released" would take the region of the new one away.
    const Spec s = read_of(2500);
    End end;
    end.accept(s);
    end.frame(10, ack(s, 0));
    const DataJob job = end.fetch(11);
    for (At at = 311; at <= 1211; at += 300) end.timers(at);  // max_retransmissions is 3
    CHECK(end.logic.table()[0].phase == Phase::closing);
    const std::uint64_t before = end.count(TransportCount::stale);
    CHECK(end.frame(1300, req(s)) == Lines{});
    CHECK(end.count(TransportCount::stale) == before + 1);
    CHECK(end.left(1301, job).size() == 1);     // the host gets the error
    CHECK(end.frame(1400, req(s)) == Lines{});  // it has failed
    CHECK(end.expiry(1301 + 2000) == Lines{});
    CHECK(end.frame(3400, req(s)) == Lines{asked(s)});
}

TEST_CASE("3 stale: a transfer that was given up does not start again, and its REL is not answered", "[protocol]") {
    // Its data was acknowledged and is lost: an answer would make the initiator complete.
    const Spec s = write_of(2500);
    const auto silent = [&](End& end, At at) {
        for (const DrpHeader& late : {req(s), data(s, 1, true), data(s, 1), rel(s)}) {
            CHECK(end.frame(at, late) == Lines{});
        }
        CHECK(end.command(at, verdict(s, true)) == Lines{});
        CHECK(end.count(TransportCount::stale) == 5);
        CHECK(end.empty());
    };
    SECTION("data ahead of its request") {
        End end;
        end.frame(0, data(s, 0, true));
        CHECK(end.expiry(2000) == Lines{dropped(s.tid)});
        silent(end, 3999);
        CHECK(end.expiry(4000) == Lines{});  // nothing restarts this timer
    }
    SECTION("a refused transfer") {
        End end;
        end.refuse(s, 0);
        CHECK(end.expiry(2000) == Lines{released(s)});
        silent(end, 2001);
    }
    SECTION("an established one") {
        End end;
        end.accept(s, 0);
        end.frame(0, data(s, 0));
        CHECK(end.expiry(2000) == Lines{released(s)});
        silent(end, 2001);
    }
}

TEST_CASE("3 stale: when no entry is free, the first one that was given up is reused", "[protocol]") {
    TransportConfig config = small_config();
    config.table_entries = 3;
    End end(config);
    const auto spec = [](std::uint16_t tid) { return write_of(2500, tid); };
    end.refuse(spec(1), 0);
    end.refuse(spec(2), 0);
    end.timers(2000);
    CHECK(end.frame(2100, req(spec(3))) == Lines{asked(spec(3))});
    CHECK(end.logic.table()[2].tid == Tid{3});
    CHECK(end.frame(2100, req(spec(4))) == Lines{asked(spec(4))});
    CHECK(end.logic.table()[0].tid == Tid{4});
    CHECK(end.logic.table().used() == 2);
    CHECK(end.frame(2100, rel(spec(2))) == Lines{});
    CHECK(end.frame(2100, req(spec(5))) == Lines{asked(spec(5))});
    CHECK(end.frame(2100, req(spec(6))) == Lines{});
    CHECK(end.count(TransportCount::table_full) == 1);
}

TEST_CASE("7 stale, initiator: an acknowledgement that comes after the last one is counted as stale", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.establish(s);
    end.send_data(0);
    CHECK(end.frame(10, ack(s, 3)) == Lines{sent(rel(s))});
    CHECK(end.frame(20, ack(s, 3)) == Lines{});
    CHECK(end.count(TransportCount::stale) == 1);
}

}  // namespace
}  // namespace rnicsim
