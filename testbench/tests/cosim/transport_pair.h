// SPDX-License-Identifier: Apache-2.0
// The transport controller in Verilog and TransportLogic: every decision of both, recorded as text and compared.
#pragma once

#include "model/rnic/drp/end/end_config.h"
#include "model/rtl/rtl_blocks.h"
#include "testbench/tests/protocol/logic_harness.h"
#include "testbench/tests/support/default_config.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <deque>

namespace rnicsim {

inline constexpr Cycle kDecision{8};
inline constexpr std::uint32_t kEntries = 64;

/// Records every field, also those without meaning in a frame of this type, for they are on the wire, and those that a
/// host does not use.
class EveryField final : public TransportActions {
  public:
    explicit EveryField(const TransportConfig& config) : recorder(config) {}
    void send(const DrpHeader& h) override {
        recorder.send(h);
        add("header", {static_cast<std::uint64_t>(h.type), static_cast<std::uint64_t>(h.operation), h.indirect, h.valid,
                       raw(h.tid), h.len, h.sn, h.ackn, h.sba, h.dba});
    }
    void place(std::uint64_t address, std::uint32_t bytes) override { recorder.place(address, bytes); }
    [[nodiscard]] bool buffer_full() const override { return recorder.buffer_full(); }
    [[nodiscard]] std::uint32_t buffered_of(Peer peer) const override { return recorder.buffered_of(peer); }
    void keep(const TransferKey& of, Sn sn, std::uint64_t address, std::uint32_t bytes) override {
        recorder.keep(of, sn, address, bytes);
        add("kept", {raw(of.tid), sn.n});
    }
    void drain(const TransferKey& of) override { recorder.drain(of); }
    void drop(const TransferKey& of) override { recorder.drop(of); }
    void notify(const Event& e) override {
        recorder.notify(e);
        add("event", {static_cast<std::uint64_t>(e.code), e.status, raw(e.tid), e.length, e.dba, e.read, e.indirect,
                      raw(e.generation)});
    }

    Recorder recorder;

  private:
    void add(std::string line, std::initializer_list<std::uint64_t> fields) {
        for (const std::uint64_t field : fields) line += " " + std::to_string(field);
        recorder.add(std::move(line));
    }
};

/// One engine with all its actions recorded.
class Side final : public TransportObserver {
  public:
    Side(std::unique_ptr<TransportEngine> engine, const TransportConfig& config)
        : engine_(std::move(engine)), actions(config) {
        engine_->set_observer(this);
    }
    void noted(TransportCount what, const TransferKey& of) override {
        recorder.add(std::string(kTransportCountNames[static_cast<std::size_t>(what)]) +
                     (of.role == Role::initiator ? " i" : " r") + std::to_string(raw(of.tid)));
    }
    TransportEngine& operator*() { return *engine_; }
    TransportEngine* operator->() { return engine_.get(); }

  private:
    std::unique_ptr<TransportEngine> engine_;

  public:
    EveryField actions;
    Recorder& recorder = actions.recorder;
};

inline std::unique_ptr<TransportEngine> verilog(const TransportConfig& config) {
    RnicConfig rnic = drp_of(default_config(), 0).rnic;
    rnic.transport = config;
    rnic.blocks[Block::transport_controller] = "rtl";
    return RtlBlocks().transport(rnic);
}

/// Both, in step: decisions one after another, timers as the scanner finds them.
class Both {
  public:
    explicit Both(const TransportConfig& config, Cycle from = Cycle{1000})
        : Both(config, from, std::make_unique<TransportLogic>(config)) {}

    void frame(const DrpHeader& header, Cycle wait = {}) {
        begin(wait);
        each([&](Side& side) { side->on_frame(free_, header, side.actions); }, "frame: " + text(header));
    }
    void command(const Command& given, Cycle wait = {}) {
        begin(wait);
        const Command command = on_what_was_asked(*logic, given);
        each([&](Side& side) { side->on_command(free_, command, side.actions); },
             "command " + std::to_string(static_cast<int>(command.code)) + " tid " + std::to_string(raw(command.tid)));
    }
    /// Fetches a data frame if there is one to send.
    bool fetch(Cycle wait = {}) {
        reach(free_ + wait);  // a timer may end the transfer
        if (!logic->has_data() || jobs.size() == 14) return false;
        begin({});
        each(
            [&](Side& side) {
                const DataJob job = *side->next_data(free_);
                side.recorder.add("fetch " + text(job.header) + " from " + std::to_string(job.address) + " entry " +
                                  std::to_string(job.entry));
                if (&side == &model_) jobs.push_back(job.entry);
            },
            "fetch");
        return true;
    }
    /// The oldest data frame leaves.
    void sent(Cycle wait = {}) {
        if (jobs.empty()) return;
        begin(wait);
        const ConnectionTable::Index entry = jobs.front();
        jobs.pop_front();
        each([&](Side& side) { side->on_transmitted(free_, entry, side.actions); }, "sent");
    }
    void pause(Cycle wait) { reach(free_ + wait); }

    TransportLogic* logic;
    std::deque<ConnectionTable::Index> jobs;  // entries of the data frames between fetch and wire
    std::uint64_t decisions = 0;

  private:
    Both(const TransportConfig& config, Cycle from, std::unique_ptr<TransportLogic> model)
        : logic(model.get()),
          model_(std::move(model), config),
          verilog_(verilog(config), config),
          free_(from),
          idle_(from) {}

    /// Time passes, timers are served, and a decision is made up to `free_`.
    void begin(Cycle wait) {
        reach(free_ + wait);
        free_ += kDecision;
    }
    void reach(Cycle at) {
        timers(at);
        if (free_ >= at) return;
        idle_ += at - free_;
        free_ = at;
    }
    void timers(Cycle until) {
        while (true) {
            const auto position = static_cast<ConnectionTable::Index>(idle_.n % kEntries);
            const TransportEngine::Expiry expected = model_->next_expiry(free_, position);
            const TransportEngine::Expiry found = verilog_->next_expiry(free_, position);
            REQUIRE(found.found.n == expected.found.n);
            REQUIRE(found.entry == expected.entry);
            if (expected.found >= until) return;
            idle_ += expected.found + Cycle{1} - free_;  // the scanner continues behind the entry that it has found
            free_ = expected.found + kDecision;
            each([&](Side& side) { side->on_timer(free_, expected.entry, side.actions); }, "timer");
        }
    }
    template <typename Input>
    void each(Input input, const std::string& what) {
        ++decisions;
        input(model_);
        input(verilog_);
        Lines expected = model_.recorder.take();
        Lines found = verilog_.recorder.take();
        std::ranges::sort(expected);  // the order within a decision does not matter
        std::ranges::sort(found);
        INFO(what << " at cycle " << free_.n);
        REQUIRE(found == expected);
        REQUIRE(verilog_->has_data() == model_->has_data());
        REQUIRE(verilog_->entries_used() == model_->entries_used());
        for (Side* side : {&model_, &verilog_}) {
            for (const IndirectBuffer::SlotIndex slot : side->recorder.take_draining())
                side->recorder.buffer.left(slot);
        }
    }

    Side model_, verilog_;
    Cycle free_;
    Cycle idle_;  // cycles outside decisions: where the scanner is
};

inline TransportConfig config_of(Method method = Method::dynamic) {
    TransportConfig config = small_config(method);
    config.table_entries = kEntries;
    return config;
}

}  // namespace rnicsim
