// SPDX-License-Identifier: Apache-2.0
// Who receives: it gives the sender a slot for each message that it has a buffer for, and a receive WQE before that.
#pragma once

#include "testbench/applications/fifo/lane.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace rnicsim::applications::fifo {

/// What becomes of messages is its user's.
class Receiver : public End {
  public:
    explicit Receiver(const Lane& lane) : lane_(lane) {}

    void state(std::vector<std::uint64_t>& words) const override {
        words.insert(words.end(), {heard_, fifo_.address, fifo_.key, given_, got_, rounds_, broken_ ? 1U : 0U});
        words.insert(words.end(), come_.begin(), come_.end());
    }
    void start(Actions& /*actions*/) override {}
    void on(const Event& event, Actions& actions) override;

  protected:
    [[nodiscard]] const Lane& lane() const { return lane_; }
    /// Its user can take this message now; when it can is said by an end that wakes it.
    [[nodiscard]] virtual bool has_use(std::uint64_t /*message*/, Actions& /*actions*/) const { return true; }
    /// The user has it; its buffer is free behind that.
    virtual void got(std::uint64_t message, std::uint32_t bytes, Actions& actions) = 0;
    /// By an end with which it shares memory.
    virtual void woken(Actions& actions) { take(actions); }
    /// Nothing more comes.
    virtual void broke(Actions& /*actions*/) {}
    /// What has come, and has a use.
    void take(Actions& actions);
    /// Its connection is of no use any more.
    void breaks(Actions& actions, bool closes);

  private:
    void give(Actions& actions);

    const Lane lane_;
    std::uint32_t heard_ = 0;  // bytes of the stream
    Remote fifo_;
    std::uint64_t given_ = 0, got_ = 0;  // messages
    std::uint64_t rounds_ = 0;           // WRITEs to the first slot that are complete
    std::deque<std::uint32_t> come_;     // bytes of messages that are not over
    bool broken_ = false;
};

}  // namespace rnicsim::applications::fifo
