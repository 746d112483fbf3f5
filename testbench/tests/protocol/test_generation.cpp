// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md 3.8 and 3.15: a TID that its responder has forgotten may be used again, and nothing of the first
// use (verdict, release) counts for the second.
#include "testbench/tests/protocol/logic_harness.h"

namespace rnicsim {
namespace {

Command verdict_on(const Spec& s, bool valid, std::uint16_t generation) {
    Command command = verdict(s, valid);
    command.generation = Generation{generation};
    return command;
}

/// The generation of the responder's entry.
Generation life(const End& end) { return end.logic.table()[end.logic.table().active().front()].generation; }

/// The first use is over and forgotten.
void forget(End& end, At given_up) {
    end.timers(given_up);
    end.timers(given_up + 2000);
    REQUIRE(end.logic.table().active().empty());
}

TEST_CASE("3.8: each use of a TID has another generation, never 0, and a repeated request has the same", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.refuse(s, 0);
    CHECK(life(end) == Generation{1});
    end.frame(10, req(s));
    CHECK(life(end) == Generation{1});
    forget(end, 3000);
    end.frame(6000, req(s));
    CHECK(life(end) == Generation{2});
}

TEST_CASE("3.8: early data has no generation before the host is asked", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.frame(0, data(s, 0, true));
    CHECK(life(end) == Generation{});
    CHECK(end.command(1, verdict_on(s, true, 1)) == Lines{});
    end.frame(2, req(s));
    CHECK(life(end) == Generation{1});
}

TEST_CASE("3.8: after 65,535 generations the first comes again, not 0", "[protocol]") {
    End end;
    for (std::uint32_t i = 0; i < 65'536; ++i) {
        const Spec s = write_of(500, static_cast<std::uint16_t>(i));
        end.frame(0, req(s));
        CHECK(raw(life(end)) == i % 65'535 + 1);
        end.command(0, verdict(s, true));
        end.frame(0, data(s, 0));
        end.frame(0, rel(s));
    }
}

TEST_CASE("3.8: a verdict of an earlier generation is stale", "[protocol]") {
    const Spec s = write_of(2500);
    for (const bool valid : {true, false}) {
        End end;
        end.frame(0, req(s));
        forget(end, 2000);
        CHECK(end.frame(5000, req(s)) == Lines{asked(s)});
        const std::uint64_t stale = end.count(TransportCount::stale);
        CHECK(end.command(5100, verdict_on(s, valid, 1)) == Lines{});
        CHECK(end.count(TransportCount::stale) == stale + 1);
        CHECK(end.frame(5200, data(s, 0)) == Lines{});  // its region is not registered
        CHECK(end.command(5300, verdict_on(s, true, 2)) == Lines{sent(req_ack(s, true))});
    }
}

TEST_CASE("3.15: data that was acknowledged in the first use of a TID does not let the second answer REL",
          "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.receive(s, 0);
    forget(end, 2000);
    end.accept(s, 5000);
    CHECK(end.frame(5100, rel(s)) == Lines{});
    CHECK(end.frame(5200, data(s, 2)) == Lines{placed(s, 2), sent(ack(s, 0))});
    CHECK(end.frame(5300, rel(s)) == Lines{});
}

TEST_CASE("3.8: the host gets the end with the generation of its request", "[protocol]") {
    struct HostEvents final : TransportActions {
        void send(const DrpHeader&) override {}
        void place(std::uint64_t, std::uint32_t) override {}
        [[nodiscard]] bool buffer_full() const override { return false; }
        [[nodiscard]] std::uint32_t buffered_of(Peer /*peer*/) const override { return 0; }
        void keep(const TransferKey&, Sn, std::uint64_t, std::uint32_t) override {}
        void drain(const TransferKey&) override {}
        void drop(const TransferKey&) override {}
        void notify(const Event& event) override { events.push_back(event); }
        std::vector<Event> events;
    };
    const Spec s = write_of(500);
    TransportLogic logic(small_config());
    HostEvents host;
    logic.on_frame(Cycle{0}, req(s), host);
    logic.on_command(Cycle{1}, verdict_on(s, true, 1), host);
    logic.on_frame(Cycle{2}, data(s, 0), host);
    logic.on_frame(Cycle{3}, rel(s), host);
    logic.on_command(Cycle{4}, start(s), host);
    logic.on_frame(Cycle{5}, req_ack(s, true), host);
    REQUIRE(host.events.size() == 3);
    CHECK(host.events[0].code == EventCode::register_region);
    CHECK(host.events[0].generation == Generation{1});
    CHECK(host.events[1].code == EventCode::released);
    CHECK(host.events[1].generation == Generation{1});
    CHECK(host.events[2].code == EventCode::request_acknowledged);
    CHECK(host.events[2].generation == Generation{});  // of this end's own
}

}  // namespace
}  // namespace rnicsim
