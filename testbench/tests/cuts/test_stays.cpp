// SPDX-License-Identifier: Apache-2.0
// Where an item's lines lie over time, as a ladder shows it.
#include "testbench/observe/persist_stays.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

constexpr std::uint64_t kWhole = ~std::uint64_t{0};
using Counts = std::array<std::uint32_t, PersistStays::kStages>;

LineStep enters(WriteStage stage, std::uint64_t number, std::uint64_t address = 0x1000) {
    LineStep step;
    step.stage = stage;
    step.number = number;
    step.address = address;
    step.mask = kWhole;
    return step;
}

}  // namespace

TEST_CASE("stays: a line past the LLC is safe when it is in the iMC's queue, or in SCM", "[cuts]") {
    for (const Domain domain : {Domain::adr, Domain::none}) {
        PersistStays stays(domain, 64);
        stays.add(enters(WriteStage::iio, 1), Time{100}, true);
        CHECK(stays.settled() == kEndOfTime);
        stays.add(enters(WriteStage::imc, 1), Time{200}, true);
        stays.add(enters(WriteStage::scm, 1), Time{300}, true);
        const Time lasts{domain == Domain::adr ? 200 : 300};
        CHECK(stays.settled() == lasts);
        const auto states = stays.states();
        REQUIRE(states.size() == 3);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(states[i].at == Time{100 * static_cast<std::int64_t>(i + 1)});
            CHECK(states[i].safe == (states[i].at >= lasts));
        }
        CHECK(states[0].lines == Counts{1, 0, 0, 0});
        CHECK(states[0].unsafe == Counts{1, 0, 0, 0});
        CHECK(states[1].lines == Counts{0, 0, 1, 0});
        CHECK(states[2].lines == Counts{0, 0, 0, 1});
        CHECK(states[2].unsafe == Counts{});
    }
}

TEST_CASE("stays: an item of several lines is safe with the last of them, and not before all have come", "[cuts]") {
    PersistStays stays(Domain::adr, 128);
    stays.add(enters(WriteStage::iio, 1), Time{100}, true);
    stays.add(enters(WriteStage::imc, 1), Time{150}, true);
    CHECK_FALSE(stays.states().back().safe);
    CHECK(stays.settled() == kEndOfTime);
    stays.add(enters(WriteStage::iio, 2, 0x1040), Time{160}, true);
    stays.add(enters(WriteStage::imc, 2, 0x1040), Time{170}, true);
    CHECK(stays.writes() == 2);
    CHECK(stays.settled() == Time{170});
    const auto states = stays.states();
    CHECK(states.back().entered == Counts{2, 0, 2, 0});
    CHECK(states.back().safe);
    CHECK_FALSE(states[2].safe);
}

TEST_CASE("stays: a line that lies in the LLC is not safe until it is written back, and over when it is overwritten",
          "[cuts]") {
    PersistStays stays(Domain::adr, 64);
    stays.add(enters(WriteStage::iio, 1), Time{100}, true);
    stays.add(enters(WriteStage::llc, 1), Time{200}, true);
    CHECK(stays.states().back().unsafe == Counts{0, 1, 0, 0});
    CHECK(stays.settled() == kEndOfTime);
    PersistStays flushed = stays;
    flushed.add(enters(WriteStage::imc, 1), Time{900}, true);
    CHECK(flushed.settled() == Time{900});
    CHECK(flushed.states().back().safe);
    stays.add(enters(WriteStage::iio, 2), Time{400}, false);
    stays.add(enters(WriteStage::llc, 2), Time{500}, false);
    CHECK(stays.settled() != kEndOfTime);
    CHECK_FALSE(stays.states().back().safe);
}

TEST_CASE("stays: an older version may come over one that is durable already", "[cuts]") {
    PersistStays stays(Domain::adr, 64);
    stays.add(enters(WriteStage::iio, 1), Time{10}, false);
    stays.add(enters(WriteStage::llc, 1), Time{20}, false);
    stays.add(enters(WriteStage::iio, 2), Time{100}, true);
    stays.add(enters(WriteStage::imc, 2), Time{150}, true);
    CHECK(stays.states().back().safe);
    CHECK(stays.settled() == kEndOfTime);  // what the LLC has may still come
    stays.add(enters(WriteStage::imc, 1), Time{500}, false);
    CHECK(stays.settled() == Time{500});
    const auto states = stays.states();
    CHECK_FALSE(states.back().safe);
    CHECK(states.back().unsafe == Counts{0, 0, 1, 0});
    CHECK(states[states.size() - 2].safe);
}

}  // namespace rnicsim
