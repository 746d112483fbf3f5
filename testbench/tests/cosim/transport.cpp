// SPDX-License-Identifier: Apache-2.0
// The transport controller in Verilog against TransportLogic, decision by decision: frames, windows and timers at their
// edges.
#include "testbench/tests/cosim/transport_pair.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

TEST_CASE("window edges: every ACKN and every SN around them", "[cosim]") {
    for (const std::uint32_t window : {1U, 2U, 7U, 8U}) {
        TransportConfig config = config_of();
        config.window = window;
        for (std::uint32_t position = 0; position < 11; ++position) {
            Both both(config);
            const Spec s = write_of(10'500);
            both.command(start(s));
            both.frame(req_ack(s, true));
            while (both.fetch()) both.sent();
            for (std::uint32_t k = 0; k < 13; ++k) both.frame(ack(s, k * position % 12));
            while (both.fetch()) both.sent();
            Both other(config);
            other.frame(req(s));
            other.command(verdict(s, true));
            for (std::uint32_t sn = 0; sn < position; ++sn) other.frame(data(s, sn));
            for (std::uint32_t sn = 0; sn < 11; ++sn) other.frame(data(s, (sn + position) % 11));
        }
    }
}

TEST_CASE("the last, short frame: one byte, a byte less than a segment, a whole segment", "[cosim]") {
    for (const std::uint32_t length : {1U, 999U, 1000U, 1001U, 1999U, 2000U, 2001U}) {
        for (const Operation operation : {Operation::write, Operation::read}) {
            Spec s = write_of(length);
            s.operation = operation;
            Both initiator(config_of()), responder(config_of());
            initiator.command(start(s));
            responder.frame(req(s));
            responder.command(verdict(s, true));
            initiator.frame(req_ack(s, true));
            if (operation == Operation::read) responder.frame(ack(s, 0));
            Both& sender = operation == Operation::write ? initiator : responder;
            Both& receiver = operation == Operation::write ? responder : initiator;
            while (sender.fetch()) sender.sent();
            for (std::uint32_t sn = 0; sn < s.frames(); ++sn) receiver.frame(data(s, sn));
            sender.frame(ack(s, s.frames()));
            responder.frame(rel(s));
            initiator.frame(rel_ack(s));
            CHECK(initiator.logic->count(TransportCount::completed) == 1);
            CHECK(responder.logic->count(TransportCount::completed) == 1);
        }
    }
}

TEST_CASE("a timer and an acknowledgement at the same time, and all phases of the scanner", "[cosim]") {
    for (std::int64_t offset = -80; offset <= 80; ++offset) {
        Both both(config_of());
        const Spec s = write_of(2500);
        both.command(start(s));
        both.frame(req_ack(s, true));
        both.fetch();
        both.fetch();
        both.frame(ack(s, 1), Cycle{300 + offset});  // the data timer is 300
        both.pause(Cycle{400});
    }
}

TEST_CASE("a full indirect buffer, and the resume when it has been drained", "[cosim]") {
    for (const bool resume : {true, false}) {
        TransportConfig config = config_of();
        config.resume_on_valid_ack = resume;
        const Spec s = write_of(20'500);
        Both responder(config), initiator(config);
        responder.frame(req(s));
        responder.command(verdict(s, false));
        for (std::uint32_t sn = 0; sn < 12; ++sn) responder.frame(data(s, sn, true));
        CHECK(responder.logic->count(TransportCount::buffer_full) == 2);
        responder.command(verdict(s, true));
        responder.frame(data(s, 10, true));
        initiator.command(start(s));
        initiator.frame(req_ack(s, false));
        while (initiator.fetch()) initiator.sent();
        initiator.frame(ack(s, 5));
        while (initiator.fetch()) initiator.sent();
        initiator.frame(req_ack(s, true));
        while (initiator.fetch()) initiator.sent();
        CHECK(initiator.logic->count(TransportCount::resumed) == (resume ? 1 : 0));
    }
}

TEST_CASE("timers where the count of cycles passes 31 and 32 bits", "[cosim]") {
    for (const std::int64_t border : {std::int64_t{1} << 31, std::int64_t{1} << 32, std::int64_t{3} << 31}) {
        for (std::int64_t before = 0; before <= 1000; before += 5) {  // every timer, before and behind the border
            Both both(config_of(), Cycle{border - before});
            both.command(start(write_of(8000, 1)));
            both.frame(req(write_of(2500, 2)));
            both.command(start(write_of(2500, 3)));
            both.frame(req_ack(write_of(2500, 3), true));
            both.fetch();
            both.pause(Cycle{10'000});
            CHECK(both.logic->entries_used() == 1);  // a frame is still on its way
        }
    }
}

TEST_CASE("timers of more than 16 bits", "[cosim]") {
    TransportConfig config = config_of();
    config.request_timer = Cycle{70'000};
    config.data_timer = Cycle{80'000};
    config.release_timer = Cycle{90'000};
    config.idle_timeout = Cycle{1'000'000};
    Both both(config);
    both.command(start(write_of(2500, 1)));
    both.frame(req(write_of(2500, 2)));
    both.command(start(write_of(2500, 3)));
    both.frame(req_ack(write_of(2500, 3), true));
    both.fetch();
    both.sent();
    both.command(start(write_of(1000, 4)));
    both.frame(req_ack(write_of(1000, 4), true));
    while (both.fetch()) both.sent();
    both.frame(ack(write_of(1000, 4), 1));
    both.pause(Cycle{3'000'000});
    CHECK(both.logic->entries_used() == 0);
}

TEST_CASE("a release timer that is longer than the data timer", "[cosim]") {
    TransportConfig config = config_of();
    config.data_timer = Cycle{60};
    config.release_timer = Cycle{500};
    Both both(config);
    const Spec s = read_of(1000);
    both.command(start(s));
    both.frame(req_ack(s, true));
    both.frame(data(s, 0));  // all of it: REL
    both.pause(Cycle{3000});
    CHECK(both.logic->count(TransportCount::release_timeouts) != 0);
}

TEST_CASE("duplicate acknowledgements without end", "[cosim]") {
    for (const std::uint32_t limit : {0U, 3U, 255U}) {
        TransportConfig config = config_of();
        config.duplicate_acks = limit;
        config.data_timer = Cycle{1'000'000};
        Both both(config);
        const Spec s = write_of(8000);
        both.command(start(s));
        both.frame(req_ack(s, true));
        while (both.fetch()) both.sent();
        for (int i = 0; i < 1100; ++i) both.frame(ack(s, 0));
        CHECK(both.logic->count(TransportCount::fast_retransmissions) == (limit == 0 ? 0 : 1));
    }
}

TEST_CASE("a long transfer: places behind 64 KiB, addresses over 4 GiB", "[cosim]") {
    Spec s = write_of(100'000);
    s.sba = 0xFFFF'8000;
    s.dba = 0x1'FFFF'9000;
    Both initiator(config_of()), responder(config_of());
    initiator.command(start(s));
    responder.frame(req(s));
    responder.command(verdict(s, true));
    initiator.frame(req_ack(s, true));
    for (std::uint32_t sn = 0; sn < s.frames(); ++sn) {
        CHECK(initiator.fetch());
        initiator.sent();
        responder.frame(data(s, sn));
        initiator.frame(ack(s, sn + 1));
    }
    CHECK(initiator.logic->count(TransportCount::releases_sent) == 1);
    CHECK(responder.logic->count(TransportCount::placed_direct) == 100);
}

TEST_CASE("a sequence number whose place comes round 32 bits is not in the region", "[cosim]") {
    Both both(config_of());
    const Spec s = write_of(8000);
    both.frame(req(s));
    both.command(verdict(s, true));
    DrpHeader h = data(s, 0);
    h.sn = 1U << 29;  // a thousand times that: 0, of 32 bits
    both.frame(h);
    CHECK(both.logic->count(TransportCount::out_of_region) == 1);
}

TEST_CASE("a valid REQ_ACK where all has been sent, or the window is not full", "[cosim]") {
    for (const std::uint32_t length : {3000U, 2500U, 8000U, 20'000U}) {
        for (const std::uint32_t fetched : {1U, 2U, 3U, 8U}) {
            for (const std::uint32_t acknowledged : {0U, 1U, 3U, 8U}) {
                Both both(config_of());
                const Spec s = write_of(length);
                both.command(start(s));
                both.frame(req_ack(s, false));
                for (std::uint32_t i = 0; i < fetched; ++i) {
                    if (both.fetch()) both.sent();
                }
                if (acknowledged <= std::min(fetched, s.frames())) both.frame(ack(s, acknowledged));
                both.frame(req_ack(s, true));
                while (both.fetch()) both.sent();
            }
        }
    }
}

TEST_CASE("a whole window that comes the wrong way round", "[cosim]") {
    for (const std::uint32_t window : {1U, 2U, 7U, 8U}) {
        TransportConfig config = config_of();
        config.window = window;
        const Spec s = write_of(20'000);
        for (const bool early : {false, true}) {
            Both both(config);
            if (!early) {
                both.frame(req(s));
                both.command(verdict(s, true));
            }
            for (std::uint32_t sn = window; sn-- != 0;) both.frame(data(s, sn, early));
            both.frame(data(s, window, early));
            CHECK(both.logic->count(TransportCount::out_of_window) == 0);
        }
    }
}

TEST_CASE("two timers of a transfer, one of which expires while the other one is looked at", "[cosim]") {
    for (std::int64_t request_timer = 200; request_timer <= 400; ++request_timer) {
        TransportConfig config = config_of();
        config.request_timer = Cycle{request_timer};
        Both both(config);
        const Spec s = write_of(8000);
        both.command(start(s));
        both.frame(req_ack(s, false));
        both.fetch();
        both.sent();
        both.pause(Cycle{1000});
        CHECK(both.logic->count(TransportCount::data_timeouts) != 0);
    }
}

}  // namespace
}  // namespace rnicsim
