// SPDX-License-Identifier: Apache-2.0
// A ring's sender that goes over to the stream: nothing of it stays in its core's buffers, whatever comes next.
#include "testbench/applications/nts/ring_sender.h"

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <vector>

namespace rnicsim::nts {
namespace {

using What = Instruction::What;

TEST_CASE("a sender that is told to use the stream drains what it has stored before", "[bridge]") {
    for (const Index index : {Index::shadow, Index::ll, Index::lr, Index::rl, Index::rr}) {
        RingShape shape;
        shape.slots = 8;
        shape.index = index;
        shape.stream = true;
        const RingProgram program(shape);
        const Message message{0, 8, 1};
        // Told before each instruction of the first two messages.
        for (std::size_t told = 1; told < 12; ++told) {
            CAPTURE(index, told);
            RingSender sender(program);
            bool dirty = false;
            const auto step = [&](const RingSender::Sees& sees) {
                const Instruction what = sender.next(sees, &message);
                if (what.what == What::copy || what.what == What::store) dirty = true;
                if (what.what == What::fence) dirty = false;
                sender.done(what, 0, &message);
                return what.what;
            };
            for (std::size_t i = 0; i < told; ++i) step({});
            REQUIRE(step({.told = word_of(Said::up, 0, 0)}) == What::heed);
            for (What what = step({}); what != What::send; what = step({})) REQUIRE(what == What::fence);
            CHECK_FALSE(dirty);
        }
    }
}

}  // namespace
}  // namespace rnicsim::nts
