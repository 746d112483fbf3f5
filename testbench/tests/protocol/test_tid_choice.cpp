// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md 1.7: TIDs are given in order, they wrap, and those in use are skipped.
#include "model/rnic/drp/host/tid_choice.h"

#include <catch2/catch_test_macros.hpp>

#include <set>

namespace rnicsim {
namespace {

/// The TIDs in use.
struct InUse {
    std::set<Tid> tids;
    bool operator()(Tid tid) const { return tids.contains(tid); }
};

TEST_CASE("1.7: TIDs from 0 upwards, and 0 follows 65,535", "[protocol]") {
    TidChoice choice;
    for (std::uint32_t i = 0; i < 200'000; ++i) REQUIRE(choice.next(InUse{}) == Tid{static_cast<std::uint16_t>(i)});
}

TEST_CASE("1.7: TIDs in use are skipped when they come round, and taken when they are free again", "[protocol]") {
    TidChoice choice;
    InUse in_use;
    for (std::uint32_t i = 0; i < 65'536; ++i) static_cast<void>(choice.next(in_use));
    in_use.tids = {Tid{0}, Tid{1}, Tid{3}, Tid{65'535}};
    CHECK(choice.next(in_use) == Tid{2});
    CHECK(choice.next(in_use) == Tid{4});
    for (std::uint16_t tid = 5; tid < 65'535; ++tid) REQUIRE(choice.next(in_use) == Tid{tid});
    in_use.tids.erase(Tid{1});
    CHECK(choice.next(in_use) == Tid{1});  // behind 65,535 and 0
    CHECK(choice.next(in_use) == Tid{2});
}

}  // namespace
}  // namespace rnicsim
