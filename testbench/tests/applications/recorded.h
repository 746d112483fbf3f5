// SPDX-License-Identifier: Apache-2.0
// One end of an application's connection alone: what it asks for is kept, and carried out by the test.
#pragma once

#include "testbench/applications/application.h"
#include "testbench/scenario/applications.h"
#include "testbench/tests/applications/pair_of.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {

class Recorded final : public applications::Actions {
  public:
    using Place = applications::Place;
    using Event = applications::Event;

    /// `item` outlives it. Side 0 asks.
    Recorded(const TrafficConfig& item, unsigned side) : end_(protocol_of(item)->end(item, {side})) {
        const applications::Plan plan = protocol_of(item)->plan(item);
        for (const applications::Plan::Area& area : plan.sides.at(side).areas) areas_.emplace_back(area.bytes);
        end_->start(*this);
    }
    void on(const Event& event) { end_->on(event, *this); }
    /// The bytes of the stream that it has sent since the last time.
    std::vector<std::uint8_t> take_sent() { return std::exchange(sent_, {}); }
    /// Of all that it has done.
    std::vector<applications::WorkRequest> posts;
    std::vector<applications::Store> stores;
    std::vector<std::uint32_t> over;   ///< operations
    std::vector<std::uint32_t> wrong;  ///< ... whose bytes are others, where it looks at them
    unsigned setups = 0, wakes = 0;
    std::deque<std::uint32_t> commands;     ///< tags of what has ended, to be told
    std::pair<Place, std::uint32_t> reads;  ///< stream_receive(): where to, at most how much

    void post_send(const applications::WorkRequest& what) override { posts.push_back(what); }
    void post_receive(Place, std::uint32_t, std::uint32_t) override {}
    void watch(Place, std::uint32_t) override {}
    void register_memory(Place, std::uint32_t, std::uint32_t tag) override { commands.push_back(tag); }
    void deregister_memory(std::uint32_t, std::uint32_t tag) override { commands.push_back(tag); }
    void stream_send(Place from, std::uint32_t bytes) override {
        const auto all = memory(from, bytes);
        sent_.insert(sent_.end(), all.begin(), all.end());
    }
    void stream_receive(Place to, std::uint32_t most) override { reads = {to, most}; }
    void stream_close() override {}
    void copy(Place to, Place from, std::uint32_t bytes, std::uint32_t) override {
        std::memmove(memory(to, bytes).data(), memory(from, bytes).data(), bytes);
    }
    void store(std::span<const applications::Store> program, std::uint32_t tag) override {
        stores.insert(stores.end(), program.begin(), program.end());
        commands.push_back(tag);
    }
    void touch(Place, std::uint32_t) override {}
    void call() override {}
    void system_call() override {}
    void work(Time) override {}
    void set_up(Time) override { ++setups; }
    void then(std::uint32_t tag) override { commands.push_back(tag); }
    void wake(std::uint32_t /*shared*/, std::uint32_t /*tag*/) override { ++wakes; }
    void after(Time, std::uint32_t) override {}
    [[nodiscard]] std::span<std::uint8_t> memory(Place at, std::uint32_t bytes) override {
        if (at.offset + std::uint64_t{bytes} > areas_.at(at.area).size()) throw std::logic_error("it leaves its area");
        return std::span(areas_.at(at.area)).subspan(at.offset, bytes);
    }
    [[nodiscard]] applications::Remote remote(Place at) override { return {at.offset, at.area}; }
    void produce(Place at, std::uint32_t bytes, std::uint32_t operation) override {
        for (std::uint32_t i = 0; i < bytes; ++i) memory(at, bytes)[i] = byte_of(operation, i);
    }
    void mark(std::uint32_t, unsigned) override {}
    void check(Place at, std::uint32_t bytes, std::uint32_t operation) override {
        for (std::uint32_t i = 0; i < bytes; ++i)
            if (memory(at, bytes)[i] != byte_of(operation, i)) return wrong.push_back(operation);
        looked_at.push_back(operation);
    }
    void violates(const std::string& what) override { throw std::logic_error(what); }
    void ended(std::uint32_t operation, applications::Outcome) override { over.push_back(operation); }

    std::vector<std::uint32_t> looked_at;  ///< operations whose bytes it has found

  private:
    static std::uint8_t byte_of(std::uint32_t operation, std::uint32_t at) {
        return static_cast<std::uint8_t>(operation * 101 + at * 7 + 1);
    }

    std::unique_ptr<applications::End> end_;
    std::vector<std::vector<std::uint8_t>> areas_;
    std::vector<std::uint8_t> sent_;
};

}  // namespace rnicsim
