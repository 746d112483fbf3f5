// SPDX-License-Identifier: Apache-2.0
// A running system with one fault: the scoreboard finds and names it.
#include "model/faults/random_faults.h"
#include "model/rnic/drp/end/drp_end.h"
#include "model/rnic/drp/end/end_config.h"
#include "model/system.h"
#include "testbench/kits/kits.h"
#include "testbench/run/diagnosis.h"
#include "testbench/tests/support/default_config.h"
#include "testbench/workloads/transfers/transfer_work.h"
#include "testbench/workloads/works.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace rnicsim {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

/// Stands between system and scoreboard.
struct Saboteur : Observer {
    explicit Saboteur(Scoreboard& to) : board(to) {}
    void memory_access(unsigned end, const tlm::tlm_generic_payload& transaction) override {
        const std::uint64_t place = transaction.get_address();
        if (on_event && end == 0 && place >= kRings.event && place < kRings.status) {
            Event event;
            std::memcpy(&event, transaction.get_data_ptr(), sizeof event);
            on_event(event);
            std::memcpy(transaction.get_data_ptr(), &event, sizeof event);
        }
        board.memory_access(end, transaction);
    }
    void upstream_tlp(unsigned end, tlm::tlm_generic_payload& transaction, Time due) override {
        board.upstream_tlp(end, transaction, due);
        const bool payload =
            tlp(transaction).kind == TlpKind::memory_write && transaction.get_address() >= kRings.regions;
        if (on_payload && payload) on_payload(transaction);
    }
    void frame_sent(unsigned end, const Frame& frame, Time left) override {
        board.frame_sent(end, frame, left);
        DrpHeader header;
        if (on_frame && decode(frame.client_data(), header) == DrpError::none) on_frame(header);
    }

    Scoreboard& board;
    std::function<void(Event&)> on_event;  // before it reaches host a's event ring
    std::function<void(tlm::tlm_generic_payload&)> on_payload;
    std::function<void(const DrpHeader&)> on_frame;
};

RunConfig with_transfers(std::uint32_t transfers) {
    RunConfig config = default_config();
    config.traffic[0].transfers = transfers;
    return config;
}

/// As a run has it.
Scoreboard& add_board(Works& works, const RunConfig& config) {
    auto work = std::make_unique<TransferWork>(config);
    Scoreboard& board = work->board();
    works.push_back(std::move(work));
    return board;
}

struct Bench {
    explicit Bench(std::uint32_t transfers = 1) : Bench(with_transfers(transfers), BlockFactory()) {}
    Bench(const RunConfig& of, const BlockFactory& blocks) : config(of) {
        system = std::make_unique<System>("system", config,
                                          KitEnds(board.memory_bytes(), {BlockMakers{&blocks}, BlockMakers{&blocks}}),
                                          faults, &saboteur);
        board.record_in(records);
        board.attach(*system);
    }
    /// Runs to the end or the first violation, and returns that.
    std::string run() {
        for (int slice = 0; slice < 100 && board.violation().empty() && !board.all_ended(); ++slice) {
            sc_core::sc_start(to_sc_time(kMillisecond));
        }
        return board.violation();
    }
    RunConfig config = two_drp_hosts();
    Works works;
    Scoreboard& board = add_board(works, config);
    Records<Sample> records{board.samples()};
    Saboteur saboteur{board};
    RandomFaults faults{fault_config(config)};
    std::unique_ptr<System> system;
};

TEST_CASE("without sabotage the same bench finds nothing", "[smoke]") {
    Bench bench(3);
    CHECK(bench.run().empty());
    CHECK(bench.board.all_ended());
    CHECK(bench.board.samples() == 3);
    bench.board.check_empty();
    CHECK(bench.board.violation().empty());
}

