// SPDX-License-Identifier: Apache-2.0
// The queue of DMA requests in Verilog, alone: nothing is lost when more happens than one cycle can handle.
#include "Vdma_queue.h"
#include "model/rtl/clocked.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

namespace rnicsim {
namespace {

constexpr unsigned kFetch = 1, kDrain = 2;
constexpr unsigned kDecision = 8;  // cycles

/// One cycle at a time: inputs are set, then `cycle()` checks what leaves. Requests are identified by their
/// addresses.
class Queue {
  public:
    Queue(unsigned tags, unsigned limit_log2) {
        rtl_->cfg_tags_i = tags;
        rtl_->cfg_max_read_request_log2_i = limit_log2;
        rtl_->ready_i = 1;
    }
    void decision(unsigned source, std::uint64_t address, unsigned bytes) {
        rtl_->transport_valid_i = 1;
        rtl_->transport_source_i = source;
        rtl_->transport_address_i = address;
        rtl_->transport_bytes_i = bytes;
    }
    void host(bool write, std::uint64_t address, unsigned bytes, unsigned age = 1) {
        rtl_->host_valid_i = 1;
        rtl_->host_write_i = write;
        rtl_->host_address_i = address;
        rtl_->host_bytes_i = bytes;
        rtl_->host_age_i = age;
    }
    void complete(unsigned tags) {
        rtl_->completed_i = 1;
        rtl_->completed_tags_i = tags;
    }
    void engine_takes(bool takes) { rtl_->ready_i = takes; }

    /// Returns whether the request of the host interface was accepted.
    bool cycle() {
        rtl_.settle();
        if (rtl_->valid_o != 0 && rtl_->ready_i != 0) left.push_back(rtl_->address_o);
        const bool taken = rtl_->host_valid_i != 0 && rtl_->host_ready_o != 0;
        rtl_.tick();
        rtl_->transport_valid_i = rtl_->completed_i = rtl_->host_valid_i = 0;
        return taken;
    }
    void cycles(unsigned count) {
        for (; count > 0; --count) cycle();
    }
    void host_until_taken(bool write, std::uint64_t address, unsigned bytes) {
        unsigned age = 1;
        do {
            host(write, address, bytes, age);
            if (age < 255) ++age;
        } while (!cycle());
    }
    /// hold_o as a decision that begins now sees it.
    bool held() {
        rtl_.settle();
        return rtl_->hold_o != 0;
    }
    bool empty() {
        rtl_.settle();
        return rtl_->empty_o != 0;
    }

    std::vector<std::uint64_t> left;  // addresses

