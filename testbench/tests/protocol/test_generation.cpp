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

TEST_CASE("3.8: each life of a TID has another one, never 0, and a request sent again has the same", "[protocol]") {
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

TEST_CASE("3.8: early data has none before the host is asked", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.frame(0, data(s, 0, true));
    CHECK(life(end) == Generation{});
    CHECK(end.command(1, verdict_on(s, true, 1)) == Lines{});
    end.frame(2, req(s));
    CHECK(life(end) == Generation{1});
}

TEST_CASE("3.8: after 65,535 lives comes the first again, not 0", "[protocol]") {
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

TEST_CASE("3.8: a verdict for a life that is over counts for none", "[protocol]") {
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

TEST_CASE("3.15: a REL after what the first life has acknowledged is not answered by the second", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.receive(s, 0);
    forget(end, 2000);
    end.accept(s, 5000);
    CHECK(end.frame(5100, rel(s)) == Lines{});
    CHECK(end.frame(5200, data(s, 2)) == Lines{placed(s, 2), sent(ack(s, 0))});
    CHECK(end.frame(5300, rel(s)) == Lines{});
}

TEST_CASE("3.8: the host is told of the end with the generation that it was asked with", "[protocol]") {
    struct Told final : TransportActions {
        void send(const DrpHeader&) override {}
        void place(std::uint64_t, std::uint32_t) override {}
        [[nodiscard]] bool buffer_full() const override { return false; }
        void keep(Tid, Sn, std::uint64_t, std::uint32_t) override {}
        void drain(Tid) override {}
        void drop(Tid) override {}
        void notify(const Event& event) override { events.push_back(event); }
        std::vector<Event> events;
    };
    const Spec s = write_of(500);
    TransportLogic logic(small_config());
    Told told;
    logic.on_frame(Cycle{0}, req(s), told);
    logic.on_command(Cycle{1}, verdict_on(s, true, 1), told);
    logic.on_frame(Cycle{2}, data(s, 0), told);
    logic.on_frame(Cycle{3}, rel(s), told);
    logic.on_command(Cycle{4}, start(s), told);
    logic.on_frame(Cycle{5}, req_ack(s, true), told);
    REQUIRE(told.events.size() == 3);
    CHECK(told.events[0].code == EventCode::register_region);
    CHECK(told.events[0].generation == Generation{1});
    CHECK(told.events[1].code == EventCode::released);
    CHECK(told.events[1].generation == Generation{1});
    CHECK(told.events[2].code == EventCode::request_acknowledged);
    CHECK(told.events[2].generation == Generation{});  // of this end's own
}

}  // namespace
}  // namespace rnicsim
