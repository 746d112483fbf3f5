// SPDX-License-Identifier: Apache-2.0
// Posts of a queue in the order of their indices. The threads of a program have a socket each: in free mode, where
// posts have no time, one may be read before another that was posted earlier.
#pragma once

#include "testbench/programs/server/body.h"

#include "testbench/programs/protocol/messages.h"

#include <map>
#include <utility>

namespace rnicsim::programs {

class PostOrder {
  public:
    /// Calls `post` for the message, and for those that have waited for it; not yet if one before it is missing. Throws
    /// Refusal: more wait than a queue of so many WQEs has room for.
    template <typename Post>
    void take(std::span<const std::byte> message, std::uint32_t wqes, Post post) {
        const Posts posts = Body(message).take<Posts>();
        if (posts.first != next_) {
            if (early_.size() >= wqes) throw Refusal{EINVAL};
            early_.try_emplace(posts.first, message.begin(), message.end());
            return;
        }
        next_ += posts.count;
        post(message);
        while (!early_.empty()) {
            const auto node = early_.extract(next_);
            if (node.empty()) return;
            next_ += Body(node.mapped()).take<Posts>().count;
            post(std::span<const std::byte>(node.mapped()));
        }
    }
    /// The queue begins anew.
    void clear() {
        next_ = 0;
        early_.clear();
    }

  private:
    std::uint32_t next_ = 0;
    std::map<std::uint32_t, std::vector<std::byte>> early_;  // by the index of their first
};

}  // namespace rnicsim::programs
