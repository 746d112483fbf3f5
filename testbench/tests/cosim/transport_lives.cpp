// SPDX-License-Identifier: Apache-2.0
// The transport controller in Verilog against TransportLogic, decision by decision: TIDs used again after they were
// forgotten, when REL is answered, and timers shorter than a decision (PROTOCOL.md 3.8, 3.15, 3.16 and 8.4).
#include "testbench/tests/cosim/transport_pair.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

constexpr Operation kBothOperations[] = {Operation::write, Operation::read};

std::uint64_t release_acks(const Both& both) { return both.logic->count(TransportCount::release_acks_sent); }

Command verdict_on(const Spec& s, bool valid, std::uint16_t generation) {
    Command command = verdict(s, valid);
    command.generation = Generation{generation};
    return command;
}

TEST_CASE("REL is answered where all of a write's data is in memory", "[cosim]") {
    for (const std::uint32_t length : {1U, 1000U, 2500U, 3000U}) {
        for (const bool early : {false, true}) {
            Both both(config_of());
            const Spec s = write_of(length);
            both.frame(req(s));
            both.frame(rel(s));  // the host is asked
            both.command(verdict(s, !early));
            for (std::uint32_t sn = s.frames(); sn-- != 0;) {
                both.frame(rel(s));
                both.frame(data(s, sn, early));
            }
            CHECK(release_acks(both) == 0);
            if (early) {
                both.frame(rel(s));  // all of it is here, and none in memory
                CHECK(release_acks(both) == 0);
                both.command(verdict(s, true));
            }
            Spec other = s;
            other.operation = Operation::read;
            both.frame(rel(other));
            CHECK(release_acks(both) == 0);
            both.frame(rel(s));
            CHECK(release_acks(both) == 1);
            both.frame(rel(s));  // the answer was lost
            CHECK(release_acks(both) == 2);
        }
    }
}

TEST_CASE("REL of what is unknown, given up, or released long ago", "[cosim]") {
    Both both(config_of());
    both.frame(rel(write_of(2500, 1)));
    CHECK(release_acks(both) == 0);
    both.frame(rel(read_of(2500, 1)));
    CHECK(release_acks(both) == 1);
    for (const Operation operation : kBothOperations) {
        Spec s = write_of(1000, operation == Operation::write ? 2 : 3);
        s.operation = operation;
        both.frame(req(s));
        both.command(verdict(s, true));
        both.frame(data(s, 0));
        both.pause(config_of().idle_timeout + Cycle{100});
        both.frame(rel(s));  // given up
        CHECK(release_acks(both) == 1);
        both.pause(config_of().idle_timeout * 2);
        both.frame(rel(s));  // forgotten
    }
    CHECK(release_acks(both) == 2);
    for (std::uint16_t tid = 100; tid <= 100 + kEntries; ++tid) {
        const Spec s = write_of(1000, tid);
        both.frame(req(s));
        both.command(verdict(s, true));
        both.frame(data(s, 0));
        both.frame(rel(s));
    }
    CHECK(release_acks(both) == 3 + kEntries);
    both.frame(rel(write_of(1000, 100)));
    CHECK(release_acks(both) == 3 + kEntries);
    both.frame(rel(write_of(1000, 101)));
    CHECK(release_acks(both) == 4 + kEntries);
}

TEST_CASE("a verdict counts for the life that it is on", "[cosim]") {
    for (const Operation operation : kBothOperations) {
        Both both(config_of());
        Spec s = write_of(2500);
        s.operation = operation;
        both.frame(req(s));
        both.command(verdict_on(s, false, 1));
        both.frame(req(s));  // asked again, under the same
        both.pause(config_of().idle_timeout * 3);
        if (operation == Operation::write) {
            both.frame(data(s, 0, true));
            for (const std::uint16_t generation : {0, 1, 2}) both.command(verdict_on(s, true, generation));
        }
        both.frame(req(s));
        for (const std::uint16_t generation : {1, 3}) {
            for (const bool valid : {true, false}) both.command(verdict_on(s, valid, generation));
        }
        CHECK(both.logic->count(TransportCount::connections) == 0);
        both.command(verdict_on(s, true, 2));
        CHECK(both.logic->count(TransportCount::connections) == 1);
        both.command(verdict_on(write_of(2500, 9), true, 2));  // of another TID
    }
}

TEST_CASE("generations begin anew at 1 after 65,535", "[cosim]") {
    Both both(config_of());
    for (std::uint32_t i = 0; i < 65'537; ++i) {
        const Spec s = read_of(500, static_cast<std::uint16_t>(i));
        both.frame(req(s));
        both.command(verdict_on(s, true, static_cast<std::uint16_t>(i % 65'535 + 1)));
        both.frame(rel(s));
    }
    CHECK(both.logic->count(TransportCount::connections) == 65'537);
}

TEST_CASE("timers shorter than a decision: the scanner goes on, and the idle timer ends it", "[cosim]") {
    for (const std::int64_t timer : {1, 3, 7, 8, 9, 63, 64}) {
        TransportConfig config = config_of();
        config.request_timer = config.data_timer = config.release_timer = Cycle{timer};
        config.max_requests = 1000;  // more than an idle timeout has room for
        config.max_retransmissions = 10;
        config.indirect_after_timeouts = 60'000;  // nothing but REQ_ACKs
        Both both(config);
        for (const std::uint16_t tid : {0, 1, 2}) {
            both.frame(req(read_of(2500, tid)));
            both.command(verdict(read_of(2500, tid), true));
        }
        both.command(start(write_of(1000, 4)));
        both.command(start(write_of(1000, 5)));
        both.frame(req_ack(write_of(1000, 5), true));
        both.pause(config.idle_timeout * 3 + Cycle{timer + 100} * 1000);
        CHECK(both.logic->count(TransportCount::idle_timeouts) == 3);
        CHECK(both.logic->count(TransportCount::failed) == 4);  // 5 waits for a frame that was never fetched
        CHECK(both.logic->entries_used() == 1);
    }
}

}  // namespace
}  // namespace rnicsim
