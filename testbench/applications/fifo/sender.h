// SPDX-License-Identifier: Apache-2.0
// Who sends: it waits for the next slot of its FIFO, and writes its message where that says.
#pragma once

#include "testbench/applications/fifo/settings.h"
#include "testbench/applications/fifo/slot.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace rnicsim::applications::fifo {

/// Where the time of a message goes: until its slot is there, until it is complete.
enum class Part : std::uint8_t { slot, write };

class Sender final : public End {
  public:
    explicit Sender(const TrafficConfig& item)
        : settings_(fifo_of(item)), size_(item.size), depth_(item.verbs.depth), all_(item.transfers) {}

    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Sender>(*this); }
    void state(std::vector<std::uint64_t>& words) const override;
    void start(Actions& /*actions*/) override {}
    void on(const Event& event, Actions& actions) override;

  private:
    struct Message {
        std::uint32_t operation = 0, bytes = 0;
    };
    void asked(const Event& event, Actions& actions);
    void open(Actions& actions);
    void watch(std::uint32_t slot, Actions& actions) const;
    void send_more(Actions& actions);
    void send(const Message& of, const Slot& to, Actions& actions) const;
    [[nodiscard]] Place place_of(std::uint32_t operation) const { return {kBuffers, operation % depth_ * size_}; }

    const FifoSettings& settings_;
    const std::uint32_t size_, depth_;
    const std::uint64_t all_;
    bool open_ = false, broken_ = false;
    std::uint64_t come_ = 0;            // slots that have
    std::uint64_t head_ = 0;            // ... that are used
    std::deque<Message> waiting_;       // for their slots
    std::deque<std::uint32_t> posted_;  // operations
};

}  // namespace rnicsim::applications::fifo
