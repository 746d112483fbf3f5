// SPDX-License-Identifier: Apache-2.0
// One run of random messages of UC or UD both ways between two cards, under frames lost, copied and overtaken, and
// receives that come late. A judge of the packets as they are delivered says which messages came whole, and how often;
// every step checks the invariants of VERBS.md 8 by it. The first breach is kept.
#pragma once

#include "testbench/tests/verbs/verbs_pair.h"

#include <random>

namespace rnicsim::rc {

struct UnreliableSettings {
    std::uint64_t seed = 0;
    Service service = Service::unreliable;
    bool faults = false;
    bool late = false;  ///< receives may come too late for their message
};

class UnreliableRun {
  public:
    explicit UnreliableRun(const UnreliableSettings& settings);
    /// Returns the invariant that broke, or nothing.
    std::string run();

    std::uint64_t packets = 0, whole = 0, received = 0, dropped = 0, bad_queue_keys = 0;

  private:
    enum Side : std::uint8_t { kA, kB };
    struct Message {
        SendWqe wqe;
        std::uint32_t bytes = 0, packets = 1;
        std::uint64_t local = 0, remote = 0;  ///< payload; where a WRITE goes, at the other card
        bool wrong_key = false;               ///< UD
    };
    struct Watch {
        std::vector<Message> plan;
        std::vector<ReceiveSges> receives;  ///< to be posted
        std::uint32_t posted = 0, receives_posted = 0, ended = 0, received = 0;
        // Of the packets delivered here: the message whose first packets came one behind the other at last.
        std::uint32_t message = 0, came = 0;
        std::vector<std::uint32_t>
            executed;  ///< messages of the other card that ended a receive, or WRITEs, as decided
        std::vector<std::uint32_t> completed;  ///< by receive completion: the message
        std::uint32_t should_end = 0;          ///< receives, if there had always been one
    };

    void plan(Side side);
    bool step(std::uint32_t which);
    bool transmit(Side side);
    bool deliver(Side from);
    bool fault(Side from);
    void on_place(Side side, const Placement& placement);
    void on_cqe(Side side, const Completion& c);
    void check_receive(Side side, const Completion& c);
    void check_end();
    [[nodiscard]] bool written(Side from, const Message& m);
    void expect(bool holds, const char* what) {
        if (!holds && breach_.empty()) breach_ = what;
    }
    std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
    static Side other(Side s) { return s == kA ? kB : kA; }
    [[nodiscard]] bool is_datagram() const { return settings_.service == Service::datagram; }

    UnreliableSettings settings_;
    std::mt19937_64 random_;
    std::vector<Card> cards_;
    std::array<Watch, 2> watches_;
    std::array<std::deque<Flight>, 2> wires_;   ///< by sender
    std::array<std::uint64_t, 2> next_free_{};  ///< memory of each card
    std::string breach_;
};

}  // namespace rnicsim::rc
