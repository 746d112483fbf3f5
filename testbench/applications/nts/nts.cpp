// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/nts.h"

#include "testbench/applications/nts/ends.h"
#include "testbench/applications/nts/rings.h"

#include <algorithm>
#include <string>

namespace rnicsim::applications {
namespace {

constexpr std::array<std::string_view, 2> kNtsParts{"there", "back"};

/// What the ends tell of their queues last nobody has to take: who looks only when it is told, or by loads, does not
/// look any more when all operations are over.
bool may_leave_told(const NtsSettings& of) {
    return of.partitions != 0 && of.flow_control && (of.notify == nts::Notify::doorbell || of.shape().loads_writer());
}

class Nts final : public Application {
  public:
    [[nodiscard]] std::string_view name() const override { return "nts"; }
    [[nodiscard]] std::span<const std::string_view> parts() const override { return kNtsParts; }
    [[nodiscard]] Declarations keys() const override {
        Declarations all;
        append(all, nts_fields());
        return all;
    }
    [[nodiscard]] bool is_over_a_bridge() const override { return true; }
    void read(TrafficConfig& item, Values& in) const override { item.settings.set(nts_fields().read(in)); }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& config, const TrafficConfig& item) const override;
    [[nodiscard]] const char* unread(const TrafficConfig& item, std::string_view key) const override;
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override;
    [[nodiscard]] Plan plan_at(const TrafficConfig& item, const Seat& seat) const override;
    /// The thread of a partition's rings counts for all its connections.
    [[nodiscard]] bool is_summed(const TrafficConfig& item, Count what) const override {
        return nts_of(item).partitions != 0 && what != Count::checked_bytes;
    }
    [[nodiscard]] std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const override {
        return std::make_unique<nts::RingEnd>(item, seat);
    }
    [[nodiscard]] Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                  std::uint32_t pmtu) const override;
    [[nodiscard]] bool is_bound(const TrafficConfig& item, Count what) const override {
        return nts::is_bound(what) || (what == Count::copied_bytes && may_leave_told(nts_of(item)));
    }
    [[nodiscard]] Holds when_down(const TrafficConfig& item, Count what) const override {
        return nts::when_down(nts_of(item), what);
    }
};

/// Has a partition with a connection of the item another priority?
bool has_priorities(const RunConfig& config, const TrafficConfig& item, unsigned from, unsigned to) {
    for (std::uint32_t i = 0; i < item.verbs.connections; ++i) {
        const auto differs = [&](const nts::Member& of) { return of.priority != nts_of(item).priority; };
        if (std::ranges::any_of(nts::partition_of(item, {0, i, from, to, &config}).members, differs)) return true;
    }
    return false;
}

/// Rings that several items have are the same in all of them.
std::optional<Refusal> refused_in_partitions(const RunConfig& config, const TrafficConfig& item) {
    const NtsSettings& of = nts_of(item);
    for (const unsigned from : item.from) {
        for (const unsigned to : item.responders(from)) {
            const std::uint32_t connections = nts::placed_connections(config, from, to);
            const std::string between = " between '" + config.names[from] + "' and '" + config.names[to] + "'";
            if (connections <= of.partitions)
                return Refusal{"run.nts.partitions", "less than the " + std::to_string(connections) + " connections" +
                                                         between + ", or 0: else none shares a ring"};
            if (connections / of.partitions >= nts::Schedule::kMostMembers)
                return Refusal{"run.nts.partitions",
                               "more: one has at most " + std::to_string(nts::Schedule::kMostMembers) + " connections"};
            for (const TrafficConfig& other : config.traffic) {
                if (!nts::is_placed(other, from, to)) continue;
                if (!of.has_rings_of(nts_of(other)))
                    return Refusal{"run.nts.partitions", "0, or the same run.nts as in item '" + other.name +
                                                             "' but for answer, priority, queue and serve" + between +
                                                             ", as they share rings"};
            }
            const bool has_rounds = of.max_rounds != NtsSettings{}.max_rounds;
            if ((of.priority == 0 && !has_rounds) || has_priorities(config, item, from, to)) continue;
            const std::string alone = ": no partition of its connections" + between + " has another run.nts.priority";
            if (of.priority != 0) return Refusal{"run.nts.priority", "0" + alone};
            return Refusal{"run.nts.max_rounds", std::to_string(NtsSettings{}.max_rounds) + alone};
        }
    }
    return {};
}

std::optional<Refusal> Nts::refused(const RunConfig& config, const TrafficConfig& item) const {
    const NtsSettings& of = nts_of(item);
    const std::string unsafe = "; run.nts.unsafe: true runs it, to see what it does";
    if (auto no = nts::refused_shape(of)) return no;
    if (!of.fence && !of.unsafe)
        return Refusal{"run.nts.fence", "true: the header may be there before the payload" + unsafe};
    if (!of.zero && !of.unsafe) return Refusal{"run.nts.zero", "true: a slot is taken twice" + unsafe};
    if (!of.push && !of.unsafe) return Refusal{"run.nts.push", "true: slots are written over" + unsafe};
    if (auto no = nts::refused_mode(config, item, of)) return no;
    if (!of.flow_control && of.answer)
        return Refusal{"run.nts.flow_control", "true, or run.nts.answer: false: what is lost has no answer"};
    if (of.partitions != 0) {
        if (auto no = refused_in_partitions(config, item)) return no;
    }
    if (of.unsafe && of.fence && of.zero && of.push) return Refusal{"run.nts.unsafe", "false: nothing is unsafe"};
    return nts::refused_bridges(config, item, *this, "run.application");
}

