// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md section 7 under random faults: thousands of short runs, each a pure function of its seed.
#include "testbench/tests/protocol/logic_pair.h"

#include <random>

namespace rnicsim {
namespace {

class Dice {
  public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    std::uint32_t between(std::uint32_t low, std::uint32_t high) {  // both included
        return low + static_cast<std::uint32_t>(engine_() % (high - low + 1));
    }
    bool chance(double p) { return static_cast<double>(engine_() >> 11) * 0x1.0p-53 < p; }
    template <typename T>
    T one_of(std::initializer_list<T> values) {
        return values.begin()[between(0, static_cast<std::uint32_t>(values.size()) - 1)];
    }

  private:
    std::mt19937_64 engine_;
};

struct Faults {
    double loss[2] = {0, 0};
    double duplicated = 0;
    double late = 0;
    double registration_failure = 0;
};

TransportConfig random_config(Dice& dice) {
    TransportConfig c = small_config(dice.one_of({Method::traditional, Method::dynamic}));
    c.window = dice.one_of({1U, 2U, 3U, 8U, 8U, 8U, 64U});
    c.retransmission = dice.one_of({&retransmission("selective_repeat"), &retransmission("go_back_n")});
    c.duplicate_acks = dice.one_of({0U, 1U, 3U, 3U});
    c.request_timer = Cycle{dice.between(40, 200)};
    c.data_timer = Cycle{dice.between(40, 300)};
    c.release_timer = Cycle{dice.between(30, 100)};
    c.max_requests = dice.between(1, 16);
    c.max_retransmissions = dice.between(1, 16);
    c.indirect_after_timeouts = dice.between(1, 3);
    c.resume_on_valid_ack = dice.chance(0.7);
    c.table_entries = dice.between(4, 12);
    c.indirect_buffer = dice.between(0, 30) * 1000;
    // A responder must not give up a transfer whose initiator has not: it outlives max_requests x request_timer.
    c.idle_timeout = Cycle{20'000};
    return c;
}

void install(Pair& pair, Dice& dice, const Faults& faults) {
    pair.fate = [&dice, faults](const Pair::Flight& f) {
        std::vector<At> copies;
        if (!dice.chance(faults.loss[f.from])) copies.push_back(dice.chance(faults.late) ? dice.between(11, 900) : 10);
        if (dice.chance(faults.duplicated)) copies.push_back(dice.between(10, 900));
        return copies;
    };
    pair.registers = [&dice, faults](Tid, unsigned) { return !dice.chance(faults.registration_failure); };
}

/// A failed run prints how to repeat it.
void judge(const Pair& pair, std::uint64_t seed) {
    if (pair.violations.empty()) return;
    CAPTURE(seed, pair.log, pair.violations);
    REQUIRE(pair.violations == Lines{});
}

struct Totals {
    std::uint64_t completed = 0, failed = 0, kept = 0, resumed = 0, fast = 0, full = 0, drains = 0, reads = 0;
    void add(const Pair& pair) {
        for (const Pair::Outcome& o : pair.outcomes) {
            completed += o.completed;
            failed += o.failed;
            if (o.spec.operation == Operation::read) reads += o.completed;
        }
        for (const unsigned end : {0U, 1U}) {
            kept += pair.count(end, TransportCount::kept_indirect);
            resumed += pair.count(end, TransportCount::resumed);
            fast += pair.count(end, TransportCount::fast_retransmissions);
            full += pair.count(end, TransportCount::buffer_full);
            drains += pair.count(end, TransportCount::bulk_drains);
        }
    }
};

/// One run: a few transfers, from both ends, at about the same time.
void one_run(std::uint64_t seed, Totals& totals) {
    Dice dice(seed);
    const TransportConfig config = random_config(dice);
    Faults faults;
    for (double& loss : faults.loss) loss = dice.between(0, 40) / 100.0;
    faults.duplicated = dice.one_of({0.0, 0.0, 0.1, 0.3});
    faults.late = dice.one_of({0.0, 0.0, 0.1, 0.5});
    faults.registration_failure = dice.one_of({0.0, 0.3, 0.7, 1.0});
    Pair::Delays delays;
    delays.link = 10;
    delays.fetch = dice.between(1, 20);
    delays.host = dice.between(1, 400);
    delays.drain = dice.between(1, 300);
    delays.retry = dice.one_of({0, 1, 70, 400});
    delays.fetches = dice.between(1, 16);
    Pair pair(config, delays);
    install(pair, dice, faults);
    const std::uint32_t transfers = dice.between(1, 4);
    for (std::uint32_t i = 0; i < transfers; ++i) {
        Spec s;
        s.operation = dice.one_of({Operation::write, Operation::read});
        s.tid = Tid{static_cast<std::uint16_t>(100 + i)};
        s.length = dice.chance(0.1) ? 1 : dice.between(1, dice.one_of({1000U, 9000U, 30'000U}));
        s.sba += i * 0x1'0000U;
        s.dba += i * 0x1'0000U;
        pair.transfer(dice.between(0, 1), s, dice.between(0, 800));
    }
    pair.run(10'000'000);
    judge(pair, seed);
    totals.add(pair);
}

TEST_CASE("7 random faults: the invariants hold in every run", "[property]") {
    Totals totals;
    for (std::uint64_t seed = 1; seed <= 8000; ++seed) one_run(seed, totals);
    // The runs have covered what they should.
    CHECK(totals.completed > 5000);
    CHECK(totals.failed > 1000);
    CHECK(totals.reads > 2000);
    CHECK(totals.kept > 5000);
    CHECK(totals.drains > 500);
    CHECK(totals.resumed > 200);
    CHECK(totals.fast > 2000);
    CHECK(totals.full > 500);
}

TEST_CASE("7 random losses: with enough tries every transfer completes", "[property]") {
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        Dice dice(seed);
        TransportConfig config = random_config(dice);
        config.max_requests = 1000;
        config.max_retransmissions = 1000;
        config.idle_timeout = Cycle{1'000'000};
        Faults faults;
        for (double& loss : faults.loss) loss = dice.between(0, 40) / 100.0;
        faults.registration_failure = dice.one_of({0.0, 0.5, 0.8});
        Pair::Delays delays;
        delays.host = dice.between(1, 100);
        Pair pair(config, delays);
        install(pair, dice, faults);
        Spec s = dice.chance(0.5) ? write_of(dice.between(1, 40'000)) : read_of(dice.between(1, 40'000));
        pair.transfer(0, s);
        pair.run(50'000'000);
        judge(pair, seed);
        CAPTURE(seed);
        REQUIRE(pair.outcomes[0].completed == 1);
    }
}

TEST_CASE("7 random runs: the same seed gives the same run", "[property]") {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Lines logs[2];
        for (Lines& log : logs) {
            Dice dice(seed);
            Pair pair(random_config(dice));
            Faults faults;
            faults.loss[0] = faults.loss[1] = 0.2;
            install(pair, dice, faults);
            pair.transfer(0, write_of(9000));
            pair.run();
            log = pair.log;
        }
        CHECK(logs[0] == logs[1]);
    }
}

}  // namespace
}  // namespace rnicsim
