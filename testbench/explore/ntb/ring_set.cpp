// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/ntb/ring_set.h"

#include <fmt/format.h>

#include <algorithm>
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
    shape.stream = bounds.stream;
    const bool fails = bounds.downs + bounds.resets != 0;  // that takes many states: slots of a line, short messages
    shape.slot = bounds.several_slots || fails ? kLine : 2 * kLine;
    shape.slots = bounds.several_slots && !shape.has_index() ? 5 : 3;
    if (words.empty()) {
        if (fails && !bounds.several_slots) {
            words = shape.has_index() ? std::vector<std::uint32_t>{1, 1, 1, 1} : std::vector<std::uint32_t>{1, 2, 1, 2};
        } else if (!bounds.several_slots) {
            words = {1, 4, 2, 1};
        } else if (shape.has_index()) {
            words = {4, 4};
        } else {
            words = {4, 4, 4};
        }
    }
    return {RingPlan(shape, rules, words),
            {bounds.buffers, kLine, bounds.partial},
            bounds.held,
            false,
            bounds.downs,
            bounds.resets};
}

std::string name_of(const RingBounds& of) {
    const auto faults = [](std::uint8_t n, const char* what) {
        return n == 0 ? std::string() : fmt::format(", {} {}{}", n, what, n == 1 ? "" : "s");
    };
    return fmt::format("{} {} {} {} {}{}{}{}{}", nts::kIndexNames.at(static_cast<std::size_t>(of.index)),
                       nts::kAlignNames.at(static_cast<std::size_t>(of.align)),
                       nts::kNotifyNames.at(static_cast<std::size_t>(of.notify)),
                       kPartialLineNames.at(static_cast<std::size_t>(of.partial)),
                       of.several_slots ? "several slots" : "one slot", of.held ? ", held" : "",
                       of.stream ? ", stream" : "", faults(of.downs, "link down"), faults(of.resets, "reset"));
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
                    for (const bool held : {false, true})
                        all.push_back(ring_of({index, align, nts::Notify::poll, partial, several, held}));
                }
            }
        }
    }
    for (const bool held : {false, true}) all.push_back(ring_of({.notify = nts::Notify::doorbell, .held = held}));
    return all;
}

std::vector<NamedRing> faulty_rings(std::uint8_t downs, std::uint8_t resets) {
    std::vector<NamedRing> all;
    for (const nts::Index index :
         {nts::Index::shadow, nts::Index::ll, nts::Index::lr, nts::Index::rl, nts::Index::rr}) {
        for (const PartialLine partial : {PartialLine::chunks, PartialLine::one_tlp})
            all.push_back(ring_of({.index = index, .partial = partial, .downs = downs, .resets = resets}));
    }
    all.push_back(ring_of({.notify = nts::Notify::doorbell, .downs = downs, .resets = resets}));
    if (downs != 0)
        all.push_back(ring_of({.partial = PartialLine::one_tlp, .downs = downs, .resets = resets, .stream = true}));
    return all;
}

