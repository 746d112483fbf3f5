// SPDX-License-Identifier: Apache-2.0
// Work requests in one message of the protocol. On the stack: posting allocates nothing. Lists that do not fit go in
// several.
#pragma once

#include "testbench/programs/library/ask.h"
#include "testbench/programs/library/objects.h"

#include <array>
#include <cassert>
#include <cstring>

namespace rnicsim::programs {

class PostBatch {
  public:
    /// The cost of the call falls to the message that is sent first. `queue_clock`: of the queue, whose lock is held.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    PostBatch(Op op, std::uint32_t queue, std::int64_t cost, std::int64_t& queue_clock)
        : op_(op), cost_(cost), queue_clock_(queue_clock), posts_{.queue = queue} {}

    [[nodiscard]] bool has_room(std::size_t bytes) const { return used_ + bytes <= bytes_.size(); }
    [[nodiscard]] bool empty() const { return posts_.count == 0; }

    /// A work request begins, which has this index in its queue.
    void begin(std::uint32_t index) {
        if (posts_.count++ == 0) posts_.first = index;
    }
    void add(const void* from, std::size_t bytes) {
        assert(has_room(bytes));
        if (bytes != 0) std::memcpy(bytes_.data() + used_, from, bytes);
        used_ += bytes;
    }
    void add_sges(const ibv_sge* sges, int count) {
        static_assert(sizeof(Sge) == sizeof(ibv_sge) && offsetof(Sge, lkey) == offsetof(ibv_sge, lkey));
        add(sges, static_cast<std::size_t>(count) * sizeof(Sge));
    }
    void pad() {
        while (used_ % 8 != 0) bytes_[used_++] = 0;
    }

    /// Sends what there is. 0 or an errno.
    int send() {
        if (posts_.count == 0) return 0;
        const iovec parts[] = {detail::part_of(posts_), {bytes_.data(), used_}};
        // Not before what another thread has posted, whose clock may be ahead: it had the lock first.
        rnicsim_reach(queue_clock_);
        const int error = rnicsim_tell(op_, parts, 2, cost_);
        queue_clock_ = rnicsim_clock();
        cost_ = 0;
        used_ = posts_.count = 0;
        return error;
    }

  private:
    Op op_;
    std::int64_t cost_;
    std::int64_t& queue_clock_;
    Posts posts_;
    std::size_t used_ = 0;
    std::array<char, 8192> bytes_;  // not initialised: a post is often
};

}  // namespace rnicsim::programs
