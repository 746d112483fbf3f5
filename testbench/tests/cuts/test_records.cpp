// SPDX-License-Identifier: Apache-2.0
// What the ledger keeps, and what it refuses.
#include "testbench/tests/cuts/cut_history.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <stdexcept>

namespace rnicsim {
namespace {

using Domain = Domain;

constexpr std::uint64_t kMessages = 100'000;

LineWrite line_write(std::uint64_t number, std::uint64_t line, std::int64_t posted, bool cached) {
    LineWrite w{.number = number, .line = line, .mask = kWholeLine, .posted = Time{posted}, .iio = Time{posted + 40}};
    (cached ? w.llc : w.adr) = w.iio;
    if (!cached) w.scm_done = Time{posted + 90};
    return w;
}

/// One message after the other, every 100 ps, of two lines each; most live records at any time.
template <class After>
std::size_t most_records(Domain domain, std::uint64_t slots, bool cached, const After& after) {
    PowerCutLedger ledger(domain);
    std::size_t most = 0;
    for (std::uint64_t i = 1; i <= kMessages; ++i) {
        const Time now{static_cast<std::int64_t>(i) * 100};
        ledger.advance(now);
        ledger.message_posted({.id = i, .connection = 1, .order = i, .bytes = 128});
        for (const std::uint64_t n : {2 * i - 1, 2 * i})
            ledger.line_written(line_write(n, n % (2 * slots), now.ps, cached), i);
        after(ledger, i, now);
        most = std::max(most, ledger.live_records());
    }
    return most;
}

TEST_CASE("memory follows what is volatile: 100,000 messages, some records") {
    const auto tells = [](PowerCutLedger& ledger, std::uint64_t i, Time now) {
        ledger.told_written(i, now + Time{50});
        ledger.told_persisted(i, now + Time{200});
    };
    // Three messages at once until the second telling, each with two line writes and the events of these and of it.
    CHECK(most_records(Domain::adr, 4, false, tells) <= 20);
    CHECK(most_records(Domain::none, 4, false, tells) <= 20);
    CHECK(most_records(Domain::wsp, 4, false, tells) <= 20);
    CHECK(most_records(Domain::adr, kMessages, false, tells) <= 20);  // no line twice

    // Through the LLC, written back four messages later.
    const auto flushes = [&tells](PowerCutLedger& ledger, std::uint64_t i, Time now) {
        tells(ledger, i, now);
        if (i <= 4) return;
        for (const std::uint64_t n : {2 * i - 9, 2 * i - 8})
            ledger.line_written_back({n, now + Time{10}, now + Time{60}});
    };
    CHECK(most_records(Domain::adr, 8, true, flushes) <= 50);
    CHECK(most_records(Domain::eadr, 8, true, flushes) <= 50);
    // Never written back, where the LLC survives: a newer version takes the place of the one before.
    CHECK(most_records(Domain::eadr, 4, true, tells) <= 40);
    // A copy that takes older versions of its line along ends them, too.
    const auto evicts = [&tells](PowerCutLedger& ledger, std::uint64_t i, Time now) {
        tells(ledger, i, now);
        if (i % 10 != 0) return;
        for (const std::uint64_t n : {2 * i - 1, 2 * i}) ledger.line_written_back({n, now + Time{60}, now + Time{80}});
    };
    CHECK(most_records(Domain::adr, 1, true, evicts) <= 70);
}

TEST_CASE("nothing is kept when all is safe and told") {
    PowerCutLedger ledger(Domain::adr);
    for (std::uint64_t i = 1; i <= 50; ++i) {  // one line, again and again
        ledger.message_posted({.id = i, .connection = 1, .order = i, .bytes = 64});
        ledger.line_written(line_write(i, 7, static_cast<std::int64_t>(i) * 100, true), i);
        ledger.told_persisted(i, Time{20'000});
    }
    ledger.line_written_back({50, Time{10'000}, Time{10'050}});
    ledger.advance(Time{10'000});
    CHECK(ledger.live_records() > 150);
    ledger.advance(Time{20'001});
    CHECK(ledger.live_records() == 0);
}

TEST_CASE("a message that stays volatile keeps itself, not those behind it") {
    CutFold fold;
    PowerCutLedger ledger(Domain::adr, &fold);
    ledger.message_posted({.id = 1, .connection = 1, .order = 1, .bytes = 64});
    ledger.line_written(line_write(1, 999, 50, true), 1);  // evicted at the very end
    std::size_t most = 0;
    for (std::uint64_t i = 2; i <= kMessages; ++i) {
        const Time now{static_cast<std::int64_t>(i) * 100};
        ledger.advance(now);
        ledger.message_posted({.id = i, .connection = 1, .order = i, .bytes = 64});
        ledger.line_written(line_write(i, i % 4, now.ps, false), i);
        ledger.told_persisted(i, now + Time{50});
        most = std::max(most, ledger.live_records());
    }
    CHECK(most <= 12);
    const Time evicted{static_cast<std::int64_t>(kMessages) * 100 + 90};
    ledger.line_written_back({1, evicted, evicted});
    ledger.finish(evicted + Time{100});
    CHECK(fold.at(evicted, CutState::inverted) == kMessages - 1);
    CHECK(fold.at(evicted + kPicosecond, CutState::inverted) == 0);
}

TEST_CASE("what cannot be is refused") {
    PowerCutLedger ledger(Domain::adr);
    const auto post = [&](std::uint64_t id, std::uint64_t order, std::uint64_t bytes) {
        ledger.message_posted({.id = id, .connection = 1, .order = order, .bytes = bytes});
    };
    post(2, 2, 128);
    CHECK_THROWS_AS(post(2, 3, 64), std::invalid_argument);  // numbers rise
    CHECK_THROWS_AS(post(3, 2, 64), std::invalid_argument);  // so do places of a connection
    CHECK_THROWS_AS(post(3, 3, 0), std::invalid_argument);   // nothing to lose
    CHECK_THROWS_AS(ledger.told_written(3, Time{5}), std::invalid_argument);
    CHECK_THROWS_AS(ledger.told_persisted(0, Time{5}), std::invalid_argument);

    const LineWrite good = line_write(5, 1, 100, true);
    const auto refuses = [&](const LineWrite& write, std::uint64_t message) {
        CHECK_THROWS_AS(ledger.line_written(write, message), std::invalid_argument);
    };
    LineWrite bad = good;
    bad.mask = 0;
    refuses(bad, 2);
    bad = good;
    bad.iio = Time{99};
    refuses(bad, 2);
    bad = good;
    bad.adr = Time{139};  // before the LLC has it
    refuses(bad, 2);
    refuses(good, 1);  // nobody has posted that
    ledger.line_written(good, 2);
    refuses(good, 2);
    CHECK_THROWS_AS(ledger.line_written_back({5, Time{139}, Time{200}}), std::invalid_argument);
    ledger.line_written_back({5, Time{140}, Time{200}});
    CHECK_THROWS_AS(ledger.line_written_back({5, Time{300}, Time{300}}), std::invalid_argument);  // a second time
    ledger.line_written(line_write(6, 2, 100, false), 2);
    CHECK_THROWS_AS(ledger.line_written_back({6, Time{300}, Time{300}}), std::invalid_argument);  // not in the LLC
    LineWrite flushed = line_write(7, 3, 100, true);
    flushed.adr = Time{200};
    ledger.line_written(flushed, 0);
    CHECK_THROWS_AS(ledger.line_written_back({7, Time{300}, Time{300}}), std::invalid_argument);  // that is known
    refuses(line_write(8, 3, 100, false), 2);  // the message has 128 bytes

    ledger.advance(Time{150});
    CHECK_THROWS_AS(ledger.advance(Time{149}), std::invalid_argument);
    CHECK_THROWS_AS(ledger.told_written(2, Time{149}), std::invalid_argument);
    ledger.told_written(2, Time{150});
}

}  // namespace
}  // namespace rnicsim
