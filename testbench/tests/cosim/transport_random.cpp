// SPDX-License-Identifier: Apache-2.0
// The transport controller in Verilog against TransportLogic, decision by decision: random inputs, plausible and not.
#include "testbench/tests/cosim/transport_pair.h"

#include <catch2/catch_test_macros.hpp>
#include <random>

namespace rnicsim {
namespace {

/// Frames and commands that fit the state of the table, or do not.
class Chance {
  public:
    Chance(Both& both, const TransportConfig& config, unsigned seed, std::uint32_t tids, std::uint32_t starts)
        : both_(both), config_(config), random_(seed), tids_(tids), starts_(starts) {}

    void step() {
        const Cycle wait{pick({0, 0, 0, 1, 7, 30, 100, 400})};
        if (below(20) < starts_) return both_.command(start(), wait);
        switch (below(19)) {
            case 0:
            case 1: both_.command(verdict(), wait); break;
            case 2: both_.pause(Cycle{pick({1, 63, 64, 300, 2500})}); break;
            case 3:
            case 4:
            case 5: both_.sent(wait); break;
            case 6:
            case 7:
            case 8:
                if (both_.fetch(wait)) break;
                [[fallthrough]];
            default: both_.frame(frame(), wait);
        }
    }

  private:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
    std::int64_t pick(std::initializer_list<std::int64_t> of) {
        return *(of.begin() + below(static_cast<std::uint32_t>(of.size())));
    }
    Tid tid() { return Tid{static_cast<std::uint16_t>(below(tids_))}; }
    std::uint64_t base() { return 0x1'0000 * (1 + below(2)) + 0x1'0000'0000 * below(2); }
    std::uint32_t length() { return static_cast<std::uint32_t>(pick({1, 999, 1000, 1001, 2500, 8000, 9999, 20'000})); }

    Command start() {
        Command command;
        command.code = below(2) == 0 ? CommandCode::rdma_write : CommandCode::rdma_read;
        command.tid = tid();
        for (const ConnectionTable::Index i : both_.logic->table().active()) {
            const Transfer& t = both_.logic->table()[i];
            // No host uses a TID for two of its transfers at the same time.
            if (t.role == Role::initiator && t.tid == command.tid) command.code = CommandCode::not_registered;
        }
        command.length = length();
        command.sba = base();
        command.dba = base();
        return command;
    }
    const Transfer* entry() {
        const auto& active = both_.logic->table().active();
        return active.empty() || below(6) == 0
                   ? nullptr
                   : &both_.logic->table()[active[below(static_cast<std::uint32_t>(active.size()))]];
    }
    Command verdict() {
        Command command;
        command.code = below(2) == 0 ? CommandCode::registered : CommandCode::not_registered;
        const Transfer* const t = entry();
        command.tid = t != nullptr ? t->tid : tid();
        if (t != nullptr) command.generation = t->generation;
        if (below(8) == 0) command.generation = Generation{static_cast<std::uint16_t>(below(40))};
        return command;
    }
    DrpHeader frame() {
        DrpHeader h;
        h.type = std::array{DrpType::req,  DrpType::req_ack, DrpType::data, DrpType::data,   DrpType::data,
                            DrpType::data, DrpType::data,    DrpType::rel,  DrpType::rel_ack}[below(9)];
        const Transfer* const t = entry();
        if (t != nullptr && below(3) != 0) {  // what this entry waits for
            const bool initiator = t->role == Role::initiator;
            if (h.type == DrpType::req && initiator) h.type = DrpType::req_ack;
            if (h.type == DrpType::req_ack && !initiator) h.type = DrpType::req;
            if (h.type == DrpType::rel && initiator) h.type = DrpType::rel_ack;
            if (h.type == DrpType::rel && t->receiver.expected().n < 2 && below(4) != 0) h.type = DrpType::data;
        }
        h.operation = t != nullptr ? t->operation : static_cast<Operation>(below(2));
        if (below(12) == 0) h.operation = static_cast<Operation>(below(2));
        h.indirect = below(3) != 0;
        h.valid = below(2) == 0;
        h.tid = t != nullptr ? t->tid : tid();
        h.sba = t != nullptr && below(8) != 0 ? t->sba : base();
        h.dba = t != nullptr && below(8) != 0 ? t->dba : base();
        h.sn = h.len = h.ackn = 0;
        if (h.type == DrpType::req || h.type == DrpType::req_ack) {
            h.len = t != nullptr && t->length != 0 && below(8) != 0 ? t->length : length();
            h.sn = below(12) == 0 ? 999 : config_.segment;
        } else if (h.type == DrpType::data) {
            const bool acknowledges = t != nullptr ? t->sends_data() : below(2) == 0;
            if (acknowledges) {
                h.ackn = t != nullptr ? t->sender.oldest_unacknowledged().n + below(4) : below(12);
                if (t != nullptr && below(3) == 0) h.ackn = t->sender.next_new().n;
                if (below(10) == 0) h.ackn = below(2) == 0 ? 0 : h.ackn + 9;
            } else {
                h.sn = t != nullptr ? t->receiver.expected().n + below(3) * below(4) : below(12);
                if (below(10) == 0) h.sn = below(2) == 0 ? h.sn + 8 : below(3);
                if (below(40) == 0) h.sn = 0xFFFF'FFFF - below(3);
                const bool last = t != nullptr && t->length != 0 && h.sn + 1 == t->frames();
                h.len = last ? t->length - h.sn * config_.segment : config_.segment;
                if (below(10) == 0) h.len = static_cast<std::uint32_t>(pick({1, 500, 999, 1001}));
            }
        }
        return h;
    }

    Both& both_;
    TransportConfig config_;
    std::mt19937 random_;
    std::uint32_t tids_;
    std::uint32_t starts_;  // of 20 steps
};

TEST_CASE("random inputs, plausible and not, lead to the same decisions", "[cosim]") {
    std::uint64_t decisions = 0;
    std::array<std::uint64_t, static_cast<std::size_t>(TransportCount::count)> counts{};
    for (unsigned seed = 1; seed <= 36; ++seed) {
        TransportConfig config = config_of(seed % 4 == 0 ? Method::traditional : Method::dynamic);
        config.window = std::array{8U, 1U, 3U, 8U}[seed % 4];
        config.retransmission = seed % 3 == 0 ? &retransmission("go_back_n") : &retransmission("selective_repeat");
        config.duplicate_acks = std::array{3U, 1U, 0U, 2U}[seed / 2 % 4];
        config.indirect_after_timeouts = 1 + seed / 2 % 4;  // more and less than max_requests
        config.resume_on_valid_ack = seed % 5 != 0;
        config.max_requests = 1 + seed % 6;
        if (seed % 2 == 0) config.request_timer = config.data_timer = Cycle{250};  // at the same time
        config.indirect_buffer = seed % 2 == 0 ? 2000 : 10'000;
        const bool crowded = seed % 3 == 2;  // nobody gives up: the table fills
        if (crowded) config.request_timer = config.idle_timeout = Cycle{1'000'000};
        CAPTURE(seed);
        Both both(config);
        Chance chance(both, config, seed, std::array{3U, 12U, 300U}[seed % 3], crowded ? 6 : 1);
        for (int i = 0; i < 8000; ++i) chance.step();
        decisions += both.decisions;
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += both.logic->count(static_cast<TransportCount>(i));
    }
    CHECK(decisions > 120'000);
    for (std::size_t i = 0; i < counts.size(); ++i) {  // every counter has counted
        INFO(kTransportCountNames[i]);
        CHECK(counts[i] > 20);
    }
}

}  // namespace
}  // namespace rnicsim
