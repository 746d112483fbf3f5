// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md 4.1 to 4.3: the window, cumulative acknowledgements, placement in any order.
#include "testbench/tests/protocol/logic_harness.h"

namespace rnicsim {
namespace {

Lines fetched_range(const Spec& s, std::uint32_t first, std::uint32_t last, bool indirect = false) {
    Lines lines;
    for (std::uint32_t sn = first; sn <= last; ++sn) lines.push_back(fetched(s, sn, indirect));
    return lines;
}

TransportConfig go_back_n() {
    TransportConfig config = small_config();
    config.retransmission = &retransmission("go_back_n");
    return config;
}

TEST_CASE("4 window: eight frames by default", "[protocol]") { CHECK(TransportConfig{}.window == 8); }

TEST_CASE("4 window: the ninth frame is not sent before an acknowledgement", "[protocol]") {
    for (const Method method : {Method::traditional, Method::dynamic}) {
        const Spec s = write_of(20'000);
        End end(small_config(method));
        end.establish(s);
        CHECK(end.send_data(0) == fetched_range(s, 0, 7));
        CHECK(end.send_data(10) == Lines{});
        end.frame(20, ack(s, 1));
        CHECK(end.send_data(20) == fetched_range(s, 8, 8));
    }
}

TEST_CASE("4 window: the same for the responder of a read", "[protocol]") {
    const Spec s = read_of(20'000);
    End end;
    end.accept(s);
    end.frame(5, ack(s, 0));
    CHECK(end.send_data(5) == fetched_range(s, 0, 7));
    CHECK(end.send_data(10) == Lines{});
    end.frame(20, ack(s, 3));
    CHECK(end.send_data(20) == fetched_range(s, 8, 10));
}

TEST_CASE("4 window: the same for indirect data", "[protocol]") {
    const Spec s = write_of(20'000);
    End end;
    end.command(0, start(s));
    end.frame(1, req_ack(s, false));
    CHECK(end.send_data(5) == fetched_range(s, 0, 7, true));
    end.frame(20, ack(s, 2));
    CHECK(end.send_data(20) == fetched_range(s, 8, 9, true));
}

TEST_CASE("4 window: it is a setting", "[protocol]") {
    for (const std::uint32_t window : {1U, 3U, 64U}) {
        TransportConfig config = small_config();
        config.window = window;
        End end(config);
        const Spec s = write_of(100'000);
        end.establish(s);
        CHECK(end.send_data(0) == fetched_range(s, 0, window - 1));
        end.frame(10, ack(s, window));
        const std::uint32_t last = std::min(2 * window, 100U) - 1;
        CHECK(end.send_data(10) == fetched_range(s, window, last));
    }
}

TEST_CASE("4 window: fetched frames count, not only those that have left", "[protocol]") {
    const Spec s = write_of(20'000);
    End end;
    end.establish(s);
    for (int i = 0; i < 8; ++i) end.fetch(0);
    CHECK_FALSE(end.logic.next_data(Cycle{0}));
}

TEST_CASE("4 acknowledgement: cumulative; one older than what is known changes nothing", "[protocol]") {
    const Spec s = write_of(20'000);
    End end;
    end.establish(s);
    end.send_data(0);
    end.frame(10, ack(s, 6));
    CHECK(end.send_data(10) == fetched_range(s, 8, 13));
    for (const std::uint32_t old : {1U, 5U, 5U, 5U, 0U}) end.frame(20, ack(s, old));
    CHECK(end.send_data(20) == Lines{});
    CHECK(end.count(TransportCount::fast_retransmissions) == 0);
}

TEST_CASE("4 acknowledgement: one of a frame that was never sent is ignored", "[protocol]") {
    const Spec s = write_of(20'000);
    End end;
    end.establish(s);
    end.send_data(0);
    end.frame(10, ack(s, 9));
    end.frame(10, ack(s, 20));
    CHECK(end.send_data(10) == Lines{});
    CHECK(end.logic.table().used() == 1);
    end.frame(20, ack(s, 8));
    CHECK(end.send_data(20) == fetched_range(s, 8, 15));
}

TEST_CASE("4 receiver: every frame is placed at base + SN x segment and acknowledged with the next SN expected",
          "[protocol]") {
    for (const Method method : {Method::traditional, Method::dynamic}) {
        const Spec s = write_of(2500);
        End end(small_config(method));
        end.accept(s);
        for (std::uint32_t sn = 0; sn < 3; ++sn) {
            CHECK(end.frame(10, data(s, sn)) == Lines{placed(s, sn), sent(ack(s, sn + 1))});
        }
        CHECK(end.count(TransportCount::placed_direct) == 3);
        CHECK(end.count(TransportCount::acks_sent) == 3);
    }
}

TEST_CASE("4 receiver: frames are placed out of order; the acknowledgement jumps when the hole is filled",
          "[protocol]") {
    const Spec w = write_of(4500);
    const Spec r = read_of(4500, 8);
    End end;
    end.accept(w);
    end.establish(r);
    for (const Spec& s : {w, r}) {
        CHECK(end.frame(10, data(s, 2)) == Lines{placed(s, 2), sent(ack(s, 0))});
        CHECK(end.frame(20, data(s, 1)) == Lines{placed(s, 1), sent(ack(s, 0))});
        CHECK(end.frame(30, data(s, 0)) == Lines{placed(s, 0), sent(ack(s, 3))});
        CHECK(end.frame(40, data(s, 3)) == Lines{placed(s, 3), sent(ack(s, 4))});
    }
}

TEST_CASE("4 receiver: a duplicate is acknowledged again and not placed again", "[protocol]") {
    const Spec s = write_of(4500);
    End end;
    end.accept(s);
    end.frame(10, data(s, 0));
    end.frame(10, data(s, 2));
    CHECK(end.frame(20, data(s, 0)) == Lines{sent(ack(s, 1))});  // below the window
    CHECK(end.frame(30, data(s, 2)) == Lines{sent(ack(s, 1))});  // inside the window
    CHECK(end.count(TransportCount::duplicates) == 2);
}

TEST_CASE("4 receiver: the last frame of the window is taken, one further is dropped and not acknowledged",
          "[protocol]") {
    const Spec s = write_of(20'000);
    End end;
    end.accept(s);
    CHECK(end.frame(10, data(s, 8)) == Lines{});
    CHECK(end.count(TransportCount::out_of_window) == 1);
    CHECK(end.frame(10, data(s, 7)) == Lines{placed(s, 7), sent(ack(s, 0))});
    end.frame(20, data(s, 0));
    CHECK(end.frame(30, data(s, 8)) == Lines{placed(s, 8), sent(ack(s, 1))});
    CHECK(end.frame(30, data(s, 9)) == Lines{});
}

TEST_CASE("4 receiver: the last frame of the window is taken also when the window is 64", "[protocol]") {
    TransportConfig config = small_config();
    config.window = 64;
    End end(config);
    const Spec s = write_of(200'000);
    end.accept(s);
    for (std::uint32_t sn = 63; sn > 0; --sn)
        CHECK(end.frame(10, data(s, sn)) == Lines{placed(s, sn), sent(ack(s, 0))});
    CHECK(end.frame(10, data(s, 64)) == Lines{});
    CHECK(end.frame(20, data(s, 0)) == Lines{placed(s, 0), sent(ack(s, 64))});
}

TEST_CASE("4 go-back-N receiver: only the next frame is placed; the others are dropped and the last one repeated",
          "[protocol]") {
    const Spec s = write_of(4500);
    End end(go_back_n());
    end.accept(s);
    CHECK(end.frame(10, data(s, 1)) == Lines{sent(ack(s, 0))});
    CHECK(end.frame(20, data(s, 0)) == Lines{placed(s, 0), sent(ack(s, 1))});
    CHECK(end.frame(30, data(s, 2)) == Lines{sent(ack(s, 1))});
    CHECK(end.frame(40, data(s, 1)) == Lines{placed(s, 1), sent(ack(s, 2))});
}

TEST_CASE("4 go-back-N receiver: the same for what goes into the indirect buffer", "[protocol]") {
    const Spec s = write_of(4500);
    End end(go_back_n());
    CHECK(end.frame(0, data(s, 1, true)) == Lines{});  // no entry, nothing to repeat
    CHECK(end.empty());
    CHECK(end.frame(10, data(s, 0, true)) == Lines{kept(s, 0), sent(ack(s, 1))});
    CHECK(end.frame(20, data(s, 2, true)) == Lines{sent(ack(s, 1))});
    CHECK(end.buffer().used() == 1);
}

}  // namespace
}  // namespace rnicsim
