// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md 3.5 to 3.9, responder: request, the host's verdict, and how an abandoned entry is freed.
#include "testbench/tests/protocol/logic_harness.h"

namespace rnicsim {
namespace {

TEST_CASE("3 responder: REQ takes a table entry and asks the host; only its verdict is an answer", "[protocol]") {
    for (const Method method : kMethods) {
        for (const Spec& s : {write_of(2500), read_of(2500)}) {
            for (const bool valid : {true, false}) {
                End end(small_config(method));
                CHECK(end.frame(0, req(s)) == Lines{asked(s)});
                CHECK(end.logic.table().used() == 1);
                CHECK(end.command(20, verdict(s, valid)) == Lines{sent(req_ack(s, valid))});
                CHECK(end.count(TransportCount::request_acks_sent) == (valid ? 1 : 0));
                CHECK(end.count(TransportCount::invalid_request_acks_sent) == (valid ? 0 : 1));
            }
        }
    }
}

TEST_CASE("3 responder: a REQ while the host is busy does not ask it twice", "[protocol]") {
    End end;
    const Spec s = write_of(2500);
    CHECK(end.frame(0, req(s)) == Lines{asked(s)});
    CHECK(end.frame(5, req(s)) == Lines{});
    CHECK(end.command(9, verdict(s, true)) == Lines{sent(req_ack(s, true))});
}

TEST_CASE("3 responder: a REQ after a refusal asks the host again", "[protocol]") {
    for (const Method method : kMethods) {
        End end(small_config(method));
        const Spec s = write_of(2500);
        end.refuse(s);
        CHECK(end.frame(50, req(s)) == Lines{asked(s)});
        CHECK(end.command(60, verdict(s, false)) == Lines{sent(req_ack(s, false))});
        CHECK(end.frame(70, req(s)) == Lines{asked(s)});
        CHECK(end.command(80, verdict(s, true)) == Lines{sent(req_ack(s, true))});
    }
}

TEST_CASE("3 responder: a REQ for a registered transfer is answered VALID=1 again without the host", "[protocol]") {
    for (const Spec& s : {write_of(2500), read_of(2500)}) {
        End end;
        end.accept(s);
        CHECK(end.frame(10, req(s)) == Lines{sent(req_ack(s, true))});
        CHECK(end.frame(20, req(s)) == Lines{sent(req_ack(s, true))});
        CHECK(end.count(TransportCount::request_acks_sent) == 3);
    }
}

TEST_CASE("3 responder: the host issues the valid REQ_ACK on its own when a pending registration succeeds",
          "[protocol]") {
    End end;
    const Spec s = write_of(2500);
    end.refuse(s);
    CHECK(end.command(150, verdict(s, true)) == Lines{sent(req_ack(s, true))});
    CHECK(end.frame(160, data(s, 0)) == Lines{placed(s, 0), sent(ack(s, 1))});
}

TEST_CASE("3 responder: a refusal after the valid verdict is not sent", "[protocol]") {
    End end;
    const Spec s = write_of(2500);
    end.accept(s);
    CHECK(end.command(10, verdict(s, false)) == Lines{});
    CHECK(end.frame(20, data(s, 0)) == Lines{placed(s, 0), sent(ack(s, 1))});
}

TEST_CASE("3 idle timeout: an established transfer is freed, and the host gets `released`, at the cycle",
          "[protocol]") {
    End end(small_config(Method::traditional));
    const Spec s = write_of(2500);
    end.accept(s, 10);
    CHECK(end.expiry(2010) == Lines{released(s)});
    CHECK(end.empty());
    CHECK(end.count(TransportCount::idle_timeouts) == 1);
}

TEST_CASE("3 idle timeout: a refused transfer is freed with what the buffer holds for it", "[protocol]") {
    End end;
    const Spec s = write_of(2500);
    end.refuse(s, 0);
    CHECK(end.frame(10, data(s, 1, true)) == Lines{kept(s, 1), sent(ack(s, 0))});
    CHECK(end.frame(20, data(s, 0, true)) == Lines{kept(s, 0), sent(ack(s, 2))});
    CHECK(end.buffer().used() == 2);
    CHECK(end.expiry(2020) == Lines{dropped(s.tid), released(s)});
    CHECK(end.empty());
}

TEST_CASE("3 idle timeout: data whose request never came is freed without an event to the host", "[protocol]") {
    End end;
    const Spec s = write_of(2500);
    CHECK(end.frame(0, data(s, 0, true)) == Lines{kept(s, 0), sent(ack(s, 1))});
    CHECK(end.expiry(2000) == Lines{dropped(s.tid)});
    CHECK(end.empty());
}

TEST_CASE("3 idle timeout: only this transfer's part of the buffer is freed", "[protocol]") {
    End end;
    const Spec a = write_of(2500, 1);
    const Spec b = write_of(2500, 2);
    end.refuse(a, 0);
    end.frame(0, data(a, 0, true));
    end.refuse(b, 500);
    end.frame(500, data(b, 0, true));
    CHECK(end.expiry(2000) == Lines{dropped(a.tid), released(a)});
    CHECK(end.buffer().used() == 1);
    CHECK(end.command(2100, verdict(b, true)) == Lines{sent(req_ack(b, true)), drained(b, {0})});
}

TEST_CASE("3 idle timeout: every frame of the transfer restarts it", "[protocol]") {
    const Spec w = write_of(2500);
    SECTION("REQ") {
        End end;
        end.refuse(w, 0);
        end.frame(700, req(w));
        CHECK(end.expiry(2700) == Lines{released(w)});
    }
    SECTION("data") {
        End end;
        end.accept(w, 0);
        end.frame(700, data(w, 0));
        CHECK(end.expiry(2700) == Lines{released(w)});
    }
    SECTION("acknowledgement of a read") {
        End end(small_config(Method::traditional));
        const Spec r = read_of(2500);
        end.accept(r, 0);
        end.frame(700, ack(r, 0));
        CHECK(end.expiry(2700) == Lines{released(r)});
    }
    SECTION("the verdict") {
        End end;
        end.frame(0, req(w));
        end.command(700, verdict(w, true));
        CHECK(end.expiry(2700) == Lines{released(w)});
    }
}

TEST_CASE("3 verdict for a forgotten transfer: the host has got `released` already", "[protocol]") {
    End end;
    const Spec s = write_of(2500);
    end.frame(0, req(s));
    CHECK(end.expiry(2000) == Lines{released(s)});
    CHECK(end.command(2500, verdict(s, true)) == Lines{});
    CHECK(end.command(2600, verdict(s, false)) == Lines{});
    CHECK(end.empty());
}

TEST_CASE("3 verdict for a forgotten transfer: late data that took a new entry does not make it valid", "[protocol]") {
    End end;
    const Spec s = write_of(2500);
    end.frame(0, req(s));
    end.timers(2000);
    end.timers(4000);  // it is no longer remembered as given up
    CHECK(end.frame(4100, data(s, 0, true)) == Lines{kept(s, 0), sent(ack(s, 1))});
    CHECK(end.command(4200, verdict(s, true)) == Lines{});
    CHECK(end.buffer().used() == 1);
    CHECK(end.expiry(6100) == Lines{dropped(s.tid)});
    CHECK(end.empty());
}

TEST_CASE("3 idle timeout: slots in flight to memory are not freed", "[protocol]") {
    End end;
    const Spec s = write_of(2500);
    end.refuse(s);
    end.frame(0, data(s, 0, true));
    end.command(0, verdict(s, true));
    CHECK(end.expiry(2000) == Lines{released(s)});
    CHECK(end.buffer().used() == 1);
    end.drain_done();
    CHECK(end.empty());
}

}  // namespace
}  // namespace rnicsim
