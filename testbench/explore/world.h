// Two ends and all that is between them, as one value: the real decision logic of both RNICs, frames in flight, what
// the hosts have still to do, and which data lies in memory. Every step calls the real code and checks what comes of
// it.
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

/// What an RNIC has asked its host.
struct Question {
    std::uint32_t transfer = 0;
    Generation generation{};
};

/// What a host has come to, on its way to its RNIC.
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
    std::vector<Question> asked;    ///< the regions that the RNIC has asked for: one core, one by one
    std::vector<Verdict> verdicts;  ///< that are late
    std::uint32_t started = 0;      ///< transfers that this host has asked for
    bool draining = false;          ///< a bulk DMA has not left yet: its slots are still taken
};

enum class Outcome : std::uint8_t { none, completed, failed };

/// Which end of a read has repeated itself last, after a timer, with no new data since.
enum class Repeater : std::uint8_t { none, initiator, responder };

/// What is known of a transfer outside the RNICs.
struct Progress {
    Outcome outcome = Outcome::none;
    bool running = false;          ///< asked for, not ended: the initiator's region is registered
    bool acknowledged = false;     ///< the upper layer has seen a REQ_ACK
    bool region_known = false;     ///< the responder's host has been asked, and not told of the release
    Generation generation{};       ///< that the host was asked with last; only whether two are the same matters
    bool registered = false;       ///< the responder's region
    bool retry = false;            ///< the host will try again by itself
    bool responder_ended = false;  ///< the responder's host has been told of the release, and the RNIC remembers it
    Repeater repeater = Repeater::none;
    bool silenced = false;                ///< an idle timer expired although the initiator was still there
    std::uint32_t failures = 0;           ///< of the registration
    std::uint32_t attempts = 0;           ///< a name, not part of the state
    std::uint32_t memory = 0;             ///< bit n: data frame n lies in the destination's memory; of this life
    std::array<std::uint8_t, 32> sent{};  ///< transmissions so far by kind and SN: names, not part of the state
};

class World {
  public:
    /// `setting` has to outlive the world.
    explicit World(const Setting& setting);

    /// Everything that can happen now and costs `budget` faults at most.
    void actions(std::vector<Action>& out) const;
    /// How many faults it is.
    [[nodiscard]] std::uint32_t cost(const Action& action) const;
    /// Lets it happen. Returns what of the protocol's rules it has broken, or nothing. `notes`: what followed, in
    /// words.
    std::string apply(const Action& action, Lines* notes = nullptr);

    /// Nothing is under way: only a timer, a host's own retry, or another transfer can be next.
    [[nodiscard]] bool quiet() const;
    /// All transfers have ended, and nothing of them is left.
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
    /// Which transfer an entry of this end is about.
    [[nodiscard]] std::uint32_t transfer_of(unsigned end, const Transfer& t) const;
    void act(const Action& action, class Hands& hands);
    void deliver(unsigned from, class Hands& hands);
    void fetch(unsigned end, class Hands& hands);
    void transmit(unsigned end, class Hands& hands);
    void expire(const Action& action, class Hands& hands);
    void attempt(unsigned end, const Question& about, bool success, bool asked, class Hands& hands);
    void tell(unsigned end, const Verdict& verdict, class Hands& hands);
    /// The host is still to register for it.
    [[nodiscard]] bool wanted(const Question& question) const;

    const Setting* setting_;  // not owned
    std::array<End, 2> ends_;
    std::vector<Progress> progress_;
    std::uint32_t faults_left_;
};

}  // namespace rnicsim::explore
