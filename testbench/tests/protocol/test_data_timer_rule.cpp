// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md 4.7: how long the data timer runs.
#include "model/rnic/drp/policies/data_timer_rule.h"
#include "testbench/tests/protocol/logic_harness.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

constexpr Cycle kTimer{1'000};

const DataTimerRule& adaptive() { return data_timer_rule("adaptive"); }

TEST_CASE("4.7 fixed: always the scenario's", "[protocol]") {
    const RoundTrips late{Cycle{50'000}, Cycle{9'000}, 5};
    CHECK(data_timer_rule("fixed").length(late, kTimer) == kTimer);
    CHECK_FALSE(data_timer_rule("fixed").measures());
}

TEST_CASE("4.7 adaptive: SRTT and four RTTVAR, but never less than the scenario's", "[protocol]") {
    CHECK(adaptive().length({}, kTimer) == kTimer);
    CHECK(adaptive().length({Cycle{100}, Cycle{10}, 0}, kTimer) == kTimer);
    CHECK(adaptive().length({Cycle{2'000}, Cycle{300}, 0}, kTimer) == Cycle{3'200});
}

TEST_CASE("4.7 adaptive: each expiry doubles it, up to eight times the scenario's", "[protocol]") {
    for (std::uint32_t expiries = 0; expiries < 9; ++expiries) {
        CHECK(adaptive().length({{}, {}, expiries}, kTimer) == kTimer * (1 << std::min(expiries, 3U)));
    }
    CHECK(adaptive().length({Cycle{5'000}, Cycle{0}, 1}, kTimer) == kTimer * 8);
}

TEST_CASE("4.7 adaptive: the first round trip, and how later ones count (RFC 6298, 2.2 and 2.3)", "[protocol]") {
    RoundTrips known;
    known.backoff = 3;
    measured(known, Cycle{800});
    CHECK(known == RoundTrips{Cycle{800}, Cycle{400}, 0});
    measured(known, Cycle{1'600});
    CHECK(known == RoundTrips{Cycle{900}, Cycle{500}, 0});  // 7/8 x 800 + 200; 3/4 x 400 + 200
    measured(known, Cycle{100});
    CHECK(known == RoundTrips{Cycle{800}, Cycle{575}, 0});
}

TransportConfig with_rule(const char* rule) {
    TransportConfig config = small_config();
    config.data_timer_rule = &data_timer_rule(rule);
    return config;
}

/// When the data timer of a write expires whose first frame is fetched at `at`.
At expires(End& initiator, At at) {
    initiator.send_data(at);
    initiator.logic.refresh_deadline();
    return initiator.logic.next_deadline().n - at;
}

TEST_CASE("4.7 adaptive: what one transfer has measured the next one to this peer knows", "[protocol]") {
    const At timer = small_config().data_timer.n;
    for (const char* const rule : {"fixed", "adaptive"}) {
        End initiator(with_rule(rule));
        Spec first;
        first.length = first.segment;
        initiator.establish(first, 0);
        CHECK(expires(initiator, 0) == timer);
        const At late = timer * 3 / 4;  // an ACK that is nearly too late: SRTT 3/4, RTTVAR 3/8 of the timer
        initiator.frame(late, ack(first, 1));
        initiator.frame(late, rel_ack(first));
        Spec second = first;
        second.tid = Tid{8};
        initiator.establish(second, late);
        CHECK(expires(initiator, late) == (std::string(rule) == "fixed" ? timer : late + 4 * (late / 2)));
    }
}

TEST_CASE("4.7 adaptive: a frame that was sent twice measures nothing (Karn)", "[protocol]") {
    const At timer = small_config().data_timer.n;
    End initiator(with_rule("adaptive"));
    Spec spec;
    spec.length = spec.segment;
    initiator.establish(spec, 0);
    initiator.send_data(0);
    initiator.timers(timer);
    initiator.send_data(timer);
    initiator.logic.refresh_deadline();
    CHECK(initiator.logic.next_deadline().n == timer + 2 * timer);  // doubled by the expiry
    initiator.frame(timer + 10, ack(spec, 1));
    initiator.frame(timer + 10, rel_ack(spec));
    Spec next = spec;
    next.tid = Tid{8};
    initiator.establish(next, timer + 20);
    CHECK(expires(initiator, timer + 20) == 2 * timer);  // still doubled: nothing has been measured since
}

}  // namespace
}  // namespace rnicsim
