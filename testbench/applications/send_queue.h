// SPDX-License-Identifier: Apache-2.0
// The send WQEs of an end: a QP has room for so many, and a request that finds none waits in the program, as in real
// libraries, until a completion makes room. Completions come for signaled ones, and speak for all before them.
#pragma once

#include "testbench/applications/end.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace rnicsim::applications {

/// A value. WQEs have numbers from 0 on, in their order.
class SendQueue {
  public:
    /// At least one.
    explicit SendQueue(std::uint32_t room) : tags_(room) {}

    void ask(const WorkRequest& what) { waiting_.push_back(what); }
    /// What goes to the card now, taken as posted; nothing: nobody waits, or there is no room.
    [[nodiscard]] std::optional<WorkRequest> next();
    /// WQE `number` is complete, and so are all before it. Returns its tag.
    std::uint32_t completed(std::uint32_t number);
    /// Requests wait, and nothing that is outstanding is signaled: they wait for ever.
    [[nodiscard]] bool is_stuck() const { return !waiting_.empty() && has_none() && unsignaled_ == outstanding(); }
    [[nodiscard]] bool waits() const { return !waiting_.empty(); }
    [[nodiscard]] std::uint32_t outstanding() const { return posted_ - completed_; }
    [[nodiscard]] std::uint32_t posted() const { return posted_; }
    [[nodiscard]] const std::deque<WorkRequest>& waiting() const { return waiting_; }

  private:
    [[nodiscard]] bool has_none() const { return outstanding() == tags_.size(); }

    std::vector<std::uint32_t> tags_;  // by number, modulo room
    std::deque<WorkRequest> waiting_;
    std::uint32_t posted_ = 0, completed_ = 0;
    std::uint32_t unsignaled_ = 0;  // posted since the last signaled one, or the last that is complete
};

}  // namespace rnicsim::applications
