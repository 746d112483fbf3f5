// SPDX-License-Identifier: Apache-2.0
// Every order of events of messages that are to be durable (VERBS.md 11): with an opcode of its own for the persist ACK
// no rule breaks. Where it is the second ACK of a PSN some do, and so do wrong settings: these are the shortest ways
// there.
#include "testbench/explore/rc/moves.h"
#include "testbench/explore/rc/search.h"
#include "testbench/explore/rc/standard_set.h"
#include "testbench/tests/verbs/explored.h"

#include <catch2/catch_test_macros.hpp>

#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace rnicsim::rc {
namespace {

Workload asking(std::vector<Verb> messages, std::uint32_t packets = 1) {
    Workload w;
    w.messages = std::move(messages);
    w.packets = packets;
    return w;
}

Workload psn_only(std::vector<Verb> messages, RepeatTimer repeat) {
    Workload w = asking(std::move(messages));
    w.persist.mode.pack = PersistPack::psn_only;
    w.persist.repeat = repeat;
    return w;
}

struct Way {
    std::string rule;
    std::size_t steps = 0;
    friend bool operator==(const Way&, const Way&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Way& w) { return out << w.rule << ", " << w.steps; }
};

/// The shortest one to each rule that breaks.
std::vector<Way> ways(const Workload& w) {
    std::vector<Way> all;
    for (const auto& breach : search(w, kMaxStates, {}, explore::Until::each_rule).breaches)
        all.push_back({breach.rule, breach.trace.size()});
    return all;
}

const std::string kFalse = "V-I13: told persistent, and it is not";
const std::string kHang = "V-I11: from here there is no way to the end";
const std::string kFails = "V-I10: a failure without a cause";

using Key = std::pair<std::uint64_t, std::uint64_t>;
Key key_of(const ReliableWorld& world) {
    const explore::Digest d = digest(world);
    return {d.low, d.high};
}

/// Each step that can be next, with what it breaks and the state that it leads to.
using Nexts = std::vector<std::tuple<Step, std::uint8_t, bool, std::string, Key>>;

/// Ways to states that are known already, and go on otherwise there: what a state is told by lacks something.
std::size_t states_that_differ(const Workload& w) {
    std::map<Key, Nexts> known;
    std::deque<ReliableWorld> waiting{ReliableWorld(w)};
    std::size_t differ = 0;
    for (; !waiting.empty(); waiting.pop_front()) {
        Nexts nexts;
        std::vector<ReliableWorld> worlds;
        ReliableWorld scratch = waiting.front();
        Moves moves;
        moves.each(waiting.front(), scratch, [&](const Move& move, bool fault, const std::string& breach) {
            nexts.emplace_back(move.step, move.of, fault, breach, key_of(scratch));
            if (breach.empty()) worlds.push_back(scratch);
            return true;
        });
        const auto [state, fresh] = known.try_emplace(key_of(waiting.front()), nexts);
        if (fresh) {
            for (ReliableWorld& world : worlds) waiting.push_back(std::move(world));
        } else if (state->second != nexts) {
            ++differ;
        }
    }
    return differ;
}

}  // namespace

