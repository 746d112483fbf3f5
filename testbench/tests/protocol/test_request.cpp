// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md 3.1 to 3.4, initiator: the request, its timer, and what an invalid REQ_ACK does to it.
#include "testbench/tests/protocol/logic_harness.h"

namespace rnicsim {
namespace {

TEST_CASE("3 request: the command sends one REQ and no data", "[protocol]") {
    for (const Method method : kMethods) {
        for (const Spec& s : {write_of(2500), read_of(2500)}) {
            End end(small_config(method));
            CHECK(end.command(10, start(s)) == Lines{sent(req(s))});
            CHECK(end.send_data(10) == Lines{});
            CHECK(end.logic.table().used() == 1);
        }
    }
}

TEST_CASE("3 request timer: REQ is sent again at its expiry, not a cycle before", "[protocol]") {
    for (const Method method : kMethods) {
        for (const Spec& s : {write_of(2500), read_of(2500)}) {
            End end(small_config(method));
            end.command(10, start(s));
            CHECK(end.expiry(110) == Lines{sent(req(s))});
            CHECK(end.count(TransportCount::request_timeouts) == 1);
            CHECK(end.count(TransportCount::requests_sent) == 2);
        }
    }
}

TEST_CASE("3 request timer: each REQ restarts it", "[protocol]") {
    End end(small_config(Method::traditional));
    const Spec s = write_of(2500);
    end.command(0, start(s));
    CHECK(end.expiry(100) == Lines{sent(req(s))});
    CHECK(end.expiry(200) == Lines{sent(req(s))});
    CHECK(end.expiry(300) == Lines{sent(req(s))});
}

TEST_CASE("3 request timer: a valid REQ_ACK stops it", "[protocol]") {
    for (const Method method : kMethods) {
        End end(small_config(method));
        const Spec s = write_of(2500);
        end.command(0, start(s));
        CHECK(end.frame(99, req_ack(s, true)) == Lines{acknowledged(s)});
        CHECK(end.timers(100'000) == Lines{});
        CHECK(end.count(TransportCount::requests_sent) == 1);
    }
}

TEST_CASE("3 traditional, invalid REQ_ACK: the request timer is restarted", "[protocol]") {
    for (const Spec& s : {write_of(2500), read_of(2500)}) {
        End end(small_config(Method::traditional));
        end.command(0, start(s));
        CHECK(end.frame(60, req_ack(s, false)) == Lines{});
        CHECK(end.send_data(60) == Lines{});
        CHECK(end.timers(100) == Lines{});  // the old expiry
        CHECK(end.expiry(160) == Lines{sent(req(s))});
        CHECK(end.send_data(160) == Lines{});
    }
}

TEST_CASE("3 dynamic, invalid REQ_ACK: the request timer keeps running, at each expiry a new REQ", "[protocol]") {
    End end;
    const Spec s = write_of(2500);
    end.command(0, start(s));
    CHECK(end.frame(60, req_ack(s, false)) == Lines{simulated(s)});
    CHECK(end.expiry(100) == Lines{sent(req(s))});
    CHECK(end.frame(130, req_ack(s, false)) == Lines{});
    CHECK(end.count(TransportCount::went_indirect) == 1);
    CHECK(end.expiry(200) == Lines{sent(req(s))});
}

TEST_CASE("3 dynamic read, invalid REQ_ACK: the request timer keeps running and the host gets nothing", "[protocol]") {
    End end;
    const Spec s = read_of(2500);
    end.command(0, start(s));
    CHECK(end.frame(60, req_ack(s, false)) == Lines{});
    CHECK(end.expiry(100) == Lines{sent(req(s))});
}

TEST_CASE("3 invalid REQ_ACK: one that comes after the valid one changes nothing", "[protocol]") {
    for (const Method method : kMethods) {
        for (const Spec& s : {write_of(2500), read_of(2500)}) {
            End end(small_config(method));
            end.establish(s);
            CHECK(end.frame(10, req_ack(s, false)) == Lines{});
            CHECK(end.timers(299) == Lines{});
            if (s.operation == Operation::write) CHECK(end.send_data(299, 1) == Lines{fetched(s, 0, false)});
        }
    }
}

TEST_CASE("3 max_requests: traditional, the transfer fails when the last request has expired", "[protocol]") {
    for (const Spec& s : {write_of(2500), read_of(2500)}) {
        End end(small_config(Method::traditional));
        end.command(0, start(s));
        for (const At at : {100, 200, 300}) CHECK(end.expiry(at) == Lines{sent(req(s))});
        CHECK(end.expiry(400) == Lines{failed(s, TransferError::request_timeout)});
        CHECK(end.count(TransportCount::requests_sent) == 4);
        CHECK(end.count(TransportCount::failed) == 1);
        CHECK(end.empty());
        CHECK(end.timers(1'000'000) == Lines{});
    }
}

TEST_CASE("3 max_requests: dynamic, sending indirect data does not save the transfer", "[protocol]") {
    End end;
    const Spec s = write_of(2500);
    end.command(0, start(s));
    end.frame(10, req_ack(s, false));
    end.send_data(10);
    end.frame(20, ack(s, 3));
    for (const At at : {100, 200, 300}) CHECK(end.expiry(at) == Lines{sent(req(s))});
    CHECK(end.expiry(400) == Lines{failed(s, TransferError::request_timeout)});
    CHECK(end.empty());
}

TEST_CASE("3 max_requests: one request means one", "[protocol]") {
    TransportConfig config = small_config();
    config.max_requests = 1;
    End end(config);
    const Spec s = write_of(2500);
    end.command(0, start(s));
    CHECK(end.expiry(100) == Lines{failed(s, TransferError::request_timeout)});
}

TEST_CASE("3 max_requests: invalid answers count, too", "[protocol]") {
    End end(small_config(Method::traditional));
    const Spec s = write_of(2500);
    end.command(0, start(s));
    for (const At at : {0, 100, 200, 300}) {
        CHECK(end.frame(at, req_ack(s, false)) == Lines{});
        const bool last = at == 300;
        CHECK(end.expiry(at + 100) == Lines{last ? failed(s, TransferError::request_timeout) : sent(req(s))});
    }
}

TEST_CASE("3 max_requests: the failure is raised when the last data frame has left the transmit path", "[protocol]") {
    End end;
    const Spec s = write_of(2500);
    end.command(0, start(s));
    end.frame(10, req_ack(s, false));
    const DataJob first = end.fetch(20);
    const DataJob second = end.fetch(20);
    for (const At at : {100, 200, 300}) end.timers(at);
    CHECK(end.expiry(400) == Lines{});
    CHECK_FALSE(end.logic.next_data(Cycle{400}));
    for (const DrpHeader& late : {req_ack(s, true), req_ack(s, false), ack(s, 1), rel_ack(s)}) {
        CHECK(end.frame(405, late) == Lines{});
    }
    CHECK(end.count(TransportCount::stale) == 4);
    CHECK(end.timers(100'000) == Lines{});
    end.logic.refresh_deadline();
    CHECK(end.logic.next_deadline() == kNever);
    CHECK(end.left(410, first) == Lines{});
    CHECK(end.logic.table().used() == 1);
    CHECK(end.left(420, second) == Lines{failed(s, TransferError::request_timeout)});
    CHECK(end.empty());
}

}  // namespace
}  // namespace rnicsim
