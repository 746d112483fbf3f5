// SPDX-License-Identifier: Apache-2.0
// Messages through a ring of slots behind a bridge: how large it is, and what its programs cost.
#pragma once

#include "model/keys/fields.h"
#include "model/traffic.h"
#include "testbench/applications/nts/ring.h"

#include <cstdint>

namespace rnicsim::applications {

struct NtsSettings {
    std::uint32_t slot = 4 << 10;  ///< bytes, its header among them
    std::uint32_t ring = 8 << 20;  ///< bytes of all slots
    nts::Align align = nts::Align::line;
    nts::Index index = nts::Index::shadow;
    nts::Notify notify = nts::Notify::poll;
    nts::Mode mode = nts::Mode::shm;
    bool failover = false;          ///< while the link is down messages go by TCP
    bool answer = false;            ///< the other end sends each message back
    std::uint32_t push_each = 512;  ///< slots: the receiver says how far it has read at least so often
    // Partitions of several connections.
    static constexpr std::uint32_t kMostPartitions = 64;
    std::uint32_t partitions = 0;            ///< of a pair of hosts; 0: each connection has its own
    std::uint32_t batch = 16;                ///< slots of a connection at a time
    bool slicing = true;                     ///< messages of several slots give way to others
    std::uint32_t priority = 0;              ///< of the item's connections; 0 goes first
    std::uint32_t max_rounds = 64;           ///< turns of one priority while a lower one waits; 0: as many as it likes
    std::uint32_t queue = 1024;              ///< messages of a connection that its program has not taken, at most
    bool flow_control = true;                ///< who sends knows of room there; false: what finds none is lost
    Time serve{};                            ///< what the program works on each message that it takes
    Time hand_over = kPicosecond * 425'000;  ///< a message's, from its connection to the partition's thread, or back
    Time tx = kNanosecond * 41;              ///< of a slot, beside its stores
    Time rx = kNanosecond * 120;             ///< of a slot, beside its copy
    // Faults, to see what they do: `unsafe` lets them be run.
    bool fence = true;  ///< between payload and header
    bool zero = true;   ///< the receiver zeroes the length of what it has taken
    bool push = true;   ///< it says how far it has read
    bool unsafe = false;

    [[nodiscard]] nts::RingShape shape() const {
        nts::RingShape shape;
        shape.slots = ring / slot;
        shape.slot = slot;
        shape.align = align;
        shape.index = index;
        shape.notify = notify;
        shape.stream = failover;
        shape.push_each = push_each;
        return shape;
    }
    /// Without what is left out, to see what that does.
    [[nodiscard]] nts::RingRules rules() const {
        nts::RingRules rules;
        rules.fence_before_header = fence;
        rules.zeroes = zero;
        rules.pushes = push;
        if (!push) rules.spare = -(1 << 30);  // the sender takes all for read
        return rules;
    }
    /// May both be of connections that share rings?
    [[nodiscard]] bool has_rings_of(NtsSettings other) const {
        other.answer = answer;
        other.priority = priority;
        other.queue = queue;
        other.serve = serve;
        return other == *this;
    }
    friend bool operator==(const NtsSettings&, const NtsSettings&) = default;
    /// Of a connection with so many messages under way: those in its queue at most; 0: there cannot be more.
    [[nodiscard]] std::uint32_t limit(std::uint32_t depth) const {
        return partitions != 0 && depth > queue ? queue : 0;
    }
    /// Messages after which who takes them says how many it has.
    [[nodiscard]] static std::uint32_t told_each(std::uint32_t limit) { return limit < 2 ? 1 : limit / 2; }
    /// Of a slot.
    [[nodiscard]] std::uint32_t payload() const { return slot - nts::kWord; }
    /// Of a message with so many bytes: each is a message of the ring.
    [[nodiscard]] std::uint32_t slots_of(std::uint32_t bytes) const { return (bytes + payload() - 1) / payload(); }
};

const Fields<NtsSettings>& nts_fields();
[[nodiscard]] inline const NtsSettings& nts_of(const TrafficConfig& item) { return item.settings.of<NtsSettings>(); }

}  // namespace rnicsim::applications
