// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md 4.4 to 4.9: fast retransmission, partial acknowledgements, the data timer, and giving up.
#include "testbench/tests/protocol/logic_harness.h"

namespace rnicsim {
namespace {

TransportConfig with(const Retransmission& how) {
    TransportConfig config = small_config();
    config.retransmission = &how;
    return config;
}

TEST_CASE("4 fast retransmission: on exactly the third duplicate acknowledgement", "[protocol]") {
    const Spec s = write_of(20'000);
    End end(small_config());
    end.establish(s);
    end.send_data(0);
    end.frame(10, ack(s, 2));
    end.send_data(10);
    end.frame(20, ack(s, 2));
    CHECK(end.send_data(20) == Lines{});
    end.frame(21, ack(s, 2));
    CHECK(end.send_data(21) == Lines{});
    end.frame(22, ack(s, 2));
    CHECK(end.count(TransportCount::fast_retransmissions) == 1);
    CHECK(end.send_data(22) == Lines{fetched(s, 2)});
    CHECK(end.count(TransportCount::retransmissions) == 1);
}

TEST_CASE("4 fast retransmission: once for a hole, however many duplicates follow", "[protocol]") {
    const Spec s = write_of(20'000);
    End end(small_config());
    end.establish(s);
    end.send_data(0);
    for (int i = 0; i < 3; ++i) end.frame(20, ack(s, 0));
    CHECK(end.send_data(20) == Lines{fetched(s, 0)});
    for (int i = 0; i < 7; ++i) end.frame(30, ack(s, 0));
    CHECK(end.send_data(30) == Lines{});
    CHECK(end.count(TransportCount::fast_retransmissions) == 1);
}

TEST_CASE("4 fast retransmission: progress resets the count", "[protocol]") {
    const Spec s = write_of(8'000);
    End end(small_config());
    end.establish(s);
    end.send_data(0);
    for (const std::uint32_t n : {0U, 0U, 1U, 1U, 1U, 2U, 2U, 2U}) end.frame(20, ack(s, n));
    CHECK(end.send_data(20) == Lines{});
    end.frame(30, ack(s, 2));
    CHECK(end.send_data(30) == Lines{fetched(s, 2)});
}

TEST_CASE("4 fast retransmission: works again after the loss is repaired", "[protocol]") {
    const Spec s = write_of(20'000);
    End end(small_config());
    end.establish(s);
    end.send_data(0);
    for (int i = 0; i < 3; ++i) end.frame(20, ack(s, 0));
    CHECK(end.send_data(20) == Lines{fetched(s, 0)});
    end.frame(30, ack(s, 8));
    CHECK(end.send_data(30).size() == 8);
    for (int i = 0; i < 3; ++i) end.frame(40, ack(s, 8));
    CHECK(end.send_data(40) == Lines{fetched(s, 8)});
    CHECK(end.count(TransportCount::fast_retransmissions) == 2);
}

TEST_CASE("4 fast retransmission: the count is a setting, 0 turns it off", "[protocol]") {
    const Spec s = write_of(20'000);
    for (const std::uint32_t limit : {1U, 2U, 5U, 0U}) {
        CAPTURE(limit);
        TransportConfig config = small_config();
        config.duplicate_acks = limit;
        End end(config);
        end.establish(s);
        end.send_data(0);
        for (std::uint32_t n = 1; n <= 20; ++n) {
            end.frame(10, ack(s, 0));
            CHECK(end.send_data(10) == (n == limit ? Lines{fetched(s, 0)} : Lines{}));
        }
    }
}

TEST_CASE("4.7 fast retransmission: the data timer keeps running, whatever is sent again", "[protocol]") {
    for (const Retransmission* const how : {&retransmission("selective_repeat"), &retransmission("go_back_n")}) {
        const Spec s = write_of(8'000);
        End end(with(*how));
        end.establish(s);
        end.send_data(0);
        for (const At at : {200, 210, 220}) end.frame(at, ack(s, 0));
        CHECK(end.count(TransportCount::fast_retransmissions) == 1);
        end.send_data(230);
        CHECK(end.expiry(300) == Lines{});
        CHECK(end.count(TransportCount::data_timeouts) == 1);
        CHECK(end.send_data(300, 1) == Lines{fetched(s, 0)});
    }
}

TEST_CASE("4 selective repeat: a partial acknowledgement sends the next hole, and only it", "[protocol]") {
    const Spec s = write_of(8'000);
    End end(with(retransmission("selective_repeat")));
    end.establish(s);
    end.send_data(0);  // 0, 3 and 5 are lost
    for (int i = 0; i < 5; ++i) end.frame(20, ack(s, 0));
    CHECK(end.send_data(20) == Lines{fetched(s, 0)});
    end.frame(30, ack(s, 3));
    CHECK(end.send_data(30) == Lines{fetched(s, 3)});
    end.frame(40, ack(s, 5));
    CHECK(end.send_data(40) == Lines{fetched(s, 5)});
    CHECK(end.frame(50, ack(s, 8)) == Lines{sent(rel(s))});
    CHECK(end.count(TransportCount::retransmissions) == 3);
}

TEST_CASE("4 selective repeat: outside recovery a partial acknowledgement sends nothing again", "[protocol]") {
    const Spec s = write_of(8'000);
    End end(with(retransmission("selective_repeat")));
    end.establish(s);
    end.send_data(0);
    end.frame(10, ack(s, 3));
    CHECK(end.send_data(10) == Lines{});
    CHECK(end.count(TransportCount::retransmissions) == 0);
}

TEST_CASE("4 go-back-N: everything from the oldest frame is sent again", "[protocol]") {
    const Spec s = write_of(20'000);
    End end(with(retransmission("go_back_n")));
    end.establish(s);
    end.send_data(0);
    end.frame(10, ack(s, 5));
    end.send_data(10);  // up to 12
    for (int i = 0; i < 3; ++i) end.frame(20, ack(s, 5));
    Lines expected;
    for (std::uint32_t sn = 5; sn <= 12; ++sn) expected.push_back(fetched(s, sn));
    CHECK(end.send_data(20) == expected);
    CHECK(end.count(TransportCount::retransmissions) == 8);
}

TEST_CASE("4 go-back-N: what is acknowledged while it waits to be sent again is skipped", "[protocol]") {
    const Spec s = write_of(8'000);
    End end(with(retransmission("go_back_n")));
    end.establish(s);
    end.send_data(0);
    end.timers(300);
    CHECK(end.send_data(300, 1) == Lines{fetched(s, 0)});
    end.frame(310, ack(s, 6));
    CHECK(end.send_data(310) == Lines{fetched(s, 6), fetched(s, 7)});
}

TEST_CASE("4 data timer: the oldest frame is sent again at its expiry, not a cycle before", "[protocol]") {
    for (const Retransmission* const how : {&retransmission("selective_repeat"), &retransmission("go_back_n")}) {
        const Spec s = write_of(2500);
        End end(with(*how));
        end.establish(s);
        end.send_data(40);
        end.frame(40, ack(s, 1));
        CHECK(end.expiry(340) == Lines{});
        CHECK(end.count(TransportCount::data_timeouts) == 1);
        const Lines expected =
            how == &retransmission("go_back_n") ? Lines{fetched(s, 1), fetched(s, 2)} : Lines{fetched(s, 1)};
        CHECK(end.send_data(340) == expected);
    }
}

TEST_CASE("4 data timer: its expiry begins a recovery: a partial acknowledgement sends the next hole", "[protocol]") {
    const Spec s = write_of(8'000);
    End end(small_config());
    end.establish(s);
    end.send_data(40);
    end.frame(40, ack(s, 1));
    CHECK(end.expiry(340) == Lines{});
    CHECK(end.send_data(340) == Lines{fetched(s, 1)});
    end.frame(350, ack(s, 3));
    CHECK(end.send_data(350) == Lines{fetched(s, 3)});
}

TEST_CASE("4 data timer: starts with the first frame, and restarts with each progress", "[protocol]") {
    const Spec s = write_of(3000);
    End end;
    end.establish(s);
    CHECK(end.logic.next_deadline() >= Cycle{100});
    end.send_data(40, 1);
    end.send_data(200);
    end.frame(250, ack(s, 1));
    end.frame(260, ack(s, 1));  // a duplicate is no progress
    CHECK(end.timers(340) == Lines{});
    CHECK(end.count(TransportCount::data_timeouts) == 0);
    end.expiry(550);
    CHECK(end.count(TransportCount::data_timeouts) == 1);
    CHECK(end.send_data(550) == Lines{fetched(s, 1)});
}

TEST_CASE("4 data timer: does not run while nothing is outstanding", "[protocol]") {
    const Spec s = write_of(500);
    End end;
    end.command(0, start(s));
    end.frame(1, req_ack(s, false));
    end.send_data(1);
    end.frame(2, ack(s, 1));
    end.timers(100);
    end.timers(200);
    end.timers(399);
    CHECK(end.count(TransportCount::data_timeouts) == 0);
    CHECK(end.send_data(399) == Lines{});
}

TEST_CASE("4 max_retransmissions: a write fails at the initiator, one expiry after the last try", "[protocol]") {
    for (const Method method : {Method::traditional, Method::dynamic}) {
        const Spec s = write_of(2500);
        End end(small_config(method));
        end.establish(s);
        end.send_data(0);
        for (const At at : {300, 600, 900}) {
            CHECK(end.expiry(at) == Lines{});
            CHECK(end.send_data(at) == Lines{fetched(s, 0)});
        }
        CHECK(end.expiry(1200) == Lines{failed(s, TransferError::data_timeout)});
        CHECK(end.empty());
        CHECK(end.count(TransportCount::failed) == 1);
    }
}

TEST_CASE("4 max_retransmissions: progress resets the count", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.establish(s);
    end.send_data(0);
    for (const At at : {300, 600, 900}) {
        end.timers(at);
        end.send_data(at);
    }
    end.frame(1000, ack(s, 1));
    for (const At at : {1300, 1600, 1900}) {
        CHECK(end.expiry(at) == Lines{});
        end.send_data(at);
    }
    CHECK(end.expiry(2200) == Lines{failed(s, TransferError::data_timeout)});
}

TEST_CASE("4 max_retransmissions: before the connection is established the request budget decides", "[protocol]") {
    TransportConfig config = small_config();
    config.data_timer = Cycle{10};
    End end(config);
    const Spec s = write_of(500);
    end.command(0, start(s));
    end.frame(1, req_ack(s, false));
    end.send_data(1);
    for (At at = 2; at < 400; ++at) {
        for (const std::string& line : end.timers(at)) CHECK(line == sent(req(s)));
        end.send_data(at);
    }
    CHECK(end.count(TransportCount::data_timeouts) > 30);
    CHECK(end.timers(400) == Lines{failed(s, TransferError::request_timeout)});
}

TEST_CASE("4 max_retransmissions: a read fails at both ends", "[protocol]") {
    const Spec s = read_of(2500);
    SECTION("responder, no acknowledgement comes") {
        End end;
        end.accept(s);
        end.frame(0, ack(s, 0));
        end.send_data(0);
        for (const At at : {300, 600, 900}) {
            CHECK(end.expiry(at) == Lines{});
            CHECK(end.send_data(at) == Lines{fetched(s, 0)});
        }
        CHECK(end.expiry(1200) == Lines{released(s)});
        CHECK(end.empty());
        CHECK(end.count(TransportCount::failed) == 1);
    }
    SECTION("initiator, no data comes: it says again what it has, then gives up") {
        End end;
        end.establish(s);
        end.frame(50, data(s, 0));
        for (const At at : {350, 650, 950}) CHECK(end.expiry(at) == Lines{sent(ack(s, 1))});
        CHECK(end.expiry(1250) == Lines{failed(s, TransferError::data_timeout)});
        CHECK(end.empty());
    }
}

TEST_CASE("4 max_retransmissions: a write fails at the responder by the idle timeout", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.accept(s);
    end.frame(100, data(s, 0));
    CHECK(end.expiry(2100) == Lines{released(s)});
    CHECK(end.count(TransportCount::failed) == 1);
    CHECK(end.empty());
}

TEST_CASE("4 fast retransmission: not a second one while the first loss is being repaired", "[protocol]") {
    const Spec s = write_of(8'000);
    End end;
    end.establish(s);
    end.send_data(0);
    for (int i = 0; i < 3; ++i) end.frame(20, ack(s, 0));
    CHECK(end.send_data(20) == Lines{fetched(s, 0)});
    end.frame(30, ack(s, 3));
    CHECK(end.send_data(30) == Lines{fetched(s, 3)});
    for (int i = 0; i < 5; ++i) end.frame(40, ack(s, 3));  // sent before frame 3 came again
    CHECK(end.send_data(40) == Lines{});
    CHECK(end.count(TransportCount::fast_retransmissions) == 1);
}

TEST_CASE("4 max_retransmissions: data gives the initiator of a read all tries again", "[protocol]") {
    const Spec s = read_of(2500);
    End end;
    end.establish(s);
    for (At i = 1; i <= 3; ++i) CHECK(end.expiry(300 * i) == Lines{sent(ack(s, 0))});
    CHECK(end.frame(1000, data(s, 0)) == Lines{placed(s, 0), sent(ack(s, 1))});
    for (At i = 1; i <= 3; ++i) CHECK(end.expiry(1000 + 300 * i) == Lines{sent(ack(s, 1))});
    CHECK(end.expiry(2200) == Lines{failed(s, TransferError::data_timeout)});
}

}  // namespace
}  // namespace rnicsim
