// SPDX-License-Identifier: Apache-2.0
// All ends and what is between them, as one value: the real decision logic of each RNIC, frames in flight, pending
// work of the hosts, and which data is in memory. Every step calls the real code and checks what it does.
#pragma once

#include "model/rnic/drp/indirect_buffer.h"
#include "model/rnic/drp/transport_logic.h"
#include "testbench/explore/action.h"
#include "testbench/explore/bounds.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace rnicsim::explore {

using Lines = std::vector<std::string>;

/// A frame in flight.
struct Flight {
    DrpHeader header;
    std::uint32_t transfer = 0;  ///< index of its plan
    std::uint32_t ordinal = 0;   ///< the n-th of its kind in this direction, from 1; a name, not part of the state
};

/// A request of an RNIC to its host to register a region.
struct Question {
    std::uint32_t transfer = 0;
    Generation generation{};
};

/// A host's verdict, in flight to its RNIC.
struct Verdict {
    Question about;
    bool valid = false;
};

/// One RNIC and the part of its host that answers it.
struct End {
    explicit End(const TransportConfig& config) : logic(config), buffer(config.indirect_buffer, config.segment) {}

    TransportLogic logic;
    IndirectBuffer buffer;
    std::vector<DataJob> staged;    ///< data frames between fetch and wire
    std::vector<Question> asked;    ///< requests of the RNIC: one core serves them in order
    std::vector<Verdict> verdicts;  ///< that are late
    std::uint32_t started = 0;      ///< transfers started by this host
    std::uint32_t draining = 0;     ///< bit n: a bulk DMA with data of end n has not left: its slots are still taken
};

/// One way between two ends. What is for one end does not wait for what is for another.
struct Wire {
    unsigned from = 0;
    unsigned to = 0;
    std::vector<Flight> flights;  ///< the first to arrive first

    [[nodiscard]] bool joins(unsigned one, unsigned other) const {
        return (from == one && to == other) || (from == other && to == one);
    }
};

/// Of a world's wires. Throws std::logic_error if there is none between these two.
template <class Wires>
auto& wire_of(Wires& wires, unsigned from, unsigned to) {
    const auto goes = [&](const Wire& wire) { return wire.from == from && wire.to == to; };
    const auto found = std::ranges::find_if(wires, goes);
    if (found == wires.end()) throw std::logic_error("a frame is sent to an end that its sender has no transfers with");
    return *found;
}

enum class Outcome : std::uint8_t { none, completed, failed };

/// Which end of a read was the last to repeat a frame after a timer, with no new data since.
enum class Repeater : std::uint8_t { none, initiator, responder };

constexpr Repeater repeater(Role role) { return role == Role::initiator ? Repeater::initiator : Repeater::responder; }

constexpr Cycle deadline_of(const Transfer& t, Step timer) {
    switch (timer) {
        case Step::request_timer: return t.request_deadline;
        case Step::data_timer: return t.data_deadline;
        case Step::release_timer: return t.release_deadline;
        default: return t.idle_deadline;
    }
}

/// The state of a transfer outside the RNICs.
struct Progress {
    Outcome outcome = Outcome::none;
    bool running = false;          ///< asked for, not ended: the initiator's region is registered
    bool acknowledged = false;     ///< the upper layer has got a REQ_ACK
    bool region_known = false;     ///< the responder's host has been asked, and has not got `released`
    Generation generation{};       ///< of the last request to the host; only compared for equality
    bool registered = false;       ///< the responder's region
    bool retry = false;            ///< the host will try again by itself
    bool responder_ended = false;  ///< the responder's host has got `released`, and the RNIC remembers it
    Repeater repeater = Repeater::none;
    bool silenced = false;       ///< the responder has forgotten it although the initiator was still there
    bool turned_away = false;    ///< a frame of it found the responder's table full
    std::uint32_t failures = 0;  ///< of the registration
    std::uint32_t attempts = 0;  ///< a name, not part of the state
    std::uint32_t memory = 0;    ///< bit n: data frame n is in the destination's memory, in this use of the TID
    std::array<std::uint8_t, 32> sent{};  ///< transmissions so far by kind and SN: names, not part of the state
};

class World {
  public:
    /// `setting` has to outlive the world.
    explicit World(const Setting& setting);

    /// Everything that can happen now within the faults that are left.
    void actions(std::vector<Action>& out) const;
    /// How many faults the step costs.
    [[nodiscard]] std::uint32_t cost(const Action& action) const;
    /// Carries out the step. Returns the rule that it breaks, or nothing. `notes`: what followed, in words.
    std::string apply(const Action& action, Lines* notes = nullptr);

    /// Nothing is in flight between these two ends: only a timer, a host's own retry, or another transfer can be next.
    [[nodiscard]] bool quiet(unsigned one, unsigned other) const;
    /// All transfers have ended, and all tables, buffers and regions are empty.
    [[nodiscard]] bool over() const;
    [[nodiscard]] std::uint32_t faults_left() const { return faults_left_; }

    [[nodiscard]] const Setting& setting() const { return *setting_; }
    [[nodiscard]] const End& end(unsigned which) const { return ends_[which]; }
    [[nodiscard]] const std::vector<End>& ends() const { return ends_; }
    [[nodiscard]] const std::vector<Wire>& wires() const { return wires_; }
    [[nodiscard]] const std::vector<Progress>& progress() const { return progress_; }

  private:
    friend class Hands;
    void of_end(unsigned which, std::vector<Action>& out) const;
    void of_wire(const Wire& wire, std::vector<Action>& out) const;
    void timers(unsigned end, std::vector<Action>& out) const;
    /// Is nothing of this pair at one of its ends on its way?
    [[nodiscard]] bool idle(unsigned end, unsigned far) const;
    /// The entry of the same transfer at the other end, unless it is over there.
    [[nodiscard]] const Transfer* peer_of(unsigned end, const Transfer& t) const;
    /// Has the indirect buffer of `end` as many frames of this peer as its quota allows, if there is one?
    [[nodiscard]] bool quota_used_up(const End& end, Peer peer) const;
    /// May a frame of this peer, for which there is a use, find no slot?
    [[nodiscard]] bool may_refuse(const End& end, Peer peer) const;
    /// Does the responder still know that the transfer is over?
    [[nodiscard]] bool remembered(const Plan& plan) const;
    /// Looks which transfers a small table has forgotten.
    void forget();
    void act(const Action& action, class Hands& hands);
    void deliver(Wire& wire, class Hands& hands);
    /// Every end, as long as it has a place.
    void fetch_all(class Hands& hands, Lines* notes);
    void fetch(unsigned end, class Hands& hands);
    void transmit(unsigned end, class Hands& hands);
    void expire(const Action& action, class Hands& hands);
    void attempt(unsigned end, const Question& about, bool success, bool asked, class Hands& hands);
    void hand_over(unsigned end, const Verdict& verdict, class Hands& hands);
    /// Does the RNIC still want this registration?
    [[nodiscard]] bool wanted(const Question& question) const;

    const Setting* setting_;  // not owned
    std::vector<End> ends_;
    std::vector<Wire> wires_;
    std::vector<Progress> progress_;
    std::uint32_t faults_left_;
};

}  // namespace rnicsim::explore
