// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ring_program.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>

namespace rnicsim::nts {
namespace {

std::vector<RingProgram::Step> order_of(const RingShape& shape, const RingRules& rules, bool several) {
    using Step = RingProgram::Step;
    std::vector<Step> order;
    if (several) order.push_back(Step::first);
    if (!rules.header_last || (several && !rules.end_last)) {  // with a fence between them
        order.push_back(Step::last);
        if (rules.fence_before_header) order.push_back(Step::fence);
        order.push_back(Step::payload);
    } else {
        order.push_back(Step::payload);
        // Where there is an index no header says that the slot is full.
        if (rules.fence_before_header && !shape.has_index()) order.push_back(Step::fence);
        order.push_back(Step::last);
    }
    if (shape.has_index()) {
        if (rules.fence_before_index) order.push_back(Step::fence);
        order.push_back(Step::index);
    }
    if (shape.notify == Notify::doorbell) order.push_back(Step::doorbell);
    return order;
}

}  // namespace

RingProgram::RingProgram(const RingShape& of, const RingRules& by)
    : shape(of), rules(by), orders_{order_of(of, by, false), order_of(of, by, true)} {}

/// The first slot has a header, and the last one of several; those between them are all payload.
std::uint32_t RingProgram::pieces(std::uint32_t payload) const {
    const std::uint32_t in_first = shape.slot - kWord;
    return payload <= in_first ? 1 : 1 + (payload - in_first + shape.slot - 1) / shape.slot;
}

Instruction RingProgram::piece(const Message& message, std::uint64_t slot, std::uint32_t number) const {
    const std::uint32_t slots = shape.slots_of(message.bytes);
    const std::uint32_t begin = number == 0 ? 0 : number * shape.slot - kWord;
    const std::uint32_t head = number == 0 || number + 1 == slots ? kWord : 0;
    Instruction copy{Instruction::What::copy, shape.slot_at(rules, slot + number) + head};
    copy.from = message.from + begin;
    copy.bytes = std::min(shape.slot - head, message.bytes - begin);
    return copy;
}

std::uint64_t word_at(Memory memory, std::uint32_t at) { return boost::endian::load_little_u64(&memory[at]); }

}  // namespace rnicsim::nts
