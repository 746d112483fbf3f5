// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md 2.8: the segment size is equal at both ends, or nothing moves.
#include "testbench/tests/protocol/logic_harness.h"

namespace rnicsim {
namespace {

TEST_CASE("2 segment: every request echoes the configured segment size and the transfer's length", "[protocol]") {
    TransportConfig config = small_config();
    config.segment = 512;
    End end(config);
    Spec s = write_of(2500);
    s.segment = 512;
    CHECK(end.command(0, start(s)) == Lines{sent(req(s))});
    CHECK(end.expiry(100) == Lines{sent(req(s))});
}

TEST_CASE("2 segment: a mismatch is answered by an invalid REQ_ACK, without the host and without a table entry",
          "[protocol]") {
    for (const Operation operation : {Operation::write, Operation::read}) {
        End end;
        Spec s = write_of(2500);
        s.operation = operation;
        for (const std::uint32_t segment : {0U, 999U, 1001U, 4000U}) {
            s.segment = segment;
            DrpHeader request = req(write_of(2500));
            request.operation = operation;
            request.sn = segment;
            s.segment = 1000;
            CHECK(end.frame(0, request) == Lines{sent(req_ack(s, false))});
        }
        CHECK(end.count(TransportCount::segment_mismatch) == 4);
        CHECK(end.count(TransportCount::invalid_request_acks_sent) == 4);
        CHECK(end.empty());
    }
}

TEST_CASE("2 segment: a mismatching request does not disturb the transfer that has its TID", "[protocol]") {
    End end;
    const Spec s = write_of(2500);
    end.accept(s);
    DrpHeader request = req(s);
    request.sn = 500;
    CHECK(end.frame(10, request) == Lines{sent(req_ack(s, false))});
    CHECK(end.frame(20, data(s, 0)) == Lines{placed(s, 0), sent(ack(s, 1))});
}

TEST_CASE("2 segment: data frames carry a whole segment, the last one the rest", "[protocol]") {
    struct Case {
        std::uint32_t length;
        std::vector<std::uint32_t> payloads;
    };
    const std::vector<Case> cases{{1, {1}},
                                  {999, {999}},
                                  {1000, {1000}},
                                  {1001, {1000, 1}},
                                  {2000, {1000, 1000}},
                                  {2999, {1000, 1000, 999}},
                                  {3000, {1000, 1000, 1000}}};
    for (const Case& c : cases) {
        CAPTURE(c.length);
        End end;
        const Spec s = write_of(c.length);
        end.establish(s);
        for (std::uint32_t sn = 0; sn < c.payloads.size(); ++sn) {
            const DataJob job = end.fetch(0);
            CHECK(job.header.sn == sn);
            CHECK(job.header.len == c.payloads[sn]);
            CHECK(job.address == s.sba + sn * 1000);
        }
        CHECK_FALSE(end.logic.next_data(Cycle{0}));
    }
}

}  // namespace
}  // namespace rnicsim
