// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md 5.1 to 5.4: how the initiator of a write chooses between direct and indirect.
#include "testbench/tests/protocol/logic_harness.h"

namespace rnicsim {
namespace {

TEST_CASE("5 write: a valid REQ_ACK makes it direct, reported to the host as the real one", "[protocol]") {
    for (const Method method : {Method::traditional, Method::dynamic}) {
        const Spec s = write_of(2500);
        End end(small_config(method));
        end.command(0, start(s));
        CHECK(end.frame(10, req_ack(s, true)) == Lines{acknowledged(s)});
        CHECK(end.send_data(10) == all_frames(s, false));
        CHECK(end.count(TransportCount::went_indirect) == 0);
    }
}

TEST_CASE("5 write: an invalid REQ_ACK makes it indirect, with a simulated one for the host", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.command(0, start(s));
    CHECK(end.send_data(9) == Lines{});
    CHECK(end.frame(10, req_ack(s, false)) == Lines{simulated(s)});
    CHECK(end.send_data(10) == all_frames(s, true));
    CHECK(end.count(TransportCount::went_indirect) == 1);
}

TEST_CASE("5 write: no answer before the second expiry of the request timer makes it indirect", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.command(0, start(s));
    CHECK(end.expiry(100) == Lines{sent(req(s))});
    CHECK(end.send_data(100) == Lines{});
    CHECK(end.expiry(200) == Lines{sent(req(s)), simulated(s)});
    CHECK(end.send_data(200) == all_frames(s, true));
    CHECK(end.count(TransportCount::went_indirect) == 1);
}

TEST_CASE("5 write: indirect_after_timeouts sets which expiry it is", "[protocol]") {
    for (const std::uint32_t limit : {1U, 2U, 3U}) {
        TransportConfig config = small_config();
        config.indirect_after_timeouts = limit;
        End end(config);
        const Spec s = write_of(2500);
        end.command(0, start(s));
        for (std::uint32_t n = 1; n < limit; ++n) {
            CHECK(end.expiry(100 * At{n}) == Lines{sent(req(s))});
            CHECK(end.send_data(100 * At{n}) == Lines{});
        }
        CHECK(end.expiry(100 * At{limit}) == Lines{sent(req(s)), simulated(s)});
        CHECK(end.send_data(100 * At{limit}) == all_frames(s, true));
    }
    CHECK(TransportConfig{}.indirect_after_timeouts == 2);
}

TEST_CASE("5 write: the valid REQ_ACK after the choice is recorded and not reported to the host", "[protocol]") {
    const Spec s = write_of(12'000);
    End end;
    end.command(0, start(s));
    end.frame(10, req_ack(s, false));
    end.send_data(10);
    end.frame(20, ack(s, 8));
    CHECK(end.frame(30, req_ack(s, true)) == Lines{});
    CHECK(end.count(TransportCount::request_ack_hidden) == 1);
    CHECK(end.timers(299) == Lines{});  // recorded: no more requests
    CHECK(end.frame(299, req_ack(s, true)) == Lines{});
    CHECK(end.count(TransportCount::request_ack_hidden) == 1);
}

TEST_CASE("5 write: MODE stays in every data frame of the transfer, retransmitted ones included", "[protocol]") {
    const Spec s = write_of(10'000);
    for (const bool indirect : {false, true}) {
        End end;
        end.command(0, start(s));
        end.frame(10, req_ack(s, !indirect));
        end.send_data(10);
        if (indirect) end.frame(15, req_ack(s, true));
        end.send_data(15);
        for (int i = 0; i < 4; ++i) end.frame(20, ack(s, 0));
        CHECK(end.send_data(20) == Lines{fetched(s, 0, indirect)});
        end.frame(30, ack(s, 8));
        CHECK(end.send_data(30) == Lines{fetched(s, 8, indirect), fetched(s, 9, indirect)});
        CHECK(end.frame(40, ack(s, 10)) == Lines{sent(rel(s))});
        CHECK(end.frame(50, rel_ack(s)) == Lines{completed(s, indirect)});
    }
}

TEST_CASE("5 write: the host sees one REQ_ACK, whatever comes", "[protocol]") {
    const Spec s = write_of(2500);
    for (const std::vector<bool>& answers :
         {std::vector<bool>{true, true, false}, {false, false, true, true}, {false, true, false}}) {
        End end;
        Lines lines = end.command(0, start(s));
        for (const bool valid : answers) lines = lines + end.frame(10, req_ack(s, valid));
        lines = lines + end.timers(100) + end.timers(200);
        const auto shown = std::ranges::count_if(
            lines, [](const std::string& line) { return line.starts_with("host: acknowledged"); });
        CHECK(shown == 1);
    }
}

TEST_CASE("5 traditional: never indirect, neither after an invalid REQ_ACK nor after any number of expiries",
          "[protocol]") {
    for (const Spec& s : {write_of(2500), read_of(2500)}) {
        TransportConfig config = small_config(Method::traditional);
        config.max_requests = 20;
        End end(config);
        end.command(0, start(s));
        for (At at = 1; at < 1500; ++at) {
            for (const std::string& line : end.timers(at)) CHECK(line == sent(req(s)));
            if (at == 450) CHECK(end.frame(at, req_ack(s, false)) == Lines{});
            CHECK_FALSE(end.logic.next_data(Cycle{at}));
        }
        CHECK(end.count(TransportCount::requests_sent) == 15);
        CHECK(end.count(TransportCount::went_indirect) == 0);
    }
}

}  // namespace
}  // namespace rnicsim