TEST_CASE("V-I10, V-I11, V-I13, V-I14: what is to be durable, every order, a fault", "[verbs]") {
    std::size_t states = 0;
    const bool all = all_of_it();
    for (const Workload& w : persist_set()) {
        // The others take three times as long.
        const bool small = w.requesters == Requesters::one && w.faults <= 1 && !w.retransmission->selective();
        if (!all && !small) continue;
        INFO(describe(w));
        const Explored e = search(w);
        REQUIRE(broken(e, w) == "");  // NOLINT(readability-container-size-empty): a failure shows the text
        states += e.states;
    }
    CHECK(states > 500'000);
}

TEST_CASE("V-I11, V-I13: what counts as the same state goes on in the same way", "[verbs]") {
    using enum Verb;
    std::vector<Workload> all{asking({write_persist}, 2), asking({write, flush}, 2), asking({flush, atomic_write}),
                              psn_only({write_persist, write_persist}, RepeatTimer::shorter)};
    all[2].rd_atomic = 2;
    for (const RepeatTimer repeat : {RepeatTimer::shorter, RepeatTimer::longer, RepeatTimer::off}) {
        all.push_back(asking({write_persist, write_persist}));
        all.back().persist.repeat = repeat;
        all.push_back(asking({write_persist, write}));
        all.back().persist.mode.two_acks = false;
        all.back().persist.repeat = repeat;
    }
    all.push_back(asking({write_persist, write_persist, write_persist}));
    all.back().persist.capacity = 1;
    all.push_back(all.back());
    all.back().persist = {.outstanding = 2, .coalesce = true};
    all.push_back(asking({write_persist, write_persist}));
    all.back().to_error = true;
    all.push_back(asking({write_persist, send}, 2));
    all.back().retransmission = &retransmission("selective_repeat");
    for (const Workload& w : all) {
        INFO(describe(w));
        CHECK(states_that_differ(w) == 0);
    }
}

TEST_CASE("V-I13: a copied ACK is the second one of its PSN: the shortest way to a false PACK", "[verbs]") {
    for (const RepeatTimer repeat : {RepeatTimer::shorter, RepeatTimer::longer, RepeatTimer::off})
        CHECK(ways(psn_only({Verb::write_persist}, repeat)).front() == Way{kFalse, 8});
    Workload w = psn_only({Verb::write_persist}, RepeatTimer::shorter);
    CHECK(ways(w) == std::vector{Way{kFalse, 8}});
    w.faults = 0;
    CHECK(ways(w).empty());
}

TEST_CASE("V-I13: ... and so is the answer to a repeat that is too early (n4 c)", "[verbs]") {
    Workload w = psn_only({Verb::write_persist}, RepeatTimer::shorter);
    w.only_timers = true;
    CHECK(ways(w) == std::vector{Way{kFalse, 11}});
    w.persist.mode.pack = PersistPack::opcode;
    CHECK(ways(w).empty());
    w.persist.mode.two_acks = false;  // n5: copies, and nothing wrong
    w.faults = 2;
    CHECK(ways(w).empty());
}

TEST_CASE("V-I11: one ACK is lost, and the PACK is taken for it: the shortest way to a hang", "[verbs]") {
    const Workload w = psn_only({Verb::write_persist}, RepeatTimer::off);
    const Explored e = search(w, kMaxStates, {}, explore::Until::each_rule);
    REQUIRE(e.breaches.size() == 2);
    CHECK(e.breaches[1].rule == kHang);
    CHECK(e.breaches[1].trace.size() == 6);
    const std::vector<std::string> lines = in_words(w, e.breaches[1]);
    const std::vector<std::string> last(lines.end() - 5, lines.end());
    CHECK(last == std::vector<std::string>{"b>a ACK psn 16777214 qp 0x2 msn 1 is lost",
                                           "then b: the flush read comes back", "then b: the next answer leaves",
                                           "then b>a ACK psn 16777214 qp 0x2 msn 1 arrives",
                                           "  ! nothing more happens"});
}

TEST_CASE("V-I10: a repeat does not help where another WRITE_PERSIST is behind it", "[verbs]") {
    CHECK(ways(psn_only({Verb::write_persist, Verb::write_persist}, RepeatTimer::shorter)) ==
          std::vector{Way{kFalse, 8}, Way{kFails, 31}});
}

TEST_CASE("V-I11: PACKs of what is coalesced are missing without a fault (n4 d)", "[verbs]") {
    Workload w = psn_only({Verb::write_persist, Verb::write_persist, Verb::write_persist}, RepeatTimer::off);
    w.faults = 0;
    CHECK(ways(w).empty());
    w.persist.coalesce = true;
    CHECK(ways(w) == std::vector{Way{kHang, 12}});
    w.persist.repeat = RepeatTimer::shorter;
    CHECK(ways(w) == std::vector{Way{kFails, 35}});
    w.persist.mode.pack = PersistPack::opcode;
    CHECK(ways(w).empty());
}

TEST_CASE("V-I13: with one ACK that of a WRITE behind it stands for what is not durable (n9)", "[verbs]") {
    Workload w = psn_only({Verb::write_persist, Verb::write}, RepeatTimer::shorter);
    w.persist.mode.two_acks = false;
    w.faults = 0;
    CHECK(ways(w) == std::vector{Way{kFalse, 10}});
    w.persist.mode.pack = PersistPack::opcode;
    CHECK(ways(w).empty());
}

TEST_CASE("V-I14: a flush read that does not wait for the last bytes (n10)", "[verbs]") {
    Workload w = asking({Verb::write_persist}, 2);
    w.faults = 0;
    w.persist.read_bypass = true;
    CHECK(ways(w).front() == Way{"V-I14: persisted, and it does not last", 6});
}

TEST_CASE("V-I11: without a repeat a lost PACK is lost, whatever it looks like", "[verbs]") {
    Workload w = asking({Verb::write_persist});
    w.persist.repeat = RepeatTimer::off;
    CHECK(ways(w) == std::vector{Way{kHang, 9}});
    w.persist.mode.two_acks = false;  // then V-R8's timer runs until the PACK
    CHECK(ways(w).empty());
}

}  // namespace rnicsim::rc
