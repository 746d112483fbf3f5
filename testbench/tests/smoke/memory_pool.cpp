// SPDX-License-Identifier: Apache-2.0
// Other tasks hold parts of the memory that can be registered: a registration fails because memory is in use, and is
// tried again when some is freed.
#include "model/faults/random_faults.h"
#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/drp/host/registrar.h"
#include "model/system.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/counter.h"
#include "testbench/tests/support/default_config.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>

namespace rnicsim {
namespace {

constexpr MemoryPoolConfig kOneTask{256 * 1024, 1, 200 * 1024, Cycle{100'000}, Cycle{300'000}};

/// Faults of end 1, whose pool this is.
RandomFaults faults_of(const MemoryPoolConfig& pool, std::uint64_t seed = 3) {
    RunConfig config = two_drp_hosts();
    drp_of(config, 1).host.registration.pool = pool;
    config.seed = seed;
    return RandomFaults(fault_config(config));
}

/// Two tasks that hold half a region each: about two attempts in five find too little.
RunConfig contended(Method method, const RegistrationRetry& retry = registration_retry("when_released")) {
    RunConfig config = default_config();
    config.traffic[0].transfers = 60;
    for (DrpEndConfig& end : drp_ends(config)) {
        end.rnic.transport.method = method;
        end.host.registration.retry = &retry;
        end.host.registration.pool = {192 * 1024, 2, 96 * 1024, Cycle{60'000}, Cycle{240'000}};
    }
    return config;
}

TEST_CASE("a pool gives what it has, to the byte", "[smoke]") {
    RandomFaults faults = faults_of({});
    MemoryPool pool({1000, 0, 0, {}, {}}, faults, 0);
    CHECK(pool.take(600));
    CHECK_FALSE(pool.take(401));
    CHECK(pool.take(400));
    CHECK_FALSE(pool.take(1));
    pool.give_back(600);
    CHECK(pool.in_use() == 400);
    CHECK(pool.take(600));
}

TEST_CASE("a pool of size 0 has no limit", "[smoke]") {
    RandomFaults faults = faults_of({});
    MemoryPool pool({}, faults, 0);
    CHECK(pool.take(std::uint64_t{1} << 40));
    CHECK(pool.first_changes().empty());
}

TEST_CASE("a task holds its memory for the share of time that its means give", "[smoke]") {
    RandomFaults faults = faults_of(kOneTask);
    MemoryPool pool(kOneTask, faults, 1);
    Cycle now = pool.first_changes().at(0);
    std::int64_t held = pool.in_use() != 0 ? now.n : 0;
    constexpr int kChanges = 40'000;
    for (int i = 0; i < kChanges; ++i) {
        const bool held_before = pool.in_use() != 0;
        const MemoryPool::Change change = pool.change(0, now);
        CHECK((pool.in_use() != 0) == !held_before);
        CHECK(change.next > now);
        if (pool.in_use() != 0) held += (change.next - now).n;
        now = change.next;
    }
    // A quarter of the time; 20,000 exponential holds and rests each: standard error 0.75 x sqrt(2 / 20,000) of it.
    CHECK(static_cast<double>(held) / static_cast<double>(now.n) == Catch::Approx(0.25).epsilon(0.03));
}

TEST_CASE("at the start of a run a task is in the middle of what it does", "[smoke]") {
    // A quarter of them hold; the first change of those is a hold time away on average, of the others a rest time.
    MemoryPoolConfig config = kOneTask;
    config.size = 0;  // no limit
    std::int64_t changes[2] = {0, 0};
    std::int64_t count[2] = {0, 0};
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        RandomFaults faults = faults_of(config, seed);
        const MemoryPool pool(config, faults, 1);
        const bool holds = pool.in_use() != 0;
        changes[holds] += pool.first_changes().at(0).n;
        ++count[holds];
    }
    CHECK(count[1] == Catch::Approx(1000).margin(4 * 27.4));  // binomial, four standard deviations
    CHECK(static_cast<double>(changes[1]) / static_cast<double>(count[1]) == Catch::Approx(100'000).epsilon(0.13));
    CHECK(static_cast<double>(changes[0]) / static_cast<double>(count[0]) == Catch::Approx(300'000).epsilon(0.08));
}

TEST_CASE("a task that finds too little waits, and is served first come first served", "[smoke]") {
    MemoryPoolConfig config = kOneTask;
    config.tasks = 2;
    config.rest_time = Cycle{std::int64_t{1} << 50};  // so at first both rest
    RandomFaults faults = faults_of(config);
    MemoryPool pool(config, faults, 1);
    REQUIRE(pool.in_use() == 0);
    REQUIRE(pool.take(100 * 1024));
    CHECK(pool.change(1, Cycle{2}).next == kNever);
    CHECK(pool.change(0, Cycle{3}).next == kNever);
    CHECK(pool.serve(Cycle{4}).empty());
    CHECK(pool.in_use() == 100 * 1024);
    pool.give_back(100 * 1024);
    const std::vector<MemoryPool::Change> served = pool.serve(Cycle{5});
    REQUIRE(served.size() == 1);  // there is room for one
    CHECK(served[0].task == 1);
    CHECK(served[0].next > Cycle{5});
    static_cast<void>(pool.change(1, Cycle{6}));
    CHECK(pool.serve(Cycle{6}).at(0).task == 0);
}

TEST_CASE("an attempt fails for lack of memory, and not after some is freed", "[smoke]") {
    RegistrationConfig config;
    config.pool = {1000, 0, 0, {}, {}};
    RandomFaults faults = faults_of({});
    Registrar registrar(config, faults, 0, PeerHosts({1}), kRings.regions + 10'000);
    Event request;
    request.dba = kRings.regions;
    request.length = 600;
    request.tid = Tid{1};
    CHECK(registrar.attempt(registrar.add(request)) == RegistrationOutcome::registered);
    request.tid = Tid{2};
    Registrar::Region& second = registrar.add(request);
    CHECK(registrar.attempt(second) == RegistrationOutcome::no_memory);
    second.waits_for_memory = true;
    registrar.remove({{}, Tid{1}, {}}, false);
    CHECK(registrar.take_waiting() == std::vector{Registrar::Key{{}, Tid{2}, {}}});
    CHECK(registrar.take_waiting().empty());
    CHECK(registrar.attempt(*registrar.find({{}, Tid{2}, {}})) == RegistrationOutcome::registered);
    CHECK(registrar.pool().in_use() == 600);
    CHECK(registrar.counters().no_memory == 1);
}

TEST_CASE("what may be registered is the memory behind the rings, to the byte", "[smoke]") {
    RandomFaults faults = faults_of({});
    Registrar registrar({}, faults, 0, PeerHosts({1}), kRings.regions + 10'000);
    auto attempt = [&registrar, tid = std::uint16_t{0}](std::uint64_t base, std::uint32_t bytes) mutable {
        Event request;
        request.dba = base;
        request.length = bytes;
        request.tid = Tid{tid++};
        return registrar.attempt(registrar.add(request));
    };
    CHECK(attempt(kRings.regions, 10'000) == RegistrationOutcome::registered);
    CHECK(attempt(kRings.regions + 9'999, 1) == RegistrationOutcome::registered);
    CHECK(attempt(kRings.regions, 10'001) == RegistrationOutcome::refused);
    CHECK(attempt(kRings.regions - 1, 1) == RegistrationOutcome::refused);
    CHECK(attempt(kRings.regions + 10'001, 1) == RegistrationOutcome::refused);
    CHECK(attempt(~std::uint64_t{0} - 4, 10) == RegistrationOutcome::refused);
    CHECK(attempt(kRings.regions, 0) == RegistrationOutcome::refused);
    CHECK(registrar.counters().refusals == 5);
}

TEST_CASE("each end has draws of its own", "[smoke]") {
    RunConfig config = two_drp_hosts();
    for (DrpEndConfig& end : drp_ends(config)) end.host.registration.failure = 0.5;
    RandomFaults faults(fault_config(config));
    int equal = 0;
    Registrar a({}, faults, 0, PeerHosts({1}), kRings.regions + 10'000);
    Registrar b({}, faults, 1, PeerHosts({0}), kRings.regions + 10'000);
    for (std::uint16_t tid = 0; tid < 400; ++tid) {
        Event request;
        request.dba = kRings.regions;
        request.length = 1;
        request.tid = Tid{tid};
        if (a.attempt(a.add(request)) == b.attempt(b.add(request))) ++equal;
    }
    CHECK(std::abs(equal - 200) < 40);  // binomial: four standard deviations
}

TEST_CASE("dynamic: while memory is in use by others data goes indirectly, until memory is freed", "[smoke]") {
    const RunResult result = simulate(contended(Method::dynamic));
    CHECK(counter(result, "b.host.registration_no_memory") > 5);
    CHECK(counter(result, "b.host.registration_failures") == 0);
    CHECK(counter(result, "b.transport.bulk_drains") > 5);
    // The host's own attempts: more than there were requests.
    CHECK(counter(result, "b.host.registrations") > counter(result, "a.transport.requests_sent"));
    for (const Sample& t : result.samples) CHECK_FALSE(t.failed());
}

TEST_CASE("traditional: memory in use by others costs a request timer", "[smoke]") {
    const RunResult result = simulate(contended(Method::traditional));
    CHECK(counter(result, "b.host.registration_no_memory") > 5);
    CHECK(counter(result, "b.host.registrations") == counter(result, "a.transport.requests_sent"));
    CHECK(counter(result, "b.transport.bulk_drains") == 0);
}

TEST_CASE("a host that waits for requests does not try by itself", "[smoke]") {
    const RunResult result = simulate(contended(Method::dynamic, registration_retry("on_request")));
    CHECK(counter(result, "b.host.registration_no_memory") > 5);
    CHECK(counter(result, "b.host.registrations") == counter(result, "a.transport.requests_sent"));
}

}  // namespace
}  // namespace rnicsim
