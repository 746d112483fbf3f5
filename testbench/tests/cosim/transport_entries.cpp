// SPDX-License-Identifier: Apache-2.0
// The transport controller in Verilog against TransportLogic, decision by decision: an entry from its first frame or
// command to its last, with inputs that no correct peer or host would give.
#include "testbench/tests/cosim/transport_pair.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

TEST_CASE("a full table: requests and data are dropped, a command gets an error", "[cosim]") {
    Both both(config_of());
    for (std::uint16_t tid = 0; tid < kEntries; ++tid) {
        tid % 2 == 0 ? both.command(start(write_of(2500, tid))) : both.frame(req(read_of(2500, tid)));
    }
    CHECK(both.logic->entries_used() == kEntries);
    both.command(start(write_of(2500, 100)));
    both.frame(req(write_of(2500, 101)));
    both.frame(data(write_of(2500, 102), 0, true));
    CHECK(both.logic->count(TransportCount::table_full) == 3);
    both.pause(Cycle{20'000});  // all give up
    CHECK(both.logic->entries_used() == 0);
    both.command(start(write_of(2500, 100)));
    CHECK(both.logic->entries_used() == 1);
}

TEST_CASE("transfers whose TIDs differ in one bit, at both ends, while they last and when they are over", "[cosim]") {
    Both both(config_of());
    const auto each_tid = [](auto what) {
        what(std::uint16_t{0});
        for (unsigned bit = 0; bit < 16; ++bit) what(static_cast<std::uint16_t>(1U << bit));
    };
    each_tid([&](std::uint16_t tid) { both.command(start(write_of(2500, tid))); });
    each_tid([&](std::uint16_t tid) { both.frame(req_ack(write_of(2500, tid), false)); });
    CHECK(both.logic->count(TransportCount::went_indirect) == 17);
    both.pause(Cycle{20'000});  // all give up
    each_tid([&](std::uint16_t tid) {
        const Spec s = write_of(1000, tid);
        both.frame(req(s));
        both.command(verdict(s, true));
        both.frame(data(s, 0));
        both.frame(rel(s));
    });
    CHECK(both.logic->count(TransportCount::stale) == 0);
    each_tid([&](std::uint16_t tid) { both.frame(req(write_of(1000, tid))); });
    CHECK(both.logic->count(TransportCount::stale) == 17);
}

TEST_CASE("the 64 transfers that were released last are remembered, the one before them is not", "[cosim]") {
    Both both(config_of());
    for (std::uint16_t tid = 100; tid < 165; ++tid) {
        const Spec s = write_of(1000, tid);
        both.frame(req(s));
        both.command(verdict(s, true));
        both.frame(data(s, 0));
        both.frame(rel(s));
    }
    for (std::uint16_t tid = 101; tid < 165; ++tid) both.frame(req(write_of(1000, tid)));
    CHECK(both.logic->count(TransportCount::stale) == 64);
    both.frame(req(write_of(1000, 100)));
    CHECK(both.logic->count(TransportCount::stale) == 64);
}

TEST_CASE("a request that ends just where its early data does, or a byte before or behind", "[cosim]") {
    for (const std::uint32_t length : {1000U, 2000U, 2500U}) {
        for (const int more : {-1, 0, 1}) {
            Both both(config_of());
            const Spec early = write_of(length, 3);
            const Spec s = write_of(length + static_cast<std::uint32_t>(more), 3);
            both.frame(data(early, early.frames() - 1, true));
            both.frame(req(s));
            const bool short_one = length % 1000 != 0;
            const bool fits = more == 0 || (more > 0 && !short_one);
            CHECK(both.logic->count(TransportCount::out_of_region) == (fits ? 0 : 1));
            both.command(verdict(s, true));
            CHECK(both.logic->count(TransportCount::bulk_drains) == (fits ? 1 : 0));
        }
    }
}

TEST_CASE("a transfer's early data has one short frame, the last: others before it or behind do not fit", "[cosim]") {
    for (const std::uint32_t second : {0U, 1U, 2U, 3U, 4U}) {
        Both both(config_of());
        const Spec s = write_of(2500, 3);
        both.frame(data(s, 2, true));  // ends at 2500
        DrpHeader other = data(s, 2, true);
        other.sn = second;
        both.frame(other);
        CHECK(both.logic->count(TransportCount::out_of_region) == (second == 2 ? 0 : 1));
        CHECK(both.logic->count(TransportCount::kept_indirect) == 1);
    }
}

TEST_CASE("what was given up: late frames of it, and its place when no other is free", "[cosim]") {
    Both both(config_of());
    const auto late = [&](const Spec& s) {
        for (const DrpHeader& h : {req(s), data(s, 0, true), data(s, 0), ack(s, 0), rel(s)}) both.frame(h);
        both.command(verdict(s, true));
    };
    const Cycle idle = config_of().idle_timeout;
    for (std::uint16_t tid = 0; tid < kEntries; ++tid) {
        switch (tid % 4) {
            case 0:
                if (tid < 40) {  // ten: what the indirect buffer takes
                    both.frame(data(write_of(2500, tid), 0, true));
                    break;
                }
                [[fallthrough]];
            case 1: both.frame(req(write_of(2500, tid))); break;
            default:
                both.frame(req(read_of(2500, tid)));
                both.command(verdict(read_of(2500, tid), true));
                if (tid % 4 == 3) both.frame(ack(read_of(2500, tid), 0));  // may send
        }
    }
    both.pause(idle + Cycle{1000});
    CHECK(both.logic->entries_used() == 0);
    CHECK(both.logic->count(TransportCount::idle_timeouts) == kEntries);
    for (std::uint16_t tid = 0; tid < 8; ++tid) late(tid % 4 < 2 ? write_of(2500, tid) : read_of(2500, tid));
    CHECK(both.logic->count(TransportCount::release_acks_sent) == 0);
    for (std::uint16_t tid = 100; tid < 103; ++tid) both.frame(req(write_of(2500, tid)));  // places 0 to 2
    CHECK(both.logic->entries_used() == 3);
    late(write_of(2500, 4));
    CHECK(both.logic->count(TransportCount::release_acks_sent) == 0);
    both.frame(rel(write_of(2500, 1)));  // forgotten
    CHECK(both.logic->count(TransportCount::release_acks_sent) == 0);
    both.frame(rel(read_of(2500, 2)));
    CHECK(both.logic->count(TransportCount::release_acks_sent) == 1);
    both.pause(idle + Cycle{1000});  // and all of them
    both.frame(rel(read_of(2500, 6)));
    CHECK(both.logic->count(TransportCount::release_acks_sent) == 2);
    both.pause(idle + idle);
    both.frame(req(write_of(2500, 4)));
    CHECK(both.logic->entries_used() == 1);
}

TEST_CASE("a read that its responder gave up sends nothing any more", "[cosim]") {
    Both both(config_of());
    const Spec s = read_of(8000);
    both.frame(req(s));
    both.command(verdict(s, true));
    both.frame(ack(s, 0));
    REQUIRE(both.fetch());
    both.pause(Cycle{20'000});
    CHECK(both.logic->entries_used() == 1);  // a frame is still on its way
    both.sent();
    CHECK(both.logic->entries_used() == 0);
    CHECK(!both.fetch());
    both.frame(req(s));
    both.frame(ack(s, 1));
    CHECK(!both.fetch());
    CHECK(both.logic->entries_used() == 0);
}

TEST_CASE("a request that early data does not fit, refused and asked again", "[cosim]") {
    Both both(config_of());
    const Spec s = write_of(3000);
    DrpHeader early = data(s, 0, true);
    early.len = 500;  // a short frame: the transfer would end here
    both.frame(early);
    both.frame(req(s));
    CHECK(both.logic->count(TransportCount::out_of_region) == 1);
    both.command(verdict(s, false));
    both.frame(data(s, 1, true));
    both.frame(req(s));
    both.command(verdict(s, true));
    CHECK(both.logic->count(TransportCount::out_of_region) == 1);
    CHECK(both.logic->count(TransportCount::bulk_drains) == 1);
}

TEST_CASE("a request for another place or another length than its early data", "[cosim]") {
    const Spec s = write_of(3000);
    Spec elsewhere = s;
    elsewhere.dba += 0x1000;
    Spec shorter = s;
    shorter.length = 2000;
    for (const Spec& asked : {elsewhere, shorter}) {
        Both both(config_of());
        both.frame(data(s, 2, true));
        both.frame(data(s, 0, true));
        both.frame(req(asked));
        CHECK(both.logic->count(TransportCount::out_of_region) == 1);
        both.command(verdict(asked, true));
        CHECK(both.logic->count(TransportCount::bulk_drains) == 0);
    }
}

TEST_CASE("an invalid REQ_ACK after the release has begun", "[cosim]") {
    for (const Method method : {Method::dynamic, Method::traditional}) {
        Both both(config_of(method));
        const Spec s = write_of(1000);
        both.command(start(s));
        both.frame(req_ack(s, true));
        both.fetch();
        both.sent();
        both.frame(ack(s, 1));
        both.frame(req_ack(s, false));
        both.pause(Cycle{3000});
        CHECK(both.logic->count(TransportCount::went_indirect) == 0);
        CHECK(both.logic->count(TransportCount::request_timeouts) == 0);
    }
}

TEST_CASE("a second verdict on a region whose transfer is over, but for a frame on its way", "[cosim]") {
    for (const bool on_its_way : {true, false}) {
        Both both(config_of());
        const Spec s = read_of(3000);
        both.frame(req(s));
        both.command(verdict(s, true));
        both.frame(ack(s, 0));  // ready
        CHECK(both.fetch());
        if (!on_its_way) both.sent();
        both.frame(rel(s));
        both.command(verdict(s, true));
        both.sent();
        both.command(verdict(s, true));
        CHECK(both.logic->count(TransportCount::stale) == 2);
    }
}

}  // namespace
}  // namespace rnicsim
