// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md 5.5 to 5.8: how the responder of a read chooses, and how the initiator reacts.
#include "testbench/tests/protocol/logic_pair.h"

namespace rnicsim {
namespace {

TEST_CASE("5 read, initiator: confirms a valid REQ_ACK with an ACK of 0, \"ready\"", "[protocol]") {
    for (const Method method : {Method::traditional, Method::dynamic}) {
        const Spec s = read_of(2500);
        End end(small_config(method));
        end.command(0, start(s));
        CHECK(end.frame(10, req_ack(s, true)) == Lines{acknowledged(s), sent(ack(s, 0))});
        CHECK(end.frame(20, req_ack(s, true)) == Lines{sent(ack(s, 0))});  // "ready" was lost
        CHECK(end.count(TransportCount::requests_sent) == 1);
    }
}

TEST_CASE("5 read, initiator: says \"ready\" again when no data comes, at the data timer's expiry", "[protocol]") {
    for (const Method method : {Method::traditional, Method::dynamic}) {
        const Spec s = read_of(2500);
        End end(small_config(method));
        end.command(0, start(s));
        end.frame(10, req_ack(s, true));
        CHECK(end.expiry(310) == Lines{sent(ack(s, 0))});
        CHECK(end.expiry(610) == Lines{sent(ack(s, 0))});
        CHECK(end.frame(620, data(s, 0)) == Lines{placed(s, 0), sent(ack(s, 1))});
        CHECK(end.expiry(920) == Lines{sent(ack(s, 1))});
    }
}

TEST_CASE("5 read, responder: sends nothing before \"ready\", then everything with MODE=0", "[protocol]") {
    for (const Method method : {Method::traditional, Method::dynamic}) {
        const Spec s = read_of(2500);
        End end(small_config(method));
        end.frame(0, req(s));
        CHECK(end.frame(1, ack(s, 0)) == Lines{});  // not registered yet
        CHECK(end.send_data(1) == Lines{});
        CHECK(end.command(10, verdict(s, true)) == Lines{sent(req_ack(s, true))});
        CHECK(end.send_data(10) == Lines{});
        CHECK(end.frame(20, ack(s, 0)) == Lines{});
        CHECK(end.send_data(20) == all_frames(s, false));
        CHECK(end.count(TransportCount::went_indirect) == 0);
        CHECK(end.timers(319) == Lines{});  // no REQ_ACK any more
    }
}

TEST_CASE("5 read, responder: the REQ_ACK goes out again at the first expiry, data with MODE=1 at the second",
          "[protocol]") {
    const Spec s = read_of(2500);
    End end;
    end.accept(s, 10);
    CHECK(end.expiry(110) == Lines{sent(req_ack(s, true))});
    CHECK(end.send_data(110) == Lines{});
    CHECK(end.expiry(210) == Lines{});
    CHECK(end.count(TransportCount::went_indirect) == 1);
    CHECK(end.send_data(210) == all_frames(s, true));
    end.frame(220, ack(s, 3));
    CHECK(end.timers(1000) == Lines{});
}

TEST_CASE("5 read, responder: indirect_after_timeouts applies here as well", "[protocol]") {
    for (const std::uint32_t limit : {1U, 3U}) {
        TransportConfig config = small_config();
        config.indirect_after_timeouts = limit;
        End end(config);
        const Spec s = read_of(2500);
        end.accept(s, 0);
        for (std::uint32_t n = 1; n < limit; ++n) {
            CHECK(end.expiry(100 * At{n}) == Lines{sent(req_ack(s, true))});
            CHECK(end.send_data(100 * At{n}) == Lines{});
        }
        CHECK(end.expiry(100 * At{limit}) == Lines{});
        CHECK(end.send_data(100 * At{limit}) == all_frames(s, true));
    }
}

TEST_CASE("5 read, responder: \"ready\" just before the second expiry is in time", "[protocol]") {
    const Spec s = read_of(2500);
    End end;
    end.accept(s, 0);
    end.timers(100);
    end.frame(199, ack(s, 0));
    end.timers(200);
    CHECK(end.send_data(200) == all_frames(s, false));
    CHECK(end.count(TransportCount::went_indirect) == 0);
}

TEST_CASE("5 read, responder: a refused read sends no data, ever", "[protocol]") {
    const Spec s = read_of(2500);
    End end;
    end.refuse(s, 0);
    CHECK(end.frame(10, ack(s, 0)) == Lines{});
    for (At at = 0; at < 2000; at += 100) {
        CHECK(end.timers(at) == Lines{});
        CHECK(end.send_data(at) == Lines{});
    }
}

TEST_CASE("5 read, responder: traditional, waits for \"ready\" without a timer of its own", "[protocol]") {
    const Spec s = read_of(2500);
    End end(small_config(Method::traditional));
    end.accept(s, 0);
    CHECK(end.timers(1999) == Lines{});
    CHECK(end.send_data(1999) == Lines{});
}

TEST_CASE("5 read, initiator: takes data with MODE=1 as the missing REQ_ACK", "[protocol]") {
    const Spec s = read_of(2500);
    End end;
    end.command(0, start(s));
    CHECK(end.frame(50, data(s, 0, true)) == Lines{simulated(s), placed(s, 0), sent(ack(s, 1))});
    CHECK(end.timers(349) == Lines{});  // the request timer is off
    CHECK(end.frame(349, data(s, 1, true)) == Lines{placed(s, 1), sent(ack(s, 2))});
    CHECK(end.frame(349, data(s, 2, true)) == Lines{placed(s, 2), sent(ack(s, 3)), sent(rel(s))});
    CHECK(end.frame(360, rel_ack(s)) == Lines{completed(s, true)});
    CHECK(end.buffer().used() == 0);
}

TEST_CASE("5 read, initiator: a real REQ_ACK after the data is not reported to the host", "[protocol]") {
    const Spec s = read_of(2500);
    End end;
    end.command(0, start(s));
    end.frame(50, data(s, 0, true));
    CHECK(end.frame(60, req_ack(s, true)) == Lines{sent(ack(s, 1))});
    CHECK(end.frame(70, req_ack(s, false)) == Lines{});
}

TEST_CASE("5 read: lost valid REQ_ACKs, end to end, without the indirect buffer", "[protocol]") {
    Pair pair(small_config());
    pair.fate = [](const Pair::Flight& f) {
        return f.header.type == DrpType::req_ack ? std::vector<At>{} : std::vector<At>{10};
    };
    pair.transfer(0, read_of(2500));
    pair.run();
    CHECK(pair.violations == Lines{});
    CHECK(pair.outcomes[0].completed == 1);
    CHECK(pair.count(1, TransportCount::went_indirect) == 1);
    CHECK(pair.most_buffered(0) == 0);
    CHECK(pair.most_buffered(1) == 0);
}

TEST_CASE("5 read: lost \"ready\", end to end", "[protocol]") {
    for (const Method method : {Method::traditional, Method::dynamic}) {
        for (const unsigned lost : {1U, 2U, 3U}) {
            Pair pair(small_config(method));
            unsigned seen = 0;
            pair.fate = [&](const Pair::Flight& f) {
                const bool ready = f.header.is_ack() && f.header.ackn == 0;
                return ready && seen++ < lost ? std::vector<At>{} : std::vector<At>{10};
            };
            pair.transfer(0, read_of(2500));
            pair.run();
            CHECK(pair.violations == Lines{});
            CHECK(pair.outcomes[0].completed == 1);
        }
    }
}

TEST_CASE("5 read, initiator: no expiry of the request timer simulates a REQ_ACK", "[protocol]") {
    const Spec s = read_of(2500);
    End end;
    end.command(0, start(s));
    for (const At at : {100, 200, 300}) {
        CHECK(end.expiry(at) == Lines{sent(req(s))});
        CHECK(end.send_data(at) == Lines{});
    }
    CHECK(end.count(TransportCount::went_indirect) == 0);
}

TEST_CASE("5 read, responder: a second verdict repeats the REQ_ACK and moves no timer", "[protocol]") {
    const Spec s = read_of(2500);
    End end;
    end.accept(s, 0);
    CHECK(end.command(50, verdict(s, true)) == Lines{sent(req_ack(s, true))});
    CHECK(end.expiry(100) == Lines{sent(req_ack(s, true))});
    CHECK(end.expiry(200) == Lines{});
    CHECK(end.send_data(200) == all_frames(s, true));
}

}  // namespace
}  // namespace rnicsim
