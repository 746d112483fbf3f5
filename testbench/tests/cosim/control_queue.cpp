// SPDX-License-Identifier: Apache-2.0
// The queue of control frames in Verilog, alone: full, and far behind the posted requests.
#include "Vcontrol_queue.h"
#include "model/rtl/clocked.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

class Queue {
  public:
    void push(unsigned number, unsigned after) {
        queue_->push_i = 1;
        queue_->push_header_i[0] = number;
        queue_->push_after_i = after % 4096;
        cycle();
        queue_->push_i = 0;
    }
    void posted(unsigned frames) { queue_->posted_i = frames % 4096; }
    bool valid() {
        queue_.settle();
        return queue_->valid_o != 0;
    }
    bool hold() {
        queue_.settle();
        return queue_->hold_o != 0;
    }
    /// The number of the first one, once it may leave.
    unsigned pop() {
        for (int i = 0; i < 3 && !valid(); ++i) cycle();
        CHECK(valid());
        const unsigned number = queue_->header_o[0];
        queue_->pop_i = 1;
        cycle();
        queue_->pop_i = 0;
        return number;
    }
    void cycle() { queue_.tick(); }

  private:
    Clocked<Vcontrol_queue> queue_{"control_queue"};
};

TEST_CASE("control_queue: what waits behind many frames leaves however many have been posted meanwhile", "[cosim]") {
    for (unsigned posted = 0; posted < 2048; ++posted) {
        CAPTURE(posted);
        Queue queue;
        queue.posted(7);
        queue.push(posted, 8);
        CHECK_FALSE(queue.valid());
        queue.posted(8 + posted);
        CHECK(queue.pop() == posted);
    }
}

TEST_CASE("control_queue: decisions are held while it might overflow, and all that was pushed leaves in order",
          "[cosim]") {
    Queue queue;
    unsigned pushed = 0, popped = 0;
    for (int round = 0; round < 3; ++round) {
        // A decision pushes two at most; one has begun when hold_o rises, and one has still to push its second.
        while (!queue.hold()) queue.push(pushed++, 0);
        CHECK(pushed - popped >= 1021);
        for (int i = 0; i < 3; ++i) queue.push(pushed++, 0);
        while (popped < pushed - (round == 2 ? 0 : 500)) CHECK(queue.pop() == popped++);
    }
    CHECK_FALSE(queue.valid());
}

}  // namespace
}  // namespace rnicsim
