// SPDX-License-Identifier: Apache-2.0
// Messages into a host's persistent memory: whose they are, and which of them a device's write belongs to.
#pragma once

#include "model/host_names.h"
#include "testbench/records/line_write.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace rnicsim::programs {

/// Of a message, from when it is posted.
struct MessageInfo {
    std::uint64_t connection = 0;
    std::uint64_t begin = 0, bytes = 0;  ///< on the bus
    unsigned from = 0;                   ///< host
    std::uint32_t qp = 0;                ///< as `a.q0` names it
    std::uint32_t index = 0;             ///< of its send queue
};

/// Work request 3 of a.q0, 64 B at 0x7f0012340000: as its program knows the place.
std::string in_words(const MessageInfo& message, const HostNames& names);

class CutMessages {
  public:
    /// Returns its number, from 1.
    std::uint64_t post(const MessageInfo& message) {
        all_.push_back(message);
        on_the_way_[message.connection].push_back({all_.size(), message.bytes});
        return all_.size();
    }
    [[nodiscard]] const MessageInfo& info(std::uint64_t message) const { return all_.at(message - 1); }
    [[nodiscard]] std::uint64_t count() const { return all_.size(); }

    /// The message whose bytes these are, 0: none's. A QP writes in the order of its messages, so it is the oldest of a
    /// QP that goes there and has not come whole. QPs that write over each other at once may be taken for one another.
    std::uint64_t take(const LineWrite& write);
    /// Nothing of this connection comes any more.
    void forget(std::uint64_t connection) { on_the_way_.erase(connection); }

  private:
    struct Coming {
        std::uint64_t message = 0;
        std::uint64_t left = 0;  // bytes that have not come
    };
    std::vector<MessageInfo> all_;
    std::map<std::uint64_t, std::deque<Coming>> on_the_way_;  // by connection, in the order of posting
};

}  // namespace rnicsim::programs
