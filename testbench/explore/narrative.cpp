// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/narrative.h"

#include "testbench/explore/hands.h"

#include <stdexcept>

namespace rnicsim::explore {
namespace {

std::string in_words(const World& world, const Action& action) {
    const Setting& setting = world.setting();
    const End& end = world.end(action.end);
    const std::string& here = setting.names[action.end];
    const auto head = [&] {
        const Flight& flight = wire_of(world.wires(), action.end, action.which).flights.front();
        return setting.names.direction(action.end, action.which) + ' ' + frame_name(setting, flight);
    };
    const auto asked = [&] { return setting.name_of(end.asked.front().transfer); };
    const auto timer = [&](const char* which) {
        const std::uint32_t transfer = setting.find(action.end, end.logic.table()[action.which].key());
        return here + ": the " + which + " timer of " + setting.name_of(transfer) + " expires" +
               (world.cost(action) != 0 ? " early" : "");
    };
    switch (action.step) {
        case Step::start: return here + ": the host asks for its next transfer";
        case Step::fetch: return here + ": a data frame is fetched";
        case Step::transmit: return here + ": DATA " + std::to_string(end.staged.front().header.sn) + " leaves";
        case Step::deliver: return head() + " arrives";
        case Step::drained: return here + ": the bulk DMA of data from " + setting.names[action.which] + " has left";
        case Step::registered: return here + ": the host does what it is asked for " + asked();
        case Step::not_registered: return here + ": the host cannot register for " + asked();
        case Step::retry_succeeds:
        case Step::retry_fails: return here + ": the host tries again for " + setting.name_of(action.which);
        case Step::verdict:
            return here + ": the verdict on " + setting.name_of(end.verdicts.front().about.transfer) + " arrives";
        case Step::request_timer: return timer("request");
        case Step::data_timer: return timer("data");
        case Step::release_timer: return timer("release");
        case Step::idle_timer: return timer("idle");
        case Step::lose: return head() + " is lost";
        case Step::duplicate: return head() + " is duplicated";
        case Step::duplicate_late: return head() + " is duplicated, the copy is late";
        case Step::overtaken: return head() + " is overtaken by the next frame";
        case Step::overtaken_by_all: return head() + " is overtaken by all frames in flight";
    }
    throw std::logic_error("unknown step");
}

}  // namespace

Lines in_words(const Setting& setting, const std::vector<Action>& trace) {
    Lines lines;
    World world(setting);
    for (const Action& action : trace) {
        lines.push_back(in_words(world, action));
        Lines notes;
        const std::string breach = world.apply(action, &notes);
        for (const std::string& note : notes) lines.push_back("    " + note);
        if (!breach.empty()) lines.push_back("  ! " + breach);
    }
    return lines;
}

}  // namespace rnicsim::explore
