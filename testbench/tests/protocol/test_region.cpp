// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md 3.12, 6.6 and 6.7: a frame touches the region that was registered for its TID, or nothing.
#include "testbench/tests/protocol/logic_harness.h"

namespace rnicsim {
namespace {

/// Frame 1 of a transfer, made wrong in every way in which it would leave the region.
std::vector<DrpHeader> foreign_frames(const Spec& s, bool indirect) {
    std::vector<DrpHeader> frames(6, data(s, 1, indirect));
    frames[0].sn = s.frames();      // behind the end
    frames[1].sn = 0xFFFF'FFFF;     // far behind the end, and no overflow
    frames[2].len = s.segment + 1;  // longer than its place
    frames[3].len = s.segment - 1;  // shorter than its place
    frames[4].dba += 1;             // another region at the responder
    frames[5].sn = s.frames() - 1;  // the last frame ...
    frames[5].len = s.segment;      // ... as long as the others
    return frames;
}

TEST_CASE("3 region: a data frame of a write outside its region is dropped, counted, not acknowledged", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.accept(s);
    std::vector<DrpHeader> frames = foreign_frames(s, false);
    frames.push_back(data(s, 1));
    frames.back().sba += 1;
    for (const bool indirect : {false, true}) {
        for (DrpHeader frame : frames) {
            frame.indirect = indirect;
            CAPTURE(text(frame));
            CHECK(end.frame(10, frame) == Lines{});
        }
    }
    CHECK(end.count(TransportCount::out_of_region) == 2 * frames.size());
    CHECK(end.frame(20, data(s, 1)) == Lines{placed(s, 1), sent(ack(s, 0))});  // its place is still free
}

TEST_CASE("3 region: a data frame of a read outside its region is dropped, counted, not acknowledged", "[protocol]") {
    const Spec s = read_of(2500);
    End end;
    end.establish(s);
    std::vector<DrpHeader> frames = foreign_frames(s, false);
    frames.push_back(data(s, 1));
    frames.back().sba += 1;
    for (const DrpHeader& frame : frames) {
        CAPTURE(text(frame));
        CHECK(end.frame(10, frame) == Lines{});
    }
    CHECK(end.count(TransportCount::out_of_region) == frames.size());
    CHECK(end.frame(20, data(s, 1)) == Lines{placed(s, 1), sent(ack(s, 0))});
}

TEST_CASE("3 region: a data frame of another region does not count as the missing REQ_ACK of a read", "[protocol]") {
    const Spec s = read_of(2500);
    End end;
    end.command(0, start(s));
    for (const DrpHeader& frame : foreign_frames(s, true)) {
        CAPTURE(text(frame));
        CHECK(end.frame(10, frame) == Lines{});
    }
    CHECK(end.expiry(100) == Lines{sent(req(s))});  // still asks
}

TEST_CASE("3 region: data that goes against the direction of its transfer is dropped", "[protocol]") {
    End end;
    const Spec w = write_of(2500, 1);
    Spec r = read_of(2500, 2);
    end.accept(w);
    end.accept(r);
    Spec wrong = w;
    wrong.operation = Operation::read;  // no read of this TID was started here
    CHECK(end.frame(10, data(wrong, 0)) == Lines{});
    wrong = r;
    wrong.operation = Operation::write;  // the host let the region be read, not written
    CHECK(end.frame(10, data(wrong, 0)) == Lines{});
    CHECK(end.frame(10, data(wrong, 0, true)) == Lines{});
    CHECK(end.count(TransportCount::stale) == 3);
    CHECK(end.buffer().used() == 0);
}

TEST_CASE("3 region: direct data before the region is registered is dropped and counted", "[protocol]") {
    for (const Method method : {Method::traditional, Method::dynamic}) {
        const Spec s = write_of(2500);
        End end(small_config(method));
        CHECK(end.frame(0, data(s, 0)) == Lines{});
        CHECK(end.count(TransportCount::stale) == 1);
        CHECK(end.empty());
        end.frame(10, req(s));
        CHECK(end.frame(20, data(s, 0)) == Lines{});
        end.command(30, verdict(s, false));
        CHECK(end.frame(40, data(s, 0)) == Lines{});
        CHECK(end.count(TransportCount::no_region) == 2);
    }
}

TEST_CASE("3 region: indirect data that cannot fit the requested region is not even kept", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.refuse(s);
    for (const DrpHeader& frame : foreign_frames(s, true)) {
        CAPTURE(text(frame));
        CHECK(end.frame(10, frame) == Lines{});
    }
    CHECK(end.count(TransportCount::out_of_region) == 6);
    CHECK(end.buffer().used() == 0);
}

TEST_CASE("3 region: early data that a request contradicts counts as not received and has to come again",
          "[protocol]") {
    const Spec early = write_of(800, 9);  // a short frame: the end of a transfer of 800 bytes
    const Spec s = write_of(2500, 9);
    End end;
    CHECK(end.frame(0, data(early, 0, true)) == Lines{kept(early, 0), sent(ack(early, 1))});
    CHECK(end.frame(1, req(s)) == Lines{dropped(s.tid), asked(s)});
    CHECK(end.frame(2, data(s, 1, true)) == Lines{kept(s, 1), sent(ack(s, 0))});  // not the second in a row
    CHECK(end.frame(3, data(s, 0, true)) == Lines{kept(s, 0), sent(ack(s, 2))});
    CHECK(end.command(4, verdict(s, true)) == Lines{sent(req_ack(s, true)), drained(s, {0, 1})});
    CHECK(end.frame(5, data(s, 2)) == Lines{placed(s, 2), sent(ack(s, 3))});
}

TEST_CASE("3 region: data kept before its request is dropped when the request contradicts it", "[protocol]") {
    const Spec s = write_of(2500);
    Spec moved = s;
    moved.dba += 0x1000;
    const auto contradicts = [&](const Spec& early, std::uint32_t sn) {
        End end;
        CAPTURE(sn, early.dba, early.length);
        CHECK(end.frame(0, data(early, sn, true)) == Lines{kept(early, sn), sent(ack(early, sn == 0 ? 1 : 0))});
        CHECK(end.frame(10, req(s)) == Lines{dropped(s.tid), asked(s)});
        CHECK(end.count(TransportCount::out_of_region) == 1);
        CHECK(end.buffer().used() == 0);
        CHECK(end.command(20, verdict(s, true)) == Lines{sent(req_ack(s, true))});
    };
    contradicts(moved, 1);           // another region
    contradicts(write_of(3000), 2);  // whole, where the last one is shorter
    contradicts(write_of(8000), 5);  // beyond the end
    contradicts(write_of(2501), 2);  // a byte too many
    contradicts(write_of(2499), 2);  // a byte too few
    contradicts(write_of(1500), 1);  // the last of a shorter transfer
    End end;
    end.frame(0, data(s, 2, true));
    CHECK(end.frame(10, req(s)) == Lines{asked(s)});
    CHECK(end.command(20, verdict(s, true)) == Lines{sent(req_ack(s, true)), drained(s, {2})});
}

TEST_CASE("3 region: early data must be consistent with earlier data", "[protocol]") {
    const Spec s = write_of(5500);  // SN 5 is short
    const auto refused = [](End& end, const DrpHeader& frame) {
        const std::uint64_t before = end.count(TransportCount::out_of_region);
        CHECK(end.frame(50, frame) == Lines{});
        CHECK(end.count(TransportCount::out_of_region) == before + 1);
    };
    End end;
    end.frame(0, data(s, 5, true));
    Spec moved = s;
    moved.dba += 8;
    refused(end, data(moved, 0, true));
    refused(end, data(write_of(6500), 6, true));  // behind the last one
    refused(end, data(write_of(6000), 5, true));  // the same place, whole
    refused(end, data(write_of(5499), 5, true));  // ... shorter
    refused(end, data(write_of(3999), 3, true));  // a second short one before it
    refused(end, data(write_of(8000), 7, true));
    CHECK(end.frame(60, data(s, 4, true)) == Lines{kept(s, 4), sent(ack(s, 0))});
    CHECK(end.frame(60, data(s, 5, true)) == Lines{sent(ack(s, 0))});  // a duplicate is none of these
    End other;
    other.frame(0, data(s, 4, true));
    refused(other, data(write_of(3999), 3, true));  // short, and not the last
    CHECK(other.frame(60, data(s, 5, true)) == Lines{kept(s, 5), sent(ack(s, 0))});
}

TEST_CASE("3 region: a kept frame longer than a segment does not exist", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    DrpHeader frame = data(s, 0, true);
    frame.len = 1001;
    CHECK(end.frame(0, frame) == Lines{});
    CHECK(end.count(TransportCount::out_of_region) == 1);
    CHECK(end.empty());
}

}  // namespace
}  // namespace rnicsim
