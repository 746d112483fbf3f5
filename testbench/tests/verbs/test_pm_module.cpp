// SPDX-License-Identifier: Apache-2.0
// The persist module alone: when it reads, which PACK it gives, what a dropped QP leaves behind.
#include "model/rnic/rc/persist/pm_module.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim::rc {
namespace {

constexpr Qpn kOneQp{2}, kOtherQp{3};

/// The line that a persist's flush read is to read.
constexpr std::uint64_t line_of(std::uint32_t psn) { return 0x1'0000'0000 + 64 * std::uint64_t{psn}; }

class DrivenPm : public PmModule {
  public:
    DrivenPm(std::uint32_t outstanding, bool coalesce, std::uint32_t capacity)
        : PmModule({outstanding, coalesce, capacity}) {}
    using PmModule::accept;
    void accept(Qpn qp, std::uint32_t psn) { accept({qp, {psn}, line_of(psn)}); }
    void accept_posted(Qpn qp, std::uint32_t psn) {
        accept(qp, psn);
        posted();
    }
    /// Tag and line of the next flush read.
    void check_read(std::uint32_t tag, std::uint32_t psn) {
        CAPTURE(tag, psn);
        CHECK((next_read() == FlushRead{tag, line_of(psn)}));
    }
    void check_pack(Qpn qp, std::uint32_t psn) {
        CAPTURE(qp.n, psn);
        CHECK((next_pack() == Pack{qp, {psn}}));
    }
    void check_quiet() {
        CHECK(!next_read());
        CHECK(!next_pack());
    }
};

TEST_CASE("V-S: PM: a flush read goes when the last write has been posted, the PACK when it has come back", "[verbs]") {
    DrivenPm pm(1, false, 4);
    pm.check_quiet();
    pm.accept(kOneQp, 7);
    pm.check_quiet();
    CHECK(!pm.persisted(kOneQp));
    pm.posted();
    CHECK(!pm.next_pack());
    pm.check_read(0, 7);
    pm.check_quiet();
    CHECK(!pm.persisted(kOneQp));
    pm.completed(0);
    CHECK(pm.persisted(kOneQp) == Psn{7});
    CHECK(!pm.next_read());
    pm.check_pack(kOneQp, 7);
    pm.check_quiet();
    CHECK(pm.persisted(kOneQp) == Psn{7});
    CHECK(!pm.persisted(kOtherQp));
}

TEST_CASE("V-S: PM: as many flush reads as outstanding allows, each with the lowest free tag", "[verbs]") {
    for (std::uint32_t outstanding = 1; outstanding <= PmModule::kMostReads; ++outstanding) {
        CAPTURE(outstanding);
        DrivenPm pm(outstanding, false, 18);
        for (std::uint32_t psn = 0; psn < 18; ++psn) pm.accept_posted(kOneQp, psn);
        for (std::uint32_t tag = 0; tag < outstanding; ++tag) pm.check_read(tag, tag);
        CHECK(!pm.next_read());
        pm.completed(outstanding - 1);
        pm.check_read(outstanding - 1, outstanding);
        CHECK(!pm.next_read());
        pm.completed(0);
        pm.check_read(0, outstanding + 1);
    }
}

TEST_CASE("V-S: PM: coalesced, one flush read is for all that were posted before it, and no later one", "[verbs]") {
    DrivenPm pm(2, true, 8);
    pm.accept_posted(kOneQp, 1);
    pm.accept_posted(kOtherQp, 2);
    pm.accept_posted(kOneQp, 3);
    pm.accept(kOneQp, 4);
    pm.check_read(0, 3);  // the youngest one's line
    CHECK(!pm.next_read());
    pm.posted();
    pm.check_read(1, 4);
    pm.accept_posted(kOneQp, 5);
    CHECK(!pm.next_read());  // no tag
    pm.completed(0);
    CHECK(pm.persisted(kOneQp) == Psn{3});
    pm.check_pack(kOneQp, 3);
    pm.check_pack(kOtherQp, 2);
    CHECK(!pm.next_pack());
    pm.completed(1);
    pm.check_pack(kOneQp, 4);
    pm.check_read(0, 5);
    pm.check_quiet();
}

TEST_CASE("V-S: PM: PACKs of a QP are in order, whatever the order of completions, and cumulative", "[verbs]") {
    DrivenPm pm(4, false, 4);
    for (std::uint32_t psn = 0xFF'FFFE; psn < 0x100'0002; ++psn) pm.accept_posted(kOneQp, psn & Psn::kMask);
    while (pm.next_read()) {}
    pm.completed(1);
    CHECK(!pm.next_pack());
    CHECK(!pm.persisted(kOneQp));
    pm.completed(3);
    CHECK(!pm.next_pack());
    pm.completed(0);
    CHECK(pm.persisted(kOneQp) == Psn{0xFF'FFFF});
    pm.check_pack(kOneQp, 0xFF'FFFF);
    CHECK(!pm.next_pack());
    pm.completed(2);
    CHECK(pm.persisted(kOneQp) == Psn{1});
    pm.check_pack(kOneQp, 1);
    CHECK(!pm.next_pack());
}

TEST_CASE("V-S: PM: a QP does not wait for another one's flush read; of two that are ready the older goes first",
          "[verbs]") {
    DrivenPm pm(3, false, 4);
    pm.accept_posted(kOneQp, 1);
    pm.accept_posted(kOtherQp, 1);
    pm.accept_posted(kOneQp, 2);
    while (pm.next_read()) {}
    pm.completed(1);
    pm.check_pack(kOtherQp, 1);
    CHECK(!pm.next_pack());
    pm.accept_posted(kOtherQp, 2);
    pm.check_read(1, 2);
    pm.completed(1);
    pm.completed(0);
    pm.check_pack(kOneQp, 1);
    pm.check_pack(kOtherQp, 2);
    pm.completed(2);
    pm.check_pack(kOneQp, 2);
}

TEST_CASE("V-S: PM: a persist is held until its PACK is taken, and the places behind it with it", "[verbs]") {
    DrivenPm one(1, false, 1);
    for (std::uint32_t psn = 0; psn < 3; ++psn) {
        CHECK(one.has_room());
        one.accept(kOneQp, psn);
        CHECK(!one.has_room());
        one.posted();
        one.check_read(0, psn);
        one.completed(0);
        CHECK(!one.has_room());
        one.check_pack(kOneQp, psn);
    }
    CHECK(one.has_room());

    DrivenPm pm(3, false, 3);
    pm.accept_posted(kOneQp, 1);
    pm.accept_posted(kOtherQp, 1);
    CHECK(pm.has_room());
    pm.accept_posted(kOtherQp, 2);
    CHECK(!pm.has_room());
    while (pm.next_read()) {}
    pm.completed(1);
    pm.completed(2);
    pm.check_pack(kOtherQp, 2);
    CHECK(!pm.has_room());  // the first place is the next one
    pm.completed(0);
    pm.check_pack(kOneQp, 1);
    for (std::uint32_t psn = 3; psn < 6; ++psn) {
        CHECK(pm.has_room());
        pm.accept(kOtherQp, psn);
    }
    CHECK(!pm.has_room());
}

TEST_CASE("V-S: PM: what a dropped QP had asked for is forgotten in each state, and its tags come back silently",
          "[verbs]") {
    DrivenPm pm(3, false, 5);
    pm.accept_posted(kOneQp, 1);    // persisted
    pm.accept_posted(kOneQp, 2);    // under way
    pm.accept_posted(kOtherQp, 1);  // under way, of another QP
    pm.accept_posted(kOneQp, 3);    // waits for a tag
    pm.accept(kOneQp, 4);           // to be posted
    while (pm.next_read()) {}
    pm.completed(0);
    pm.drop(kOneQp);
    CHECK(!pm.persisted(kOneQp));
    pm.check_quiet();
    CHECK(pm.has_room());
    pm.accept(kOneQp, 1);  // the QP's next life
    pm.posted();           // of the dropped one
    CHECK(!pm.next_read());
    pm.posted();
    pm.check_read(0, 1);
    pm.completed(1);  // of the dropped one
    pm.check_quiet();
    CHECK(!pm.persisted(kOneQp));
    pm.accept_posted(kOtherQp, 2);
    pm.check_read(1, 2);
    pm.completed(2);
    pm.check_pack(kOtherQp, 1);
    pm.completed(0);
    pm.check_pack(kOneQp, 1);
    pm.drop(kOneQp);
    CHECK(!pm.persisted(kOneQp));
    pm.completed(1);
    pm.check_pack(kOtherQp, 2);
    CHECK(pm.persisted(kOtherQp) == Psn{2});
}

TEST_CASE("V-S: PM: a dropped persist that is not posted keeps its place until then", "[verbs]") {
    DrivenPm pm(1, true, 2);
    pm.accept(kOneQp, 1);
    pm.accept(kOtherQp, 1);
    pm.drop(kOneQp);
    CHECK(!pm.has_room());
    pm.drop(kOneQp);  // nothing more to forget
    CHECK(!pm.has_room());
    pm.posted();
    CHECK(pm.has_room());
    pm.check_quiet();
    pm.accept(kOneQp, 9);
    pm.posted();
    pm.check_read(0, 1);
    pm.completed(0);
    pm.check_pack(kOtherQp, 1);
    pm.posted();
    pm.check_read(0, 9);
}

}  // namespace
}  // namespace rnicsim::rc
