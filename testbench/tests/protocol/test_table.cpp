// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md 3.21: the connection table has a fixed number of entries.
#include "testbench/tests/protocol/logic_harness.h"

#include <map>

namespace rnicsim {
namespace {

TEST_CASE("3 table: 64 entries by default", "[protocol]") { CHECK(TransportConfig{}.table_entries == 64); }

TEST_CASE("3 table full, initiator: the host gets an error at once and nothing is sent", "[protocol]") {
    End end;
    for (std::uint16_t tid = 1; tid <= 4; ++tid) {
        CHECK(end.command(0, start(write_of(2500, tid))) == Lines{sent(req(write_of(2500, tid)))});
    }
    const Spec fifth = write_of(2500, 5);
    CHECK(end.command(0, start(fifth)) == Lines{failed(fifth, TransferError::table_full)});
    CHECK(end.count(TransportCount::table_full) == 1);
    CHECK(end.count(TransportCount::failed) == 1);
    CHECK(end.logic.table().used() == 4);
    // The others are untouched.
    CHECK(end.frame(10, req_ack(write_of(2500, 4), true)) == Lines{acknowledged(write_of(2500, 4))});
}

TEST_CASE("3 table full, responder: REQ is dropped and counted; it is taken when an entry is free", "[protocol]") {
    End end;
    for (std::uint16_t tid = 1; tid <= 4; ++tid) end.accept(write_of(2500, tid));
    const Spec fifth = write_of(2500, 5);
    CHECK(end.frame(10, req(fifth)) == Lines{});
    CHECK(end.count(TransportCount::table_full) == 1);
    for (const std::uint32_t sn : {0U, 1U, 2U}) end.frame(15, data(write_of(2500, 3), sn));
    end.frame(20, rel(write_of(2500, 3)));
    CHECK(end.frame(30, req(fifth)) == Lines{asked(fifth)});
}

TEST_CASE("3 table full, responder: indirect data without an entry is dropped, not acknowledged, and takes no buffer",
          "[protocol]") {
    End end;
    for (std::uint16_t tid = 1; tid <= 4; ++tid) end.refuse(write_of(2500, tid));
    CHECK(end.frame(10, data(write_of(2500, 5), 0, true)) == Lines{});
    CHECK(end.count(TransportCount::table_full) == 1);
    CHECK(end.buffer().used() == 0);
    // Data of a transfer that has an entry is still taken.
    CHECK(end.frame(20, data(write_of(2500, 4), 0, true)).size() == 2);
}

TEST_CASE("3 table: both roles share the entries", "[protocol]") {
    End end;
    end.accept(write_of(2500, 1));
    end.accept(read_of(2500, 2));
    end.command(0, start(write_of(2500, 3)));
    end.command(0, start(read_of(2500, 4)));
    CHECK(end.logic.table().used() == 4);
    CHECK(end.command(0, start(write_of(1, 5))) == Lines{failed(write_of(1, 5), TransferError::table_full)});
    CHECK(end.frame(0, req(write_of(1, 6))) == Lines{});
}

TEST_CASE("1 roles: a TID belongs to its initiator; the same one in both roles is two transfers", "[protocol]") {
    End end;
    const Spec mine = write_of(1500, 7);
    Spec theirs = write_of(2500, 7);
    theirs.dba = 0x70'0000;
    end.establish(mine);
    end.accept(theirs);
    CHECK(end.frame(10, data(theirs, 0)) == Lines{placed(theirs, 0), sent(ack(theirs, 1))});
    CHECK(end.send_data(10) == Lines{fetched(mine, 0), fetched(mine, 1)});
    for (const std::uint32_t sn : {1U, 2U}) end.frame(15, data(theirs, sn));
    CHECK(end.frame(20, rel(theirs)) == Lines{sent(rel_ack(theirs)), released(theirs)});
    CHECK(end.frame(30, ack(mine, 2)) == Lines{sent(rel(mine))});
    CHECK(end.frame(40, rel_ack(mine)) == Lines{completed(mine)});
    CHECK(end.empty());
}

TEST_CASE("3 transmit order: data frames of several transfers go round robin", "[protocol]") {
    End end;
    const Spec a = write_of(3000, 1);
    const Spec b = write_of(3000, 2);
    const Spec c = write_of(3000, 3);
    for (const Spec& s : {a, b, c}) end.establish(s);
    std::map<Tid, std::uint32_t> seen;
    for (std::uint32_t round = 1; round <= 3; ++round) {
        for (int i = 0; i < 3; ++i) ++seen[end.fetch(0).header.tid];
        for (const Spec& s : {a, b, c}) CHECK(seen[s.tid] == round);
    }
}

}  // namespace
}  // namespace rnicsim
