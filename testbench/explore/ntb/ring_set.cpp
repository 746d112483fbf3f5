// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/ntb/ring_set.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

namespace rnicsim::explore {
namespace {

constexpr std::uint32_t kLine = 32;  // bytes: four chunks show what eight do

/// The smallest that wraps. By a shadow, two of five slots may be used before the receiver is asked to push.
RingSetting setting_of(const RingBounds& bounds, const nts::RingRules& rules = {},
                       std::vector<std::uint32_t> words = {}) {
    nts::RingShape shape;
    shape.line = kLine;
    shape.index = bounds.index;
    shape.align = bounds.align;
    shape.notify = bounds.notify;
    shape.slot = bounds.several_slots ? kLine : 2 * kLine;
    shape.slots = bounds.several_slots && !shape.has_index() ? 5 : 3;
    if (words.empty()) {
        if (!bounds.several_slots) {
            words = {1, 4, 2, 1};
        } else if (shape.has_index()) {
            words = {4, 4};
        } else {
            words = {4, 4, 4};
        }
    }
    return {nts::RingPlan(shape, rules, words), {bounds.buffers, kLine, bounds.partial}, bounds.holds, false};
}

std::string name_of(const RingBounds& of) {
    return fmt::format("{} {} {} {} {}{}", nts::kIndexNames.at(static_cast<std::size_t>(of.index)),
                       nts::kAlignNames.at(static_cast<std::size_t>(of.align)),
                       nts::kNotifyNames.at(static_cast<std::size_t>(of.notify)),
                       kPartialLineNames.at(static_cast<std::size_t>(of.partial)),
                       of.several_slots ? "several slots" : "one slot", of.holds ? ", held" : "");
}

}  // namespace

NamedRing ring_of(const RingBounds& bounds) { return {name_of(bounds), setting_of(bounds)}; }

std::vector<NamedRing> standard_rings() {
    std::vector<NamedRing> all;
    for (const nts::Index index :
         {nts::Index::shadow, nts::Index::ll, nts::Index::lr, nts::Index::rl, nts::Index::rr}) {
        for (const nts::Align align : {nts::Align::line, nts::Align::packed}) {
            for (const PartialLine partial : {PartialLine::chunks, PartialLine::one_tlp}) {
                for (const bool several : {false, true}) {
                    for (const bool holds : {false, true})
                        all.push_back(ring_of({index, align, nts::Notify::poll, partial, several, holds}));
                }
            }
        }
    }
    for (const bool holds : {false, true}) {
        RingBounds rung;
        rung.notify = nts::Notify::doorbell;
        rung.holds = holds;
        all.push_back(ring_of(rung));
    }
    return all;
}

std::vector<WrongRing> wrong_rings() {
    std::vector<WrongRing> all;
    const auto add = [&](std::string_view name, std::string_view what, const RingBounds& bounds,
                         const std::function<void(nts::RingRules&)>& leave_out, std::vector<std::uint32_t> words = {}) {
        nts::RingRules rules;
        leave_out(rules);
        all.push_back({name, what, {name_of(bounds), setting_of(bounds, rules, std::move(words))}});
    };
    RingBounds shadow, held, several, indexed, rung;
    held.holds = true;
    several.several_slots = true;
    indexed.index = nts::Index::rl;
    rung.notify = nts::Notify::doorbell;
    add("H1", "the header before the payload, with a fence between them", shadow,
        [](nts::RingRules& r) { r.header_last = false; });
    add("H2", "no fence between payload and header", shadow, [](nts::RingRules& r) { r.fence_before_header = false; });
    add("H3", "nothing drains the last header", held, [](nts::RingRules& r) { r.drain_behind = false; });
    add("H4", "lengths are not zeroed", shadow, [](nts::RingRules& r) { r.zeroes = false; });
    add("H5", "the index is pushed before the length is zeroed, and all slots are used", shadow,
        [](nts::RingRules& r) {
            r.zeroes_first = false;
            r.spare = 0;
        },
        {1, 1, 1, 1, 1});
    add("H6", "one slot more than there are", shadow, [](nts::RingRules& r) { r.spare = -1; });
    add("H7", "the reader's index is not pushed", shadow, [](nts::RingRules& r) { r.pushes = false; });
    add("H8", "the receiver clears its ring when the sender has begun", shadow,
        [](nts::RingRules& r) { r.clears_before_up = false; });
    add("H9", "no fence between a slot and the writer's index", indexed,
        [](nts::RingRules& r) { r.fence_before_index = false; });
    RingBounds loads;
    loads.index = nts::Index::rr;
    add("H9b", "completions pass writes (relaxed ordering)", loads, [](nts::RingRules&) {});
    all.back().ring.setting.relaxed = true;
    add("H10", "of a message of several slots the last header is not last", several,
        [](nts::RingRules& r) { r.end_last = false; });
    add("H10b", "... of which only the first length is zeroed", several,
        [](nts::RingRules& r) { r.zeroes_all = false; }, {1, 4, 4, 1, 1, 1});
    add("H11", "a header over two lines", shadow, [](nts::RingRules& r) { r.header_in_a_line = false; });
    add("H12", "the doorbell is cleared behind the look", rung,
        [](nts::RingRules& r) { r.clears_doorbell_first = false; });
    return all;
}

}  // namespace rnicsim::explore