/// Of partitions that have several connections.
const char* unread_of_partitions(const NtsSettings& of, std::string_view name) {
    const NtsSettings usual;
    const bool is_set = (name == "batch" && of.batch != usual.batch) || (name == "slicing" && !of.slicing) ||
                        (name == "priority" && of.priority != 0) ||
                        (name == "max_rounds" && of.max_rounds != usual.max_rounds) ||
                        (name == "hand_over" && of.hand_over != usual.hand_over) ||
                        (name == "queue" && of.queue != usual.queue) || (name == "flow_control" && !of.flow_control);
    if (is_set && of.partitions == 0)
        return "each connection has rings of its own, expected run.nts.partitions of at least 1";
    if (is_set && name == "batch" && !of.slicing) return "a turn is a message, expected run.nts.slicing: true";
    return nullptr;
}

const char* Nts::unread(const TrafficConfig& item, std::string_view key) const {
    const NtsSettings& of = nts_of(item);
    const NtsSettings usual;
    const std::string_view name = key.substr(key.rfind('.') + 1);
    const std::uint64_t slots = std::uint64_t{item.transfers} * of.slots_of(item.size);
    if (const char* const why = nts::unread_of_ring(of, name, slots)) return why;
    const bool is_of_queue =
        (name == "queue" && of.queue != usual.queue) || (name == "flow_control" && !of.flow_control);
    if (is_of_queue && of.partitions != 0 && std::min(of.queue, usual.queue) >= item.verbs.depth)
        return "no more messages than run.depth are under way, expected a larger one, or a smaller run.nts.queue";
    return unread_of_partitions(of, name);
}

Plan Nts::plan(const TrafficConfig& item) const {
    const NtsSettings& of = nts_of(item);
    const std::uint64_t user = std::uint64_t{item.size} * item.verbs.depth * (of.answer ? 2 : 1);
    const std::span<const std::uint32_t> sizes = sizes_of(item);
    const bool tells_of_room = of.flow_control && of.limit(item.verbs.depth) != 0;
    Plan plan = nts::plan_of_rings(of, {user, of.answer || tells_of_room, {sizes.begin(), sizes.end()}});
    if (of.partitions == 0) return plan;
    for (Plan::Side& side : plan.sides) {  // its part of what a partition's connections share
        side.areas[nts::kUser].bytes += std::uint64_t{2} * nts::kWord;
        side.areas.push_back({2 * nts::Queue::bytes(item.verbs.depth), false});
    }
    return plan;
}

Plan Nts::plan_at(const TrafficConfig& item, const Seat& seat) const {
    Plan plan = this->plan(item);
    const nts::Partition partition = nts::partition_of(item, seat);
    if (!partition.is_shared) return plan;
    plan.stream = plan.stream && partition.has_rings();
    for (unsigned side = 0; side < 2; ++side) {
        const std::uint32_t shared = nts::shared_by(partition, side, side == 0 ? seat.peer : seat.host);
        std::vector<Plan::Area>& areas = plan.sides.at(side).areas;
        areas[nts::kUser] = {partition.bytes_with_words(side), false, shared};
        if (!partition.has_rings()) areas[nts::kRing].bytes = areas[nts::kOwn].bytes = nts::kWord;
        areas[nts::kQueues] = {partition.entry_bytes, false, shared + 1};
    }
    return plan;
}

Counts Nts::expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes, std::uint32_t /*pmtu*/) const {
    const NtsSettings& of = nts_of(item);
    const bool stores_index = of.shape().has_index() && !of.shape().loads_writer();
    Counts counts;
    for (unsigned way = 0; way < (of.answer ? 2U : 1U); ++way) {
        EndCounts &writer = counts.at(way), &reader = counts.at(1 - way);
        nts::count_messages(of, sizes, writer, reader);
        for (const std::uint32_t size : sizes) reader.add(Count::checked_bytes, size);
        const std::uint32_t limit = of.limit(item.verbs.depth);
        if (limit == 0 || !of.flow_control) continue;
        const std::uint64_t told = sizes.size() / NtsSettings::told_each(limit);
        reader.add(Count::stored_bytes, told * (2 * nts::kWord + (stores_index ? nts::kWord : 0)));
        reader.add(Count::fences, 2 * told);
        writer.add(Count::pushes, told);
        if (of.mode != nts::Mode::direct) writer.add(Count::copied_bytes, told * nts::kWord);
    }
    return counts;
}

}  // namespace

const Application& bridge_rings() {
    static const Nts kNts;
    return kNts;
}

}  // namespace rnicsim::applications
