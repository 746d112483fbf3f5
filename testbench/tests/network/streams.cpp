// SPDX-License-Identifier: Apache-2.0
// Bytes of streams arrive as they were sent, on links that lose frames and on others.
#include "testbench/tests/network/stream_pair.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <optional>

using namespace rnicsim;

namespace {

std::uint8_t byte_of(std::uint64_t n, unsigned side) { return static_cast<std::uint8_t>(n * 7 + (n >> 8) * 13 + side); }

struct Seen {
    rc::EthernetPort::Counters port;  ///< of a
    TcpStack::Counters tcp;           ///< of a
    Time ended;
};

/// Both ends send `bytes` on each stream, at once.
std::optional<Seen> both_ways(const RunConfig& config, std::uint32_t bytes, std::uint32_t streams = 1,
                              Time limit = kSecond) {
    return in_child([&] {
        StreamPair pair(config, streams);
        const std::uint64_t slot = kProgramMemory / 2 / streams;
        std::vector<std::array<std::uint32_t, 2>> got(streams);
        Seen seen;
        std::uint32_t left = 2 * streams;
        for (unsigned side = 0; side < 2; ++side) {
            for (std::uint32_t s = 0; s < streams; ++s) {
                const auto out = pair.bytes(side, s * slot, bytes);
                for (std::uint32_t i = 0; i < bytes; ++i) out[i] = byte_of(i + s, side);
            }
            const auto read = [&, side](Cycle now, StreamId stream) {
                const auto s = static_cast<std::uint32_t>(stream);
                pair.stacks.at(side)->read(now, stream,
                                           pair.own(side) + kProgramMemory / 2 + s * slot + got[s].at(side),
                                           bytes - got[s].at(side));
            };
            pair.programs.at(side).readable = [read](Cycle now, StreamId stream, std::uint32_t) { read(now, stream); };
            pair.programs.at(side).read = [&, side](Cycle, StreamId stream, std::uint32_t count) {
                std::uint32_t& all = got[static_cast<std::uint32_t>(stream)].at(side);
                all += count;
                if (all != bytes) return;
                --left;
                seen.ended = current_time();
            };
            pair.at_start(side, [&, side](Cycle now) {
                for (std::uint32_t s = 0; s < streams; ++s)
                    pair.stacks.at(side)->send(now, StreamId{s}, pair.own(side) + s * slot, bytes);
            });
        }
        for (Time done; done < limit && left != 0; done = done + kMillisecond) pair.run(kMillisecond);
        if (left != 0) throw std::runtime_error("streams have not ended");
        for (unsigned side = 0; side < 2; ++side) {
            for (std::uint32_t s = 0; s < streams; ++s) {
                const auto in = pair.bytes(side, kProgramMemory / 2 + s * slot, bytes);
                for (std::uint32_t i = 0; i < bytes; ++i)
                    if (in[i] != byte_of(i + s, 1 - side)) throw std::runtime_error("byte " + std::to_string(i));
            }
        }
        seen.port = verbs_end(pair.system, 0).rnic.ethernet()->counters();
        seen.tcp = pair.stacks[0]->counters();
        return seen;
    });
}

}  // namespace

TEST_CASE("bytes of streams arrive, and with no loss each frame is sent once", "[network]") {
    for (const std::uint32_t bytes : {1U, 1448U, 1449U, 200U * 1024, 3'000'001U}) {
        const auto seen = both_ways(fast_pair(), bytes);
        INFO(bytes);
        REQUIRE(seen);
        CHECK(seen->tcp.resent == 0);
        CHECK(seen->port.frames == (bytes + 1447) / 1448 + seen->tcp.acks);
        CHECK(seen->port.no_buffer == 0);
    }
}

TEST_CASE("many streams share a host", "[network]") {
    const auto seen = both_ways(fast_pair(), 100'000, 20);
    REQUIRE(seen);
    CHECK(seen->tcp.resent == 0);
}

TEST_CASE("bytes of streams arrive where a link loses, damages and doubles frames", "[network]") {
    for (const char* const faults :
         {"loss: 1 %", "loss: 0.1 %, corruption: 1 %", "loss: 3 %, duplication: 2 %", "reordering: 2 %"}) {
        const auto seen =
            both_ways(fast_pair("rate: 100 Gbps, delay: 390.4 ns, " + std::string(faults)), 400'000, 2, kSecond * 20);
        INFO(faults);
        REQUIRE(seen);
        CHECK(seen->tcp.resent != 0);
        CHECK(seen->tcp.died == 0);
    }
}
