// SPDX-License-Identifier: Apache-2.0
// One run of random messages both ways between two cards, under random faults of the wire, timers and receives that
// come late; every step checks the invariants of VERBS.md 8 that a pair without time can check. The first breach is
// kept.
#pragma once

#include "testbench/tests/verbs/verbs_pair.h"

#include <random>

namespace rnicsim::rc {

struct RandomSettings {
    std::uint64_t seed = 0;
    std::uint32_t max_faults = 6;  ///< lost, copied, overtaken frames and early timers; fewer than retry_cnt
    bool cut = false;              ///< from some moment on all frames are lost
    bool selective = false;        ///< selective repeat
    bool marks = false;            ///< DCQCN, and each fourth packet with payload is marked
    bool durable = false;          ///< FLUSH, ATOMIC WRITE and WRITE_PERSIST as well
    bool by_processor = false;     ///< ... and WRITE_PERSISTs are the processors', who alone have receive WQEs
};

class RandomRun {
  public:
    explicit RandomRun(const RandomSettings& settings);
    /// Returns the invariant that broke, or nothing.
    std::string run();

    std::uint64_t packets = 0, resent = 0, rnr_naks = 0;
    std::uint64_t early = 0;  ///< placements behind a later one
    std::uint64_t cnps = 0;   ///< heard
    std::uint64_t packs = 0;  ///< sent

  private:
    enum Side : std::uint8_t { kA, kB };
    struct Message {
        SendWqe wqe;
        std::uint32_t bytes = 0;
        std::uint64_t local = 0, remote = 0;  ///< payload; where it goes, at the other card
        std::uint64_t original = 0;           ///< FADD: what it has to find
    };
    /// What is checked of one card's packets and completions.
    struct Watch {
        std::vector<Message> plan;
        std::vector<std::uint32_t> takers;  ///< messages that take a receive WQE, in order
        std::vector<ReceiveSges> receives;  ///< to be posted, one for each of the other card's takers
        std::uint32_t posted = 0, receives_posted = 0, ended = 0, received = 0, failed = 0;
        std::size_t placed_seen = 0;
        std::optional<Psn> open_nak, last_msn;
        std::vector<Psn> told;  ///< by selective NAKs
        std::optional<Psn> oldest;
        std::uint32_t tries = 0;  ///< transmissions of the oldest PSN outstanding
        // Of processors:
        std::deque<Psn> to_answer;  ///< WRITE_PERSISTs that the program was told of
        std::optional<Psn> made_durable;
        std::vector<Psn> persists;   ///< its own that have been sent: the last PSNs
        std::uint32_t answered = 0;  ///< of them: with PACK
        std::uint32_t packs_posted = 0;
    };

    void plan(Side side);
    bool step(std::uint32_t which);
    bool advance();
    bool transmit(Side side, Lane lane);
    bool deliver(Side from);
    bool fault(Side from);
    bool early_timer();
    void check_request(Side side, const roce::Header& h);
    void check_answer(Side side, const roce::Header& h);
    void check_placements(Side side);
    void note_progress(Side side);
    void on_cqe(Side side, const Completion& c);
    void on_receive_cqe(Side side, const Completion& c);
    void on_told(Side side, const Completion& c);
    bool answer_persist(Side side);
    void note_persist(Side side, const Flight& flight);
    void check_end();
    bool arrived(Side from, const Message& m);
    void expect(bool holds, const char* what) {
        if (!holds && breach_.empty()) breach_ = what;
    }
    std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
    static Side other(Side s) { return s == kA ? kB : kA; }

    RandomSettings settings_;
    std::mt19937_64 random_;
    RcConfig config_;
    std::vector<Card> cards_;
    std::array<Watch, 2> watches_;
    std::array<std::deque<Flight>, 2> wires_;   ///< by sender
    std::array<std::uint64_t, 2> next_free_{};  ///< memory of each card
    std::uint32_t faults_ = 0;
    bool is_cut_ = false;
    Time now_{};
    std::string breach_;
};

}  // namespace rnicsim::rc
