// SPDX-License-Identifier: Apache-2.0
// When a bridge's link goes down and up: at the times of a tape or of chance, and not up between two that touch.
#include "model/ntb/outages.h"
#include "model/faults/random_faults.h"
#include "model/faults/tape.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <vector>

namespace rnicsim::ntb {
namespace {

/// Of link 0: when it changes, in microseconds, down first; in so many.
std::vector<std::int64_t> changes(FaultSource& faults, Time ahead, std::int64_t until) {
    Outages outages(faults, 0, ahead);
    std::vector<std::int64_t> found;
    bool up = true;
    while (outages.next_due() < kMicrosecond * until) {
        const Time now = outages.next_due();
        const bool is_up = outages.act(now);
        CHECK(outages.next_due() > now);
        if (is_up != up) found.push_back(now.ps / kMicrosecond.ps);
        up = is_up;
    }
    return found;
}
TapeEntry down(std::int64_t from, std::int64_t to) { return LinkDown{kMicrosecond * from, kMicrosecond * to, 0}; }
using Changes = std::vector<std::int64_t>;

TEST_CASE("a link is down in each time of a tape, and stays down where the next one begins", "[bridge]") {
    const FaultTape tape{down(80, 90), down(10, 20), down(20, 30), LinkDown{Time{}, kMicrosecond * 99, 1},
                         down(31, 40), down(30, 31)};
    for (const std::int64_t ahead : {1, 7, 10, 1000}) {
        CAPTURE(ahead);
        TapeFaults faults(tape);
        CHECK(changes(faults, kMicrosecond * ahead, 200) == Changes{10, 40, 80, 90});
        CHECK(faults.unused() == 1);  // of link 1
    }
    TapeFaults from_the_start({down(0, 5)});
    CHECK(changes(from_the_start, kMicrosecond, 20) == Changes{0, 5});
}
TEST_CASE("a link that is down for all of each period never comes up, and its recording says the same", "[bridge]") {
    FaultConfig config;
    config.links.resize(1);
    config.links[0].down = {1, kMicrosecond * 10, kMicrosecond * 10};
    RandomFaults always(config);
    FaultRecorder recorder(always);
    CHECK(changes(recorder, kMicrosecond * 10, 45) == Changes{0});
    CHECK(recorder.tape().size() == 5);
    TapeFaults again(recorder.tape());
    CHECK(changes(again, kMicrosecond * 10, 100) == Changes{0, 50});
    CHECK(again.unused() == 0);
}

}  // namespace
}  // namespace rnicsim::ntb