  private:
    Clocked<Vdma_queue> rtl_{"dma_queue"};
};

TEST_CASE("dma_queue: nine reads that get tags at once delay two decisions, and neither is lost", "[cosim]") {
    for (unsigned after = 0; after < 12; ++after) {
        CAPTURE(after);
        Queue queue(16, 7);
        queue.decision(kFetch, 0, 1468);  // 12 tags of 128 B
        queue.cycles(kDecision);
        for (unsigned i = 1; i <= 13; ++i)
            queue.host_until_taken(false, std::uint64_t{0x1000} * i, 32);  // 4 go, nine wait
        CHECK(queue.left.size() == 5);
        queue.complete(12);
        queue.cycles(1 + after);
        queue.decision(kDrain, 0xA000'0000, 1000);
        queue.cycles(kDecision);
        queue.decision(kDrain, 0xB000'0000, 1000);
        queue.cycles(30);
        REQUIRE(queue.left.size() == 16);
        CHECK(std::ranges::count(queue.left, 0xA000'0000) == 1);
        CHECK(std::ranges::find(queue.left, 0xA000'0000) < std::ranges::find(queue.left, 0xB000'0000));
        queue.complete(1);
        queue.cycles(2);
        CHECK(queue.empty());
    }
}

TEST_CASE("dma_queue: more completions than places, while reads go on, give each tag back once", "[cosim]") {
    constexpr unsigned kTags = 64, kWaiting = 40, kLate = 8;  // the last four are added to the fourth
    Queue queue(kTags, 7);
    queue.decision(kFetch, 0, 1468);  // 12 tags of 128 B
    queue.cycles(kDecision);
    for (unsigned i = 1; i <= kTags - 12 + kWaiting; ++i) queue.host_until_taken(false, std::uint64_t{0x1000} * i, 32);
    CHECK(queue.left.size() == 1 + kTags - 12);
    queue.complete(12);  // 12 reads continue, one per cycle: nothing else is handled
    queue.cycle();
    for (unsigned i = 0; i < kLate; ++i) {
        queue.complete(1);
        queue.cycle();
    }
    queue.cycles(60);
    CHECK(queue.left.size() == 1 + kTags + kLate);
}

TEST_CASE("dma_queue: with an engine that takes nothing decisions are held, the host interface sooner", "[cosim]") {
    Queue queue(256, 12);
    queue.engine_takes(false);
    unsigned of_host = 0, of_decisions = 0;
    for (unsigned age = 1; age < 400; ++age) {
        queue.host(true, 0x1'0000 + of_host, 64);
        of_host += queue.cycle();
    }
    CHECK(of_host == 112);
    while (!queue.held()) {
        queue.decision(kDrain, 0x2'0000 + of_decisions++, 1000);
        queue.cycles(kDecision);
    }
    CHECK(of_decisions == 16 + 4);
    queue.engine_takes(true);
    queue.cycles(200);
    std::vector<std::uint64_t> expected;
    for (unsigned i = 0; i < of_host; ++i) expected.push_back(0x1'0000 + i);
    for (unsigned i = 0; i < of_decisions; ++i) expected.push_back(0x2'0000 + i);
    CHECK((queue.left == expected));
    CHECK(queue.empty());
}

TEST_CASE("dma_queue: at random nothing is lost, and each kind leaves in its order", "[cosim]") {
    for (const std::uint32_t seed : {1U, 2U, 3U, 4U}) {
        constexpr int kLoaded = 6000, kMost = 100'000;
        std::mt19937 random(seed);
        const unsigned tags = seed == 1 ? 1 : 16;
        Queue queue(tags, 7);
        std::deque<unsigned> in_use;                       // tags of the reads that have left
        std::vector<std::uint64_t> decided[2], hosted[2];  // reads, writes
        std::vector<std::uint64_t> bytes_of;               // by address >> 16
        const auto tags_of = [&](std::uint64_t address) {
            return std::min<unsigned>(tags, (bytes_of[address >> 16] + 127) / 128);
        };
        bool deciding = false, host_waits = false, host_write = false;
        unsigned step = 0, age = 0;
        std::size_t seen = 0;
        for (int now = 0; now < kMost && !(now >= kLoaded && !host_waits && queue.empty() && in_use.empty()); ++now) {
            const bool busy = now / 1000 % 2 == 0;
            if (now < kLoaded) {
                if (deciding && ++step == kDecision) {
                    deciding = false;
                    if (random() % 4 != 0) {
                        const bool write = random() % 2 != 0;
                        bytes_of.push_back(1 + random() % 1468);
                        const std::uint64_t address = (bytes_of.size() - 1) << 16;
                        decided[write].push_back(address);
                        queue.decision(write ? kDrain : kFetch, address, static_cast<unsigned>(bytes_of.back()));
                    }
                }
                if (!deciding && !queue.held()) deciding = true, step = 0;
                if (!host_waits && random() % 8 == 0) {
                    host_waits = true;
                    host_write = random() % 2 != 0;
                    bytes_of.push_back(32);
                    age = 0;
                    hosted[host_write].push_back((bytes_of.size() - 1) << 16);
                }
            }
            if (host_waits) queue.host(host_write, hosted[host_write].back(), 32, std::min(age++, 255U));
            queue.engine_takes(now >= kLoaded || random() % (busy ? 8 : 24) == 0);
            if (!in_use.empty() && random() % (busy ? 4 : 12) == 0) {
                queue.complete(in_use.front());
                in_use.pop_front();
            }
            if (queue.cycle()) host_waits = false;
            for (; seen < queue.left.size(); ++seen) {
                const std::uint64_t address = queue.left[seen];
                for (const auto* reads : {&decided[0], &hosted[0]}) {
                    if (std::ranges::binary_search(*reads, address)) in_use.push_back(tags_of(address));
                }
            }
        }
        CHECK(queue.empty());
        for (const auto* all : {&decided[0], &decided[1], &hosted[0], &hosted[1]}) {
            std::vector<std::uint64_t> left;
            std::ranges::copy_if(queue.left, std::back_inserter(left),
                                 [&](std::uint64_t a) { return std::ranges::binary_search(*all, a); });
            CHECK((left == *all));
        }
    }
}

}  // namespace
}  // namespace rnicsim
