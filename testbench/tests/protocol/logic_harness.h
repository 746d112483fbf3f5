// SPDX-License-Identifier: Apache-2.0
// One TransportLogic with all its actions recorded as text. No SystemC: time is a number.
#pragma once

#include "model/rnic/drp/indirect_buffer.h"
#include "model/rnic/drp/transport_logic.h"
#include "testbench/tests/protocol/logic_text.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {

inline constexpr std::array kMethods{Method::traditional, Method::dynamic};

/// Every data frame of a transfer as fetched from memory.
inline Lines all_frames(const Spec& s, bool indirect) {
    Lines lines;
    for (std::uint32_t sn = 0; sn < s.frames(); ++sn) lines.push_back(fetched(s, sn, indirect));
    return lines;
}

/// What the hardware would be asked to do.
class Recorder final : public TransportActions {
  public:
    explicit Recorder(const TransportConfig& config)
        : buffer(config.method == Method::dynamic ? config.indirect_buffer : 0, config.segment) {}
    void send(const DrpHeader& header) override { lines_.push_back(sent(header)); }
    void place(std::uint64_t address, std::uint32_t bytes) override { lines_.push_back(placed(address, bytes)); }
    [[nodiscard]] bool buffer_full() const override { return buffer.full(); }
    [[nodiscard]] std::uint32_t buffered_of(Peer peer) const override { return buffer.used_by(peer); }
    void keep(const TransferKey& of, Sn sn, std::uint64_t address, std::uint32_t bytes) override {
        buffer.keep(of, sn, address, bytes, {});
        lines_.push_back("keep " + std::to_string(address) + "+" + std::to_string(bytes));
    }
    void drain(const TransferKey& of) override {
        std::string line = "drain";
        draining_ = buffer.drain(of);
        for (const IndirectBuffer::SlotIndex index : draining_) {
            const IndirectBuffer::Slot& slot = buffer.slot(index);
            line += " " + std::to_string(slot.address) + "+" + std::to_string(slot.length);
        }
        lines_.push_back(line);
    }
    void drop(const TransferKey& of) override {
        buffer.drop(of);
        lines_.push_back(dropped(of.tid));
    }
    void notify(const Event& event) override { lines_.push_back(text(event)); }

    void add(std::string line) { lines_.push_back(std::move(line)); }
    Lines take() { return std::exchange(lines_, {}); }
    std::vector<IndirectBuffer::SlotIndex> take_draining() { return std::exchange(draining_, {}); }

    IndirectBuffer buffer;

  private:
    Lines lines_;
    std::vector<IndirectBuffer::SlotIndex> draining_;
};

/// Decides on every timer that has expired at `now`.
inline void expire(TransportLogic& logic, Cycle now, TransportActions& actions) {
    while (true) {
        const auto expired = std::ranges::find_if(logic.table().active(), [&](ConnectionTable::Index entry) {
            return logic.table()[entry].earliest_deadline() <= now;
        });
        if (expired == logic.table().active().end()) return;
        logic.on_timer(now, *expired, actions);
    }
}

/// A verdict without generation answers the last request.
inline Command on_what_was_asked(const TransportLogic& logic, Command command) {
    if (asks_for_transfer(command.code) || command.generation != Generation{}) return command;
    for (const ConnectionTable::Index i : logic.table().active()) {
        const Transfer& t = logic.table()[i];
        if (t.role == Role::responder && t.tid == command.tid) command.generation = t.generation;
    }
    return command;
}

/// One RNIC's logic. Every input returns all that follows from it, so a comparison also finds superfluous actions.
class End {
  public:
    explicit End(const TransportConfig& config = small_config()) : logic(config), recorder_(config) {}

    Lines command(At at, const Command& command) {
        logic.on_command(Cycle{at}, on_what_was_asked(logic, command), recorder_);
        return recorder_.take();
    }
    Lines frame(At at, const DrpHeader& header) {
        logic.on_frame(Cycle{at}, header, recorder_);
        return recorder_.take();
    }
    /// All timers that have expired, as found by a scanner that takes no time.
    Lines timers(At at) {
        expire(logic, Cycle{at}, recorder_);
        return recorder_.take();
    }
    /// What happens at exactly this cycle; nothing may happen one cycle earlier.
    Lines expiry(At at) {
        CHECK(timers(at - 1) == Lines{});
        logic.refresh_deadline();
        CHECK(logic.next_deadline() == Cycle{at});
        return timers(at);
    }
    /// Sends all data that may be sent (or the first `most` frames). Returns also what follows when it has left.
    Lines send_data(At at, std::uint32_t most = 1000) {
        while (most-- != 0) {
            const std::optional<DataJob> job = logic.next_data(Cycle{at});
            if (!job) break;
            recorder_.add(text(job->header) + " from " + std::to_string(job->address));
            logic.on_transmitted(Cycle{at}, job->entry, recorder_);
        }
        return recorder_.take();
    }
    /// Fetches a frame, which has not left yet.
    DataJob fetch(At at) {
        const std::optional<DataJob> job = logic.next_data(Cycle{at});
        REQUIRE(job);
        return *job;
    }
    Lines left(At at, const DataJob& job) {
        logic.on_transmitted(Cycle{at}, job.entry, recorder_);
        return recorder_.take();
    }
    /// The bulk DMA asked for last has gone to memory.
    void drain_done() {
        for (const IndirectBuffer::SlotIndex slot : recorder_.take_draining()) recorder_.buffer.left(slot);
    }

    // Shortcuts to the state in which a test begins.
    /// Initiator, valid REQ_ACK received at `at`; a write may send, a read has said "ready".
    void establish(const Spec& s, At at = 0) {
        command(at, start(s));
        frame(at, req_ack(s, true));
    }
    /// Responder, valid REQ_ACK issued at `at`.
    void accept(const Spec& s, At at = 0) {
        frame(at, req(s));
        command(at, verdict(s, true));
    }
    /// Responder of a write, established, with all of its data.
    void receive(const Spec& s, At at = 0) {
        accept(s, at);
        for (std::uint32_t sn = 0; sn < s.frames(); ++sn) frame(at, data(s, sn));
    }
    /// Responder, invalid REQ_ACK issued at `at`.
    void refuse(const Spec& s, At at = 0) {
        frame(at, req(s));
        command(at, verdict(s, false));
    }

    [[nodiscard]] std::uint64_t count(TransportCount c) const { return logic.count(c); }
    [[nodiscard]] bool empty() const { return logic.table().used() == 0 && buffer().used() == 0; }
    [[nodiscard]] const IndirectBuffer& buffer() const { return recorder_.buffer; }

    TransportLogic logic;

  private:
    Recorder recorder_;
};

}  // namespace rnicsim
