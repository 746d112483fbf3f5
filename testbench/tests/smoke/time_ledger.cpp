// SPDX-License-Identifier: Apache-2.0
// Where the time goes: each rule of the ledger by hand, and that the parts add up in real runs under every fault.
#include "testbench/workloads/transfers/time_ledger.h"
#include "model/rnic/drp/end/end_config.h"

#include "testbench/records/run_result.h"
#include "testbench/tests/support/cycles.h"
#include "testbench/tests/support/default_config.h"
#include "testbench/workloads/transfers/transfer_sample.h"
#include "tlm/ethernet/frame.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>

namespace rnicsim {
namespace {

constexpr Tid kTid{7};
constexpr std::uint32_t kId = 65'536 + 7;  // TIDs wrap

/// A write of end 0, reported step by step to its ledger. Frames are named by the cycle in which their preamble begins.
struct Write {
    TimeLedger ledger{2};
    Write() { ledger.started(0, kId, Cycle{100}); }

    void frame(std::int64_t begin, DrpType type, std::uint32_t sn = 0) {
        DrpHeader header;
        header.type = type;
        header.tid = kTid;
        header.sn = sn;
        header.len = type == DrpType::data ? 1000 : 0;
        const std::size_t length = type == DrpType::data ? 1050 : 64;
        ledger.frame_sent(0, header, length, Cycle{begin}, Cycle{begin} + serialisation(length));
    }
    void data(std::int64_t begin, std::uint32_t sn) { frame(begin, DrpType::data, sn); }
    void connected(std::int64_t at) { ledger.noted(0, TransportCount::connections, 0, kTid, Cycle{at}); }
    void refused(std::int64_t at) { ledger.noted(1, TransportCount::buffer_full, 0, kTid, Cycle{at}); }
    TransferParts end(std::int64_t at) { return ledger.ended(0, kId, Cycle{at}); }
};

constexpr std::int64_t kFrame = 8 + 1050 + 12;

//                                 set-up waiting stalled wire retransmission drain release
TEST_CASE("a direct transfer: set-up, wire, release", "[smoke]") {
    Write write;
    write.frame(150, DrpType::req);
    write.connected(900);
    write.data(1000, 0);
    write.data(1000 + kFrame, 1);
    write.frame(5000, DrpType::rel);
    CHECK(write.end(6000) == TransferParts{900, 0, 0, 4000, 0, 0, 1000});
}

TEST_CASE("failed attempts are waiting, the last one is set-up", "[smoke]") {
    Write write;
    write.frame(150, DrpType::req);
    write.frame(10'150, DrpType::req);
    write.frame(20'150, DrpType::req);
    write.connected(20'900);
    write.data(21'000, 0);
    write.frame(25'000, DrpType::rel);
    CHECK(write.end(26'000) == TransferParts{50 + 850, 20'000, 0, 4000, 0, 0, 1000});
}

TEST_CASE("a repeated frame and the gap before it are retransmission", "[smoke]") {
    Write write;
    write.frame(150, DrpType::req);
    write.connected(900);
    write.data(1000, 0);
    write.data(1000 + kFrame, 1);
    write.data(9000, 1);
    write.frame(12'000, DrpType::rel);
    const std::int64_t first = 2 * kFrame;
    const std::int64_t last_ack = 12'000 - (9000 + kFrame);
    CHECK(write.end(13'000) ==
          TransferParts{900, 0, 0, first + last_ack, 9000 - (1000 + 2 * kFrame) + kFrame, 0, 1000});
}

TEST_CASE("from the first frame that the buffer refuses to the REQ_ACK it is stalled, whatever is sent", "[smoke]") {
    Write write;
    write.frame(150, DrpType::req);
    write.data(1000, 0);
    write.refused(2050);
    write.data(1000 + kFrame, 1);
    write.data(5000, 1);  // still refused
    write.connected(9000);
    write.data(9100, 1);
    write.frame(15'000, DrpType::rel);
    const std::int64_t stalled = 9000 - (1000 + kFrame);
    const std::int64_t last_ack = 15'000 - (9100 + kFrame);
    CHECK(write.end(16'000) == TransferParts{900, 0, stalled, kFrame + last_ack, 100 + kFrame, 0, 1000});
}

TEST_CASE("all sent and acknowledged, no REQ_ACK yet: stalled", "[smoke]") {
    Write write;
    write.frame(150, DrpType::req);
    write.data(1000, 0);
    write.connected(9000);
    write.frame(9050, DrpType::rel);
    CHECK(write.end(9500) == TransferParts{900, 0, 9000 - (1000 + kFrame), kFrame + 50, 0, 0, 450});
}

TEST_CASE("a bulk DMA takes the gaps that it covers", "[smoke]") {
    Write write;
    write.frame(150, DrpType::req);
    write.data(1000, 0);
    write.connected(1500);
    write.ledger.memory_write(1, Cycle{1399}, Cycle{9000});  // another cycle: not part of the bulk DMA
    write.ledger.memory_write(1, Cycle{1400}, Cycle{3000});
    write.ledger.noted(1, TransportCount::bulk_drains, 0, kTid, Cycle{1400});
    write.ledger.memory_write(1, Cycle{1400}, Cycle{9000});  // after it: an event
    write.data(4000, 1);
    write.frame(4000 + kFrame, DrpType::rel);
    const std::int64_t first_end = 1000 + kFrame;
    CHECK(write.end(6000) ==
          TransferParts{900, 0, 0, kFrame + (4000 - 3000) + kFrame, 0, 3000 - first_end, 6000 - (4000 + kFrame)});
}

TEST_CASE("a transfer that fails while a frame of it is on the wire has no time after its end", "[smoke]") {
    for (const std::int64_t end : {997, 1000, 1200, 2071, 2200, 3500}) {
        Write write;
        write.frame(150, DrpType::req);
        write.connected(900);
        write.data(1000, 0);
        if (end > 2071) write.data(2090, 1);
        const TransferParts parts = write.end(end);
        CAPTURE(end);
        CHECK(std::reduce(parts.begin(), parts.end()) == end - 100);
        CHECK(std::ranges::all_of(parts, [](std::int64_t part) { return part >= 0; }));
    }
}

TEST_CASE("a repeated REL is release", "[smoke]") {
    Write write;
    write.frame(150, DrpType::req);
    write.connected(900);
    write.data(1000, 0);
    write.frame(3000, DrpType::rel);
    write.frame(9000, DrpType::rel);
    CHECK(write.end(10'000) == TransferParts{900, 0, 0, 2000, 0, 0, 7000});
}

// That they add up is checked in every run; here it is checked that every part occurs.
TEST_CASE("under all faults at once every part of the time occurs, and they add up", "[smoke]") {
    RunConfig config = default_config();
    config.links[0].loss = 0.1;
    config.traffic = {traffic_of_two(OperationMix::alternate, Direction::both, 131'072, 60, 2)};
    for (DrpEndConfig& end : drp_ends(config)) end.host.registration.failure = 0.4;
    Sample::Parts sums{};
    for (const Sample& t : simulate(config).samples) {
        CHECK(std::reduce(t.parts.begin(), t.parts.end()) == t.took().ps);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            CHECK(t.parts[i] >= 0);
            sums[i] += t.parts[i];
        }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        INFO(kTransferPartNames[i]);
        CHECK(sums[i] > 0);
    }
}

}  // namespace
}  // namespace rnicsim