const std::vector<WrongRing>& wrong_rings() {
    using nts::RingRules;
    const RingBounds shadow, held{.held = true}, several{.several_slots = true}, rl{.index = nts::Index::rl},
        rr{.index = nts::Index::rr}, rung{.notify = nts::Notify::doorbell}, down{.downs = 1}, reset{.resets = 1},
        lr_down{.index = nts::Index::lr, .downs = 1}, rr_reset{.index = nts::Index::rr, .resets = 1},
        twice{.downs = 2, .resets = 1}, stream{.downs = 1, .stream = true}, streams{.downs = 2, .stream = true};
    using nts::Index;
    const RingNeeds no_index{.index = {Index::shadow}}, an_index{.index = {Index::ll, Index::lr, Index::rl, Index::rr}},
        far_writer{.index = {Index::lr, Index::rr}}, fault{.faults = 1}, a_down{.downs = 1};
    static const std::vector<WrongRing> kAll{
        {"H1", "the header is before the payload, with a fence between them", shadow, {.header_last = false}, no_index},
        {"H2", "no fence between payload and header", shadow, {.fence_before_header = false}, no_index},
        {"H3", "nothing drains the last header", held, {.drain_behind = false}, {.notify = nts::Notify::poll}},
        {"H4", "lengths are not zeroed", shadow, {.zeroes = false}, no_index},
        {"H5",
         "the index is pushed before the length is zeroed, and all slots are used",
         shadow,
         {.zeroes_first = false, .spare = 0},
         no_index,
         {1, 1, 1, 1, 1}},
        {"H6", "one slot more is used than there are", shadow, {.spare = -1}, {}},
        {"H7", "the reader's index is not pushed", shadow, {.pushes = false}, {}},
        {"H8", "the receiver clears its ring when the sender has begun", shadow, {.clears_before_up = false}, {}},
        {"H9", "no fence between a slot and the writer's index", rl, {.fence_before_index = false}, an_index},
        {"H9r", "completions pass writes (relaxed ordering)", rr, {}, far_writer, {}, true},
        {"H10", "of a message of two slots the second header is not last", several, {.end_last = false}, no_index},
        {"H10z",
         "... of which only the first length is zeroed",
         several,
         {.zeroes_all = false},
         no_index,
         {1, 4, 4, 1, 1, 1}},
        {"H11", "a header lies in two lines", shadow, {.header_in_a_line = false}, no_index},
        {"H12",
         "the doorbell is cleared behind the look",
         rung,
         {.clears_doorbell_first = false},
         {.notify = nts::Notify::doorbell}},
        {"H8r",
         "upon a reset the ring is cleared when the sender has begun",
         reset,
         {.clears_again_first = false},
         fault},
        {"H13", "what comes behind a link that was down is taken", down, {.looks_at_link = false}, a_down},
        {"H14", "a ring is cleared while its sender goes on", reset, {.asks_first = false}, fault},
        {"H15", "the sender does not go back to what Up says", down, {.goes_back = false}, fault},
        {"H16",
         "all ones are taken for an index",
         lr_down,
         {.knows_ones = false},
         {.index = {Index::ll, Index::lr, Index::rr}, .downs = 1}},
        {"H17",
         "the sender's index stays while it is stopped",
         rr_reset,
         {.takes_back_index = false},
         {.index = {Index::lr, Index::rr}, .faults = 1}},
        {"H18", "answers have no number", twice, {.numbers_answers = false}, {.faults = 2}},
        {"H19", "Up is said before all has come by the stream", stream, {.waits_for_stream = false}, a_down},
        {"H20",
         "which of Up and the wish for the stream is the later one is not known",
         stream,
         {.knows_stale = false},
         a_down},
        {"H21", "what has gone by the stream is sent again", streams, {.keeps_to_stream = false}, a_down},
    };
    return kAll;
}

std::string hidden_by(const WrongRing& wrong, const RingBounds& bounds) {
    const RingNeeds& needs = wrong.needs;
    if (!needs.index.empty() && std::ranges::find(needs.index, bounds.index) == needs.index.end()) {
        std::string one_of;
        for (const nts::Index index : needs.index)
            one_of += fmt::format("{}{}", one_of.empty() ? "--index " : " or ",
                                  nts::kIndexNames.at(static_cast<std::size_t>(index)));
        return one_of;
    }
    if (needs.notify && *needs.notify != bounds.notify)
        return fmt::format("--notify {}", nts::kNotifyNames.at(static_cast<std::size_t>(*needs.notify)));
    if (bounds.downs < needs.downs) return fmt::format("--downs {}", needs.downs);
    if (bounds.downs + bounds.resets < needs.faults) return fmt::format("--downs or --resets, {} in all", needs.faults);
    return {};
}

NamedRing ring_of(const WrongRing& wrong, const RingBounds& bounds) {
    const bool own = bounds.several_slots == wrong.bounds.several_slots;
    NamedRing ring{name_of(bounds), setting_of(bounds, wrong.rules, own ? wrong.words : std::vector<std::uint32_t>())};
    ring.setting.relaxed = wrong.relaxed;
    return ring;
}

}  // namespace rnicsim::explore
