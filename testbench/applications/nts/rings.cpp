// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/rings.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/rings.h"
#include "testbench/applications/nts/ring_writer.h"

#include <algorithm>
#include <array>

namespace rnicsim::nts {

using applications::Count;
using applications::EndCounts;
using applications::Holds;
using applications::NtsSettings;
using applications::Plan;
using applications::Refusal;

namespace {

/// Nobody pays for a copy.
bool copies_take_no_time(const RunConfig& config, const TrafficConfig& item) {
    const auto is_free = [&](unsigned host) {
        const CopyCost& of = verbs_of(config, host).host.cpu.copy;
        return of.base == Cycle{} && of.cold == 0 && of.warm == 0;
    };
    return std::ranges::all_of(item.from, [&](unsigned from) {
        const std::vector<unsigned> peers = item.responders(from);
        return is_free(from) && std::ranges::all_of(peers, is_free);
    });
}

/// Of an end: its areas and, twice as large as they have to be, its queues.
std::uint64_t bytes_of(const Plan& plan, unsigned side, const VerbsHostConfig& host) {
    constexpr std::uint64_t kConnection = 64 << 10;
    const Plan::Side& of = plan.sides.at(side);
    std::uint64_t bytes = kConnection;
    for (const Plan::Area& area : of.areas) bytes += area.bytes;
    if (!plan.verbs) return bytes;
    return bytes + std::uint64_t{2} * of.sends * rc::stride_with_inline(host.inline_bytes) +
           std::uint64_t{2} * of.receives * rc::kWqeBlock;
}

/// Bytes of a host's memory that a window has to reach: all that its connections have there, and the card's own.
std::uint64_t room_at(const RunConfig& config, unsigned host, const applications::Application& application) {
    constexpr std::uint64_t kCard = 1 << 20;
    const VerbsHostConfig& has = verbs_of(config, host).host;
    std::uint64_t room = kCard;
    for (const TrafficConfig& item : config.traffic) {
        if (item.application != application.name()) continue;
        const Plan plan = application.plan(item);
        for (const unsigned from : item.from) {
            for (const unsigned to : item.responders(from)) {
                if (from == host) room += bytes_of(plan, 0, has) * item.verbs.connections;
                if (to == host) room += bytes_of(plan, 1, has) * item.verbs.connections;
            }
        }
    }
    return room;
}

}  // namespace

Plan plan_of_rings(const NtsSettings& of, const RingUse& use) {
    Plan plan;
    plan.verbs = false;
    plan.bridge = true;
    plan.stream = of.failover;
    for (Plan::Side& side : plan.sides) {
        side.areas = {{use.bytes, false}, {of.shape().bytes(), false}, {OwnAt::kBytes, false}};
        side.watches = true;
        side.copies = of.mode != Mode::direct;
        if (side.copies) side.copied = {of.slot};
        if (of.mode == Mode::origin) side.copied.insert(side.copied.end(), use.messages.begin(), use.messages.end());
        // Each end of a ring that goes both ways writes one, and reads the other one.
        const bool writes = use.both_ways || &side == &plan.sides[0], reads = use.both_ways || &side == &plan.sides[1];
        side.hears_doorbells = reads && of.notify == Notify::doorbell;
        side.loads = (writes && of.shape().loads_reader()) || (reads && of.shape().loads_writer());
        side.far_area = kRing;
    }
    return plan;
}

void count_messages(const NtsSettings& of, std::span<const std::uint32_t> sizes, EndCounts& writer, EndCounts& reader) {
    const bool stores_index = of.shape().has_index() && !of.shape().loads_writer();
    for (const std::uint32_t size : sizes) {
        for (std::uint32_t sent = 0; sent < size;) {
            const std::uint32_t bytes = std::min(of.payload(), size - sent);
            sent += bytes;
            writer.add(Count::stored_bytes, bytes + kWord + (stores_index ? kWord : 0));
            writer.add(Count::fences, 2);
            reader.add(Count::pushes);
            if (of.mode != Mode::direct) reader.add(Count::copied_bytes, bytes);
        }
        if (of.mode == Mode::origin) {
            writer.add(Count::copied_bytes, size);
            reader.add(Count::copied_bytes, size);
        }
    }
}

Holds when_down(const NtsSettings& of, Count what) {
    switch (what) {
        case Count::stored_bytes:
        case Count::fences:
        case Count::pushes: return of.failover ? Holds::anyhow : Holds::from_below;
        case Count::stream_sends:
        case Count::stream_bytes: return Holds::from_below;
        case Count::copied_bytes: return Holds::from_above;
        default: return Holds::exactly;
    }
}

std::optional<Refusal> refused_shape(const NtsSettings& of) {
    if (of.shape().slots < 8)
        return Refusal{"run.nts.ring", "at least " + std::to_string(8 * of.slot) + " B: eight slots of run.nts.slot"};
    if (of.notify == Notify::doorbell && of.shape().loads_writer())
        return Refusal{"run.nts.notify", "poll: who reads loads the index of who writes, and looks at it all the time"};
    return {};
}

std::optional<Refusal> refused_mode(const RunConfig& config, const TrafficConfig& item, const NtsSettings& of) {
    if (of.mode == Mode::shm || !copies_take_no_time(config, item)) return {};
    return Refusal{"run.nts.mode", "shm: the hosts' copies take no time (host.cpu.profile, host.cpu.copy)"};
}

std::optional<Refusal> refused_bridges(const RunConfig& config, const TrafficConfig& item,
                                       const applications::Application& application, const std::string& key) {
    for (const unsigned from : item.from) {
        for (const unsigned to : item.responders(from)) {
            const auto joins = [&](const ntb::Config& bridge) {
                return bridge.between == std::array{from, to} || bridge.between == std::array{to, from};
            };
            const auto bridges = std::ranges::count_if(config.bridges, joins);
            if (bridges != 1)
                return Refusal{key, "one bridge between '" + config.names[from] + "' and '" + config.names[to] +
                                        "' in system.bridges for nts, found " + std::to_string(bridges)};
            const std::uint64_t window = std::ranges::find_if(config.bridges, joins)->window;
            const std::uint64_t room = std::max(room_at(config, from, application), room_at(config, to, application));
            if (room <= window) continue;
            return Refusal{"run.nts.ring", "smaller or fewer rings and messages: all of a host have " +
                                               std::to_string((room + 1023) >> 10U) +
                                               " KiB, and a window of a bridge " + std::to_string(window >> 10U) +
                                               " KiB"};
        }
    }
    return {};
}

const char* unread_of_ring(const NtsSettings& of, std::string_view name, std::uint64_t slots) {
    const NtsSettings usual;
    const bool pushes_at_times = of.index == Index::shadow;
    if (name == "push_each" && of.push_each != usual.push_each && !pushes_at_times)
        return "who reads says each time how far it is, expected run.nts.index: shadow";
    if (name == "zero" && !of.zero && !pushes_at_times)
        return "no length says that a slot is full, expected run.nts.index: shadow";
    if (name == "push_each" && of.push_each != usual.push_each && !of.push)
        return "the receiver does not say how far it is, expected run.nts.push: true";
    const std::uint32_t asked = of.shape().slots / 2;  // headers ask as often
    if (name == "push_each" && of.push_each != usual.push_each && std::min(of.push_each, usual.push_each) > asked)
        return "headers ask before, each half of the ring, expected a smaller one, or a larger run.nts.ring";
    if (name == "zero" && !of.zero && slots < of.shape().slots)
        return "no slot is used twice, expected more or longer messages, or a smaller run.nts.ring";
    if (name == "push" && !of.push && slots < of.shape().slots)
        return "all messages have room, expected more or longer ones, or a smaller run.nts.ring";
    if (name == "push_each" && of.push_each != usual.push_each && slots < std::min(of.push_each, usual.push_each))
        return "there are not so many slots, expected more or longer messages, or a smaller run.nts.push_each";
    return nullptr;
}

}  // namespace rnicsim::nts
