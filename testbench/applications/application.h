// SPDX-License-Identifier: Apache-2.0
// An application: its keys, what a connection of it needs, its two ends, and what a run of it counts by its formulas.
// Its folder has all of it; testbench/scenario/applications.cpp and workloads/work_kinds.cpp have a line.
#pragma once

#include "model/config.h"
#include "model/keys/fields.h"
#include "testbench/applications/counts.h"
#include "testbench/applications/end.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim::applications {

/// What a connection needs.
struct Plan {
    struct Area {
        std::uint64_t bytes = 0;
        bool registered = false;  ///< from the beginning; else only while its end says so
        /// Not 0: memory of its host that all ends there have which say the same number, and the same length. Each end
        /// has a key of its own for it. Not on cards (rnic-apps).
        std::uint32_t shared = 0;
    };
    struct Side {
        std::vector<Area> areas;     ///< of the end's memory
        std::uint32_t sends = 1;     ///< room for send WQEs: what finds none waits
        std::uint32_t receives = 0;  ///< receive WQEs posted, at most
        // What it does: keys of hosts that say what this costs have no effect where nobody does.
        bool reads = false;      ///< asks for READs
        bool atomics = false;    ///< asks for atomics
        bool registers = false;  ///< registers memory, and gives it up, while the run goes on
        bool copies = false;
        bool touches = false;
        bool calls = false;
        bool system_calls = false;         ///< Actions::system_call()
        std::uint32_t far_area = 0;        ///< of a bridge: what the other end stores to
        bool loads = false;                ///< words of the other host's memory, through a bridge
        bool hears_doorbells = false;      ///< of a bridge
        bool watches = false;              ///< looks at its memory, so its host polls
        bool waits_for_solicited = false;  ///< its events are those of solicited messages, and of failures
        /// Bytes of the buffers of which it copies parts; none: of any size.
        std::vector<std::uint64_t> copied{};
    };
    std::array<Side, 2> sides;  ///< who asks, who answers
    bool stream = false;        ///< there is a stream between them as well
    bool bridge = false;        ///< ... a bridge, and its ends store to each other's memory
    bool verbs = true;          ///< its QP is used
    /// Else its hosts' cards are left to other items. Where there is only a stream its QP lies idle.
    [[nodiscard]] bool has_card() const { return verbs || stream; }
};

/// Which end it is.
struct Seat {
    unsigned side = 0;               ///< 0 asks
    std::uint32_t connection = 0;    ///< of its pair of hosts, from 0 on
    unsigned host = 0, peer = 0;     ///< by their numbers in the run
    const RunConfig* run = nullptr;  ///< nullptr: there are no connections but the item's
};

/// How the operations of a host follow one another over all its connections of an item.
enum class Order : std::uint8_t {
    each,  ///< each connection goes by itself
    turn,  ///< one at a time, the connections take turns
    drawn  ///< ... all in an order that each run draws
};

/// How a formula says what is counted.
enum class Holds : std::uint8_t { exactly, from_below, from_above, anyhow };

/// A value that cannot be.
struct Refusal {
    std::string key;       ///< "run.plasma.window"
    std::string expected;  ///< behind "expected "
};

class Application {
  public:
    virtual ~Application() = default;
    /// The word of `application`, and the name of its section of keys.
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// Of a sample: where the time of an operation goes, at most seven.
    [[nodiscard]] virtual std::span<const std::string_view> parts() const = 0;
    [[nodiscard]] virtual Declarations keys() const = 0;
    /// Its items have the keys of this section, which another application may have, too.
    [[nodiscard]] virtual bool has_section(std::string_view section) const { return section == name(); }
    /// A connection has one operation under way; else as many as the item's depth.
    [[nodiscard]] virtual bool one_at_a_time() const { return false; }
    /// Its hosts ask each other, in a ring; else `from` and `to` differ.
    [[nodiscard]] virtual bool is_among_its_hosts() const { return false; }
    /// Its ends store to each other's memory, through a bridge: each plan has one. Of others a plan may.
    [[nodiscard]] virtual bool is_over_a_bridge() const { return false; }
    /// A host has one thread for all its ends.
    [[nodiscard]] virtual bool has_one_thread() const { return false; }
    [[nodiscard]] virtual Order order(const TrafficConfig& /*item*/) const { return Order::each; }
    /// Sets what the item has of it.
    virtual void read(TrafficConfig& item, Values& in) const = 0;
    /// Why this key of its own has no effect in the item: nothing reads it, or it has another value than by itself, and
    /// does the same. nullptr: it has one.
    [[nodiscard]] virtual const char* unread(const TrafficConfig& /*item*/, std::string_view /*key*/) const {
        return nullptr;
    }
    /// What its keys and the hosts' cannot be together; nothing: all is well.
    [[nodiscard]] virtual std::optional<Refusal> refused(const RunConfig& config, const TrafficConfig& item) const = 0;
    /// Where its plan has no verbs: the setting with which it has, as "run.kv.transport: rdma".
    [[nodiscard]] virtual std::string_view with_verbs() const { return {}; }
    /// KEY=VALUE: so small that exploration ends soon; of keys that nobody sets, where they have an effect.
    [[nodiscard]] virtual std::span<const std::string_view> explored_with() const { return {}; }
    /// Its flow control has a receive WQE for each message: an RNR NAK is a fault.
    [[nodiscard]] virtual bool has_receives_ahead(const TrafficConfig& /*item*/) const { return true; }
    /// Of a connection of the item.
    [[nodiscard]] virtual Plan plan(const TrafficConfig& item) const = 0;
    /// ... of this one, whose side 0 is seated here: what it shares with others of its hosts follows from those.
    [[nodiscard]] virtual Plan plan_at(const TrafficConfig& item, const Seat& /*seat*/) const { return plan(item); }
    /// The item outlives it.
    [[nodiscard]] virtual std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const = 0;
    /// What a connection counts in a run with operations of these sizes where nothing fails. `pmtu`: bytes.
    [[nodiscard]] virtual Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                          std::uint32_t pmtu) const = 0;
    /// Of these it counts so many at most: how what is under way meets decides it.
    [[nodiscard]] virtual bool is_bound(const TrafficConfig& /*item*/, Count /*what*/) const { return false; }
    /// Of a connection over a bridge whose link has been down.
    [[nodiscard]] virtual Holds when_down(const TrafficConfig& /*item*/, Count /*what*/) const {
        return Holds::exactly;
    }
    /// What an end counts of these belongs to its two hosts: all of their connections in the item together, whichever
    /// end of them a host has, count there what the formula says of one.
    [[nodiscard]] virtual bool is_of_hosts(const TrafficConfig& /*item*/, Count /*what*/) const { return false; }
    /// Of these, who counts for a connection may be another one's end: all between two hosts, of items for which this
    /// holds, together count what the formula says of them.
    [[nodiscard]] virtual bool is_summed(const TrafficConfig& /*item*/, Count /*what*/) const { return false; }
};

/// Bytes of its operations: each has one of these.
inline std::span<const std::uint32_t> sizes_of(const TrafficConfig& item) {
    if (item.verbs.sizes.empty()) return {&item.size, 1};
    return item.verbs.sizes;
}
/// Packets of a message: at least one.
constexpr std::uint64_t packets_of(std::uint64_t bytes, std::uint32_t pmtu) {
    return bytes == 0 ? 1 : (bytes + pmtu - 1) / pmtu;
}
/// ... those with payload.
constexpr std::uint64_t payload_packets_of(std::uint64_t bytes, std::uint32_t pmtu) {
    return (bytes + pmtu - 1) / pmtu;
}

}  // namespace rnicsim::applications
