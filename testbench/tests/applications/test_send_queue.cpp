// SPDX-License-Identifier: Apache-2.0
// Who has more to send than its queue has room for waits, and goes on in order.
#include "testbench/applications/send_queue.h"

#include <catch2/catch_test_macros.hpp>

#include <vector>

using rnicsim::applications::SendQueue;
using rnicsim::applications::WorkRequest;

namespace {

WorkRequest request_of(std::uint32_t tag, bool signaled) {
    WorkRequest what;
    what.tag = tag;
    what.signaled = signaled;
    return what;
}
std::vector<std::uint32_t> gone(SendQueue& queue) {
    std::vector<std::uint32_t> tags;
    while (const auto next = queue.next()) tags.push_back(next->tag);
    return tags;
}

}  // namespace

TEST_CASE("requests beyond the room of a queue go in order, each as soon as there is room", "[applications]") {
    SendQueue queue(3);
    for (std::uint32_t tag = 10; tag < 15; ++tag) queue.ask(request_of(tag, true));
    CHECK(gone(queue) == std::vector<std::uint32_t>{10, 11, 12});
    CHECK(queue.waits());
    CHECK(queue.completed(0) == 10);
    CHECK(gone(queue) == std::vector<std::uint32_t>{13});
    CHECK(queue.completed(3) == 13);  // speaks for 11 and 12, too
    CHECK(gone(queue) == std::vector<std::uint32_t>{14});
    CHECK_FALSE(queue.waits());
    CHECK(queue.outstanding() == 1);
}
TEST_CASE("a queue is stuck if it is full, more wait, and nothing in it is signaled", "[applications]") {
    SendQueue queue(2);
    queue.ask(request_of(0, false));
    queue.ask(request_of(1, false));
    CHECK(gone(queue).size() == 2);
    CHECK_FALSE(queue.is_stuck());  // nobody waits
    queue.ask(request_of(2, true));
    CHECK(gone(queue).empty());
    CHECK(queue.is_stuck());

    SendQueue other(2);
    other.ask(request_of(0, true));
    other.ask(request_of(1, false));
    other.ask(request_of(2, true));
    CHECK(gone(other).size() == 2);
    CHECK_FALSE(other.is_stuck());  // a completion of the first will come
    CHECK(other.completed(0) == 0);
    CHECK(gone(other) == std::vector<std::uint32_t>{2});
    CHECK(other.completed(2) == 2);
    CHECK(other.outstanding() == 0);
}
