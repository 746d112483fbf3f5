// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md 3.13 to 3.18, release: when it is sent, how often, and when the completion is raised.
#include "testbench/tests/protocol/logic_harness.h"

namespace rnicsim {
namespace {

TEST_CASE("3 release: REL follows the last acknowledgement, the completion the REL_ACK", "[protocol]") {
    for (const Method method : {Method::traditional, Method::dynamic}) {
        const Spec s = write_of(2500);
        End end(small_config(method));
        end.establish(s);
        end.send_data(0);
        CHECK(end.frame(10, ack(s, 1)) == Lines{});
        CHECK(end.frame(20, ack(s, 2)) == Lines{});
        CHECK(end.frame(30, ack(s, 3)) == Lines{sent(rel(s))});
        CHECK(end.frame(40, rel_ack(s)) == Lines{completed(s)});
        CHECK(end.count(TransportCount::completed) == 1);
        CHECK(end.empty());
        CHECK(end.timers(1'000'000) == Lines{});
    }
}

TEST_CASE("3 release: a read sends REL when its last frame is placed, after the acknowledgement", "[protocol]") {
    const Spec s = read_of(2500);
    End end;
    end.establish(s);
    end.frame(10, data(s, 2));
    end.frame(20, data(s, 0));
    CHECK(end.frame(30, data(s, 1)) == Lines{placed(s, 1), sent(ack(s, 3)), sent(rel(s))});
    CHECK(end.frame(40, rel_ack(s)) == Lines{completed(s)});
    CHECK(end.empty());
}

TEST_CASE("3 release: not before the connection is established, then at once", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.command(0, start(s));
    end.frame(10, req_ack(s, false));
    end.send_data(10);
    CHECK(end.frame(20, ack(s, 3)) == Lines{});
    CHECK(end.frame(50, req_ack(s, true)) == Lines{sent(rel(s))});
    CHECK(end.frame(60, rel_ack(s)) == Lines{completed(s, true)});
}

TEST_CASE("3 release: not while a data frame of the transfer has not left yet", "[protocol]") {
    const Spec s = write_of(1500);
    End end;
    end.establish(s);
    end.send_data(0);
    end.timers(300);
    const DataJob again = end.fetch(300);  // frame 0, sent again
    CHECK(again.header.sn == 0);
    CHECK(end.frame(310, ack(s, 2)) == Lines{});
    CHECK(end.left(320, again) == Lines{sent(rel(s))});
    CHECK(end.expiry(370) == Lines{sent(rel(s))});
}

TEST_CASE("3 release timer: REL is sent again at its expiry, not a cycle before", "[protocol]") {
    for (const Spec& s : {write_of(500), read_of(500)}) {
        End end;
        end.establish(s);
        end.send_data(0);
        end.frame(10, s.operation == Operation::write ? ack(s, 1) : data(s, 0));
        CHECK(end.expiry(60) == Lines{sent(rel(s))});
        CHECK(end.expiry(110) == Lines{sent(rel(s))});
        CHECK(end.count(TransportCount::release_timeouts) == 2);
        CHECK(end.frame(120, rel_ack(s)) == Lines{completed(s)});
    }
}

TEST_CASE("3 release timer: max_retransmissions of REL, then the transfer fails", "[protocol]") {
    const Spec s = write_of(500);
    End end;
    end.establish(s);
    end.send_data(0);
    end.frame(0, ack(s, 1));
    for (const At at : {50, 100, 150}) CHECK(end.expiry(at) == Lines{sent(rel(s))});
    CHECK(end.expiry(200) == Lines{failed(s, TransferError::release_timeout)});
    CHECK(end.empty());
}

TEST_CASE("3 release timer: data timeouts before it do not count against it", "[protocol]") {
    const Spec s = write_of(500);
    End end;
    end.establish(s);
    end.send_data(0);
    for (const At at : {300, 600, 900}) {
        end.timers(at);
        end.send_data(at);
    }
    CHECK(end.frame(1000, ack(s, 1)) == Lines{sent(rel(s))});
    for (const At at : {1050, 1100, 1150}) CHECK(end.expiry(at) == Lines{sent(rel(s))});
}

TEST_CASE("3 release, responder: frees the entry and answers; the host may deregister", "[protocol]") {
    for (const Spec& s : {write_of(2500), read_of(2500)}) {
        End end;
        s.operation == Operation::write ? end.receive(s) : end.accept(s);
        CHECK(end.frame(10, rel(s)) == Lines{sent(rel_ack(s)), released(s)});
        CHECK(end.count(TransportCount::completed) == 1);
        CHECK(end.count(TransportCount::failed) == 0);
        CHECK(end.empty());
        CHECK(end.timers(1'000'000) == Lines{});
    }
}

TEST_CASE("3 release, responder: REL is answered again as long as the release is remembered", "[protocol]") {
    for (const Spec& s : {write_of(2500), read_of(2500)}) {
        End end;
        s.operation == Operation::write ? end.receive(s) : end.accept(s);
        end.frame(10, rel(s));
        CHECK(end.frame(20, rel(s)) == Lines{sent(rel_ack(s))});
        CHECK(end.frame(30, rel(s)) == Lines{sent(rel_ack(s))});
        CHECK(end.count(TransportCount::release_acks_sent) == 3);
        CHECK(end.count(TransportCount::stale) == 2);
    }
}

TEST_CASE("3 release, responder: REL of an unknown write is not answered, REL of an unknown read is", "[protocol]") {
    End end;
    CHECK(end.frame(0, rel(write_of(2500))) == Lines{});
    CHECK(end.count(TransportCount::release_acks_sent) == 0);
    CHECK(end.frame(0, rel(read_of(2500))) == Lines{sent(rel_ack(read_of(2500)))});
    CHECK(end.count(TransportCount::stale) == 2);
}

TEST_CASE("3.16 release, responder of a read: REL of a given-up transfer is not answered until it is forgotten",
          "[protocol]") {
    const Spec s = read_of(2500);
    End end;
    end.accept(s);
    CHECK(end.expiry(100) == Lines{sent(req_ack(s, true))});
    end.frame(150, ack(s, 0));
    CHECK(end.expiry(2150) == Lines{released(s)});
    CHECK(end.empty());
    CHECK(end.frame(2160, rel(s)) == Lines{});
    CHECK(end.count(TransportCount::stale) == 1);
    CHECK(end.frame(4149, rel(s)) == Lines{});
    CHECK(end.timers(4150) == Lines{});
    CHECK(end.frame(4151, rel(s)) == Lines{sent(rel_ack(s))});
    CHECK(end.count(TransportCount::release_acks_sent) == 1);
}

TEST_CASE("3 release, responder: as many released writes are remembered as the table has entries", "[protocol]") {
    End end;  // four entries
    for (std::uint16_t tid = 1; tid <= 5; ++tid) {
        end.receive(write_of(500, tid), tid);
        end.frame(tid, rel(write_of(500, tid)));
    }
    CHECK(end.frame(10, rel(write_of(500, 1))) == Lines{});
    CHECK(end.frame(10, rel(write_of(500, 2))) == Lines{sent(rel_ack(write_of(500, 2)))});
}

TEST_CASE("3 release, responder: a write is released when all of its data is here, not before", "[protocol]") {
    const Spec s = write_of(2500);
    for (const std::vector<std::uint32_t>& some : std::vector<std::vector<std::uint32_t>>{{}, {0}, {0, 1}, {1, 2}}) {
        End end;
        end.accept(s);
        for (const std::uint32_t sn : some) end.frame(5, data(s, sn));
        CHECK(end.frame(10, rel(s)) == Lines{});
        CHECK(end.count(TransportCount::stale) == 1);
        CHECK(end.logic.table().used() == 1);
        for (std::uint32_t sn = 0; sn < s.frames(); ++sn) end.frame(20, data(s, sn));
        CHECK(end.frame(30, rel(s)) == Lines{sent(rel_ack(s)), released(s)});
    }
}

TEST_CASE("3 release, responder: early data counts for a release once it is in memory", "[protocol]") {
    const Spec s = write_of(1500);
    End end;
    end.refuse(s);
    for (const std::uint32_t sn : {0U, 1U}) end.frame(5, data(s, sn, true));
    CHECK(end.frame(10, rel(s)) == Lines{});
    end.command(20, verdict(s, true));
    CHECK(end.frame(30, rel(s)) == Lines{sent(rel_ack(s)), released(s)});
}

TEST_CASE("3 release, responder of a read: the entry stays until its last data frame has left", "[protocol]") {
    const Spec s = read_of(1500);
    End end;
    end.accept(s);
    end.frame(5, ack(s, 0));
    end.send_data(5);
    end.timers(305);
    const DataJob again = end.fetch(305);
    CHECK(end.frame(310, rel(s)) == Lines{sent(rel_ack(s))});
    CHECK(end.logic.table().used() == 1);
    CHECK(end.frame(315, rel(s)) == Lines{sent(rel_ack(s))});
    for (const DrpHeader& late : {req(s), ack(s, 0), ack(s, 1)}) CHECK(end.frame(316, late) == Lines{});
    CHECK(end.timers(100'000) == Lines{});
    end.logic.refresh_deadline();
    CHECK(end.logic.next_deadline() == kNever);
    CHECK(end.send_data(100'000) == Lines{});
    CHECK(end.left(320, again) == Lines{released(s)});
    CHECK(end.empty());
}

TEST_CASE("3 release: a REL_ACK before the release completes nothing", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.command(0, start(s));
    CHECK(end.frame(10, rel_ack(s)) == Lines{});
    end.frame(20, req_ack(s, true));
    CHECK(end.frame(30, rel_ack(s)) == Lines{});
    CHECK(end.logic.table().used() == 1);
    CHECK(end.count(TransportCount::stale) == 2);
}

TEST_CASE("3 release: REL is not answered before the connection is established", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.frame(0, data(s, 0, true));
    CHECK(end.frame(1, rel(s)) == Lines{});  // data ahead of its request
    end.frame(2, req(s));
    CHECK(end.frame(3, rel(s)) == Lines{});  // the host is busy
    end.command(4, verdict(s, false));
    CHECK(end.frame(5, rel(s)) == Lines{});  // refused
    CHECK(end.command(6, verdict(s, true)) == Lines{sent(req_ack(s, true)), drained(s, {0})});
    CHECK(end.count(TransportCount::stale) == 3);
}

TEST_CASE("3 release: a REL of the other operation does not end this transfer", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.accept(s);
    CHECK(end.frame(10, rel(read_of(2500))) == Lines{});
    CHECK(end.frame(20, data(s, 0)) == Lines{placed(s, 0), sent(ack(s, 1))});
}

TEST_CASE("3 release: the data timer is off while a read waits for REL_ACK", "[protocol]") {
    TransportConfig config = small_config();
    config.release_timer = Cycle{1000};
    End end(config);
    const Spec s = read_of(500);
    end.establish(s);
    end.frame(10, data(s, 0));
    CHECK(end.frame(20, req_ack(s, true)) == Lines{sent(ack(s, 1))});
    CHECK(end.expiry(1010) == Lines{sent(rel(s))});
    CHECK(end.count(TransportCount::data_timeouts) == 0);
}

TEST_CASE("3 release, responder of a read: a frame that leaves late causes no error", "[protocol]") {
    const Spec s = read_of(500);
    End end;
    end.accept(s);
    end.frame(10, ack(s, 0));
    const DataJob job = end.fetch(20);
    CHECK(end.frame(30, rel(s)) == Lines{sent(rel_ack(s))});
    CHECK(end.timers(10'000) == Lines{});  // no idle timer
    CHECK(end.left(10'001, job) == Lines{released(s)});
    CHECK(end.count(TransportCount::idle_timeouts) == 0);
    CHECK(end.count(TransportCount::failed) == 0);
}

}  // namespace
}  // namespace rnicsim
