// Two ends and all that is between them, as one value: the real decision logic of both RNICs, frames in flight, pending
// work of the hosts, and which data is in memory. Every step calls the real code and checks what it does.
#pragma once

#include "model/rnic/indirect_buffer.h"
#include "model/rnic/transport_logic.h"
#include "testbench/explore/action.h"
#include "testbench/explore/bounds.h"

#include <array>
#include <cstdint>
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
    std::vector<Flight> sent;       ///< in flight from here, the first to arrive first
    std::vector<Question> asked;    ///< requests of the RNIC: one core serves them in order
    std::vector<Verdict> verdicts;  ///< that are late
    std::uint32_t started = 0;      ///< transfers started by this host
    bool draining = false;          ///< a bulk DMA has not left yet: its slots are still taken
};

enum class Outcome : std::uint8_t { none, completed, failed };

/// Which end of a read was the last to repeat a frame after a timer, with no new data since.
enum class Repeater : std::uint8_t { none, initiator, responder };

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
    bool silenced = false;       ///< an idle timer expired although the initiator was still there
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

    /// Nothing is in flight: only a timer, a host's own retry, or another transfer can be next.
    [[nodiscard]] bool quiet() const;
    /// All transfers have ended, and all tables, buffers and regions are empty.
    [[nodiscard]] bool over() const;
    [[nodiscard]] std::uint32_t faults_left() const { return faults_left_; }

    [[nodiscard]] const Setting& setting() const { return *setting_; }
    [[nodiscard]] const End& end(unsigned which) const { return ends_[which]; }
    [[nodiscard]] const std::vector<Progress>& progress() const { return progress_; }

  private:
    friend class Hands;
    void timers(unsigned end, std::vector<Action>& out) const;
    /// The entry of the same transfer at the other end, unless it is over there.
    [[nodiscard]] const Transfer* peer_of(unsigned end, const Transfer& t) const;
    /// The transfer of an entry of this end.
    [[nodiscard]] std::uint32_t transfer_of(unsigned end, const Transfer& t) const;
    void act(const Action& action, class Hands& hands);
    void deliver(unsigned from, class Hands& hands);
    void fetch(unsigned end, class Hands& hands);
    void transmit(unsigned end, class Hands& hands);
    void expire(const Action& action, class Hands& hands);
    void attempt(unsigned end, const Question& about, bool success, bool asked, class Hands& hands);
    void hand_over(unsigned end, const Verdict& verdict, class Hands& hands);
    /// Does the RNIC still want this registration?
    [[nodiscard]] bool wanted(const Question& question) const;

    const Setting* setting_;  // not owned
    std::array<End, 2> ends_;
    std::vector<Progress> progress_;
    std::uint32_t faults_left_;
};

}  // namespace rnicsim::explore
