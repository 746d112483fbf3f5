// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ring.h"

namespace rnicsim::nts {
namespace {

/// Where the words of a payload lie: behind the first slot's header, then in whole slots, then behind the last header.
std::vector<Op> payload_of(const RingShape& shape, const RingRules& rules, std::uint32_t first, std::uint32_t words,
                           std::uint32_t slots) {
    std::vector<Op> ops;
    std::uint32_t word = 0;
    for (std::uint32_t i = 0; i < slots; ++i) {
        const bool has_header = i == 0 || i + 1 == slots;
        for (std::uint32_t at = has_header ? kWord : 0; at < shape.slot && word < words; at += kWord)
            ops.push_back({Op::What::payload, shape.slot_at(rules, first + i) + at, word++, Kind::none});
    }
    return ops;
}

}  // namespace

std::vector<Op> ops_of(const RingShape& shape, const RingRules& rules, std::uint32_t first, std::uint32_t words) {
    using What = Op::What;
    const std::uint32_t slots = shape.slots_of(words);
    const bool several = slots > 1;
    const Op head{What::header, shape.slot_at(rules, first), 0, several ? Kind::multi : Kind::single};
    const Op end{What::header, shape.slot_at(rules, first + slots - 1), 0, Kind::end};
    const Op fence{What::fence};
    const std::vector<Op> payload = payload_of(shape, rules, first, words, slots);
    std::vector<Op> ops;
    const auto last_header = [&] {
        if (rules.fence_before_header) ops.push_back(fence);
        ops.push_back(several ? end : head);
    };
    if (several) ops.push_back(head);
    if (!rules.header_last || (several && !rules.end_last)) {  // with a fence between them
        ops.push_back(several ? end : head);
        if (rules.fence_before_header) ops.push_back(fence);
        ops.insert(ops.end(), payload.begin(), payload.end());
    } else {
        ops.insert(ops.end(), payload.begin(), payload.end());
        if (shape.has_index()) {
            ops.push_back(several ? end : head);  // no header says that the slot is full
        } else {
            last_header();
        }
    }
    if (shape.has_index()) {
        if (rules.fence_before_index) ops.push_back(fence);
        ops.push_back({What::index});
    }
    if (shape.notify == Notify::doorbell) ops.push_back({What::doorbell});
    return ops;
}

}  // namespace rnicsim::nts
