// SPDX-License-Identifier: Apache-2.0
// Who receives: it gives the sender a slot for each message that it has a buffer for, and a receive WQE before that.
#pragma once

#include "testbench/applications/fifo/settings.h"
#include "testbench/applications/fifo/slot.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace rnicsim::applications::fifo {

class Receiver final : public End {
  public:
    explicit Receiver(const TrafficConfig& item)
        : settings_(fifo_of(item)), size_(item.size), depth_(item.verbs.depth), all_(item.transfers) {}

    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Receiver>(*this); }
    void state(std::vector<std::uint64_t>& words) const override {
        words.insert(words.end(), {heard_, fifo_.address, fifo_.key, given_, got_, rounds_, broken_ ? 1U : 0U});
        words.insert(words.end(), come_.begin(), come_.end());
    }
    void start(Actions& /*actions*/) override {}
    void on(const Event& event, Actions& actions) override;

  private:
    void take(Actions& actions);
    void give(Actions& actions);
    [[nodiscard]] Place place_of(std::uint64_t message) const {
        return {kBuffers, static_cast<std::uint32_t>(message % depth_) * size_};
    }

    const FifoSettings& settings_;
    const std::uint32_t size_, depth_;
    const std::uint64_t all_;
    std::uint32_t heard_ = 0;  // bytes of the stream
    Remote fifo_;
    std::uint64_t given_ = 0, got_ = 0;  // messages
    std::uint64_t rounds_ = 0;           // WRITEs to the first slot that are complete
    std::deque<std::uint32_t> come_;     // bytes of messages that are not over
    bool broken_ = false;
};

}  // namespace rnicsim::applications::fifo
