// SPDX-License-Identifier: Apache-2.0
// The way of frames from one host to another, over links and switches that nobody else uses.
#pragma once

#include "model/config.h"

#include <cstdint>
#include <vector>

namespace rnicsim {

class Path {
  public:
    Path(const RunConfig& run, unsigned from, unsigned to);

    /// The forms below are valid either way, over links whose faults are independent of time and of one another, with
    /// switches that store and forward, pause nobody, and have room for `outstanding` frames of `length` bytes (DA to
    /// FCS) and as many acknowledgements.
    [[nodiscard]] bool applies(std::int64_t outstanding, std::int64_t length) const;

    /// The chance that a frame does not arrive in one piece.
    [[nodiscard]] double loss() const;
    /// First byte of the preamble at the sender -> first clock edge at the receiver at which the frame is there.
    /// `length`: DA to FCS, bytes.
    [[nodiscard]] std::int64_t crossing(std::int64_t length) const { return train(1, length, length, Cycle{}); }
    /// The same from the first of `frames` to the last, which has another length; `gap`: between them at the sender.
    [[nodiscard]] std::int64_t train(std::int64_t frames, std::int64_t length, std::int64_t last, Cycle gap) const;

  private:
    bool there_and_back_ = false;         // answers come over the same links
    std::vector<LinkConfig> links_;       // in the order of the way
    std::vector<SwitchConfig> switches_;  // behind each link but the last
    std::vector<std::int64_t> reserved_;  // by switch: bytes that only one queue or another may have
};

}  // namespace rnicsim