TEST_CASE("one wrong bit at the destination", "[smoke]") {
    Bench bench;
    bench.saboteur.on_frame = [&](const DrpHeader& header) {
        // The initiator releases: all data is acknowledged. Byte 70,000 has long been placed.
        if (header.type == DrpType::rel) drp_end(*bench.system, 1).host.memory.at(header.dba + 70'000, 1)[0] ^= 0x01;
    };
    CHECK_THAT(bench.run(), EndsWith("transfer 0 of end a: byte 70000 at the destination differs from the source"));
}

TEST_CASE("a DMA write that is one byte off, inside the region: the bytes are wrong", "[smoke]") {
    Bench bench;
    bool first = true;
    bench.saboteur.on_payload = [&](tlm::tlm_generic_payload& write) {
        if (std::exchange(first, false)) write.set_address(write.get_address() + 1);
    };
    CHECK_THAT(bench.run(), ContainsSubstring("at the destination differs from the source"));
}

TEST_CASE("a DMA write that is one byte off, over the end of the region", "[smoke]") {
    Bench bench;
    int writes = 0;
    bench.saboteur.on_payload = [&](tlm::tlm_generic_payload& write) {
        if (++writes == 128) write.set_address(write.get_address() + 1);  // the last segment
    };
    CHECK_THAT(bench.run(), ContainsSubstring("host b: a device writes 1024 bytes at 0x"));
    CHECK(writes == 128);
}

TEST_CASE("a completion before the data has been posted", "[smoke]") {
    Bench bench;
    bench.saboteur.on_event = [](Event& event) {
        if (event.code == EventCode::request_acknowledged) event.code = EventCode::completed;
    };
    const std::string violation = bench.run();
    CHECK_THAT(violation, ContainsSubstring("transfer 0 of end a: completed when "));
    CHECK_THAT(violation, EndsWith("of 131072 bytes had been posted to memory"));
}

TEST_CASE("a second completion of a transfer", "[smoke]") {
    Bench bench(2);
    bench.saboteur.on_event = [](Event& event) {
        if (event.code != EventCode::request_acknowledged || event.tid != Tid{1}) return;
        event.code = EventCode::completed;
        event.tid = Tid{0};
    };
    CHECK_THAT(bench.run(), EndsWith("end a: event 2 for tid 0, which is not in progress"));
}

TEST_CASE("an error after the completion", "[smoke]") {
    Bench bench(2);
    bench.saboteur.on_event = [](Event& event) {
        if (event.code != EventCode::request_acknowledged || event.tid != Tid{1}) return;
        event.code = EventCode::failed;
        event.tid = Tid{0};
    };
    CHECK_THAT(bench.run(), EndsWith("end a: event 3 for tid 0, which is not in progress"));
}

TEST_CASE("a second REQ_ACK shown to the upper layer", "[smoke]") {
    Bench bench;
    bench.saboteur.on_event = [](Event& event) {
        if (event.code == EventCode::completed) event.code = EventCode::request_acknowledged;
    };
    CHECK_THAT(bench.run(), EndsWith("transfer 0 of end a: a second REQ_ACK was shown"));
}

/// Forgets to free one slot of a transfer that was given up.
class LeakyBuffer final : public IndirectBufferEngine {
  public:
    explicit LeakyBuffer(std::unique_ptr<IndirectBufferEngine> buffer) : buffer_(std::move(buffer)) {}
    [[nodiscard]] bool full() const override { return buffer_->full(); }
    void keep(const TransferKey& of, Sn sn, std::uint64_t address, std::uint32_t bytes, FrameRef frame) override {
        // The first slot is kept under another name.
        buffer_->keep(std::exchange(first_, false) ? TransferKey{of.role, Tid{999}, of.peer} : of, sn, address, bytes,
                      std::move(frame));
    }
    const std::vector<SlotIndex>& drain(const TransferKey& of) override { return buffer_->drain(of); }
    void drop(const TransferKey& of) override { buffer_->drop(of); }
    void left(SlotIndex slot) override { buffer_->left(slot); }
    [[nodiscard]] const Slot& slot(SlotIndex index) const override { return buffer_->slot(index); }
    [[nodiscard]] std::uint32_t used() const override { return buffer_->used(); }
    [[nodiscard]] std::uint32_t used_by(Peer peer) const override { return buffer_->used_by(peer); }

  private:
    std::unique_ptr<IndirectBufferEngine> buffer_;
    bool first_ = true;
};

class LeakyBlocks final : public BlockFactory {
  public:
    [[nodiscard]] std::unique_ptr<IndirectBufferEngine> indirect_buffer(const RnicConfig& config) const override {
        return std::make_unique<LeakyBuffer>(BlockFactory::indirect_buffer(config));
    }
};

TEST_CASE("a slot that is never freed: nothing waits for it, but the diagnosis shows it", "[smoke]") {
    RunConfig config = with_transfers(1);
    drp_of(config, 1).host.registration.failure = 1;  // all data is early and finally given up
    Bench bench(config, LeakyBlocks());
    CHECK(bench.run().empty());
    sc_core::sc_start(to_sc_time(kMillisecond * 200));  // idle_timeout and more
    CHECK_FALSE(bench.system->idle());
    const std::string text = diagnosis(bench.config, *bench.system, bench.works, "watchdog");
    CHECK_THAT(text, ContainsSubstring("RNIC b: waits for nothing"));
    CHECK_THAT(text, ContainsSubstring("RNIC b: holds 0 of 64 table entries, 1 of 48 indirect slots (0 in flight"));
    CHECK_THAT(text, ContainsSubstring("RNIC a: holds 0 of 64 table entries, 0 of 48 indirect slots"));
    CHECK_THAT(text, ContainsSubstring("0 of 14 transmit buffers, 0 frames, 0 commands and 0 ends of frames not "));
    CHECK_THAT(text, ContainsSubstring("in all 1 frames and 0 PCIe transactions are in use"));
}

}  // namespace
}  // namespace rnicsim
