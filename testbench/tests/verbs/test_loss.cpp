// SPDX-License-Identifier: Apache-2.0
// What losses cost by the rule of retransmission: two cards, and a wire on which several packets are under way.
#include "testbench/tests/verbs/verbs_pair.h"

#include <catch2/catch_test_macros.hpp>

#include <set>

namespace rnicsim::rc {
namespace {

constexpr std::uint32_t kPackets = 64, kMtuOfWire = 256, kUnderWay = 6;

struct Traffic {
    Verb verb = Verb::write;
    std::uint32_t messages = 1;  ///< that share the packets
    std::string_view policy = "selective_repeat";
};

/// Each seventh packet that has payload is lost, when it is sent for the first time.
class LossyPair {
  public:
    explicit LossyPair(const Traffic& t)
        : messages_(t.messages), lossy_(t.verb == Verb::read ? Lane::answer : Lane::request) {
        constexpr std::uint32_t kBytes = kPackets * kMtuOfWire;
        RcConfig config;
        config.retransmission = &retransmission(t.policy);
        QpAttributes attributes;
        attributes.access = kRemoteWrite | kRemoteRead;
        attributes.path_mtu = kMtuOfWire;
        attributes.max_rd_atomic = attributes.max_dest_rd_atomic = 16;
        for (int i = 0; i < 2; ++i) cards_.emplace_back(config, attributes, kBytes);
        for (std::size_t i = 0; i < 2; ++i) cards_[i].connect(cards_[1 - i].qp);
        Bytes& source = cards_[t.verb == Verb::read ? 1 : 0].memory;
        for (std::uint32_t i = 0; i < kBytes; ++i) source[i] = static_cast<std::uint8_t>(i * i / 7);
        for (std::uint32_t m = 0; m < messages_; ++m) {
            const std::uint32_t bytes = kBytes / messages_;
            SendWqe w;
            w.verb = t.verb;
            w.remote_address = Card::kBase + std::uint64_t{m} * bytes;
            w.remote_key = cards_[1].key;
            w.sges = {{w.remote_address, bytes, cards_[0].key}};
            cards_[0].post({}, w);
        }
    }

    /// Each step a packet enters each wire, and what has entered some steps ago arrives. Returns how many packets with
    /// payload were sent again.
    std::uint32_t run() {
        while (cards_[0].cqes.size() != messages_ && steps_ < 1000) {
            ++steps_;
            step(0, Lane::request);
            step(1, Lane::answer);
        }
        CHECK((cards_[0].memory == cards_[1].memory));  // without its text
        return repeated_;
    }
    [[nodiscard]] std::uint32_t losses() const { return losses_; }
    [[nodiscard]] std::uint32_t steps() const { return steps_; }

  private:
    void step(std::size_t from, Lane lane) {
        Card& card = cards_[from];
        while (card.read_wqes({}) || card.post_one({})) {}
        auto flight = card.transmit({}, lane);
        if (flight && lane == lossy_ && is_lost(flight->header)) flight.reset();
        auto& wire = wires_[from];
        wire.push_back(std::move(flight));
        if (wire.size() <= kUnderWay) return;
        if (wire.front()) CHECK(cards_[1 - from].take({}, *wire.front()));
        wire.pop_front();
    }
    bool is_lost(const roce::Header& h) {
        if (h.payload == 0) return false;
        const bool first_time = sent_.insert(h.psn.n).second;
        const bool lost = first_time && h.psn.n % 7 == 3;
        if (!first_time) ++repeated_;
        if (lost) ++losses_;
        return lost;
    }

    std::uint32_t messages_;
    Lane lossy_;
    std::vector<Card> cards_;
    std::array<std::deque<std::optional<Flight>>, 2> wires_;
    std::set<std::uint32_t> sent_;
    std::uint32_t repeated_ = 0, losses_ = 0, steps_ = 0;
};

/// Messages of eight bytes, posted one by one while others are under way, and one answer is lost, once.
class OneAnswerLost {
  public:
    static constexpr std::uint32_t kStepsToPost = 3;  // as a program that is slower than the wire

    OneAnswerLost(Verb verb, std::uint32_t messages, std::string_view policy) : verb_(verb), messages_(messages) {
        RcConfig config;
        config.retransmission = &retransmission(policy);
        QpAttributes attributes;
        attributes.access = kRemoteWrite | kRemoteRead | kRemoteAtomic;
        attributes.path_mtu = kMtuOfWire;
        attributes.max_rd_atomic = attributes.max_dest_rd_atomic = 16;
        for (int i = 0; i < 2; ++i) cards_.emplace_back(config, attributes, kAtomicBytes * messages);
        for (std::size_t i = 0; i < 2; ++i) cards_[i].connect(cards_[1 - i].qp);
    }

    /// Returns how many requests were sent again.
    std::uint32_t run() {
        while (cards_[0].cqes.size() != messages_ && steps_ < 10 * messages_) {
            if (steps_++ % kStepsToPost == 0 && cards_[0].sends.size() < messages_) post();
            step(0, Lane::request);
            step(1, Lane::answer);
        }
        CHECK(cards_[0].cqes.size() == messages_);
        return cards_[0].rc.count(RcCount::retransmissions);
    }

  private:
    void post() {
        SendWqe w;
        w.verb = verb_;
        w.remote_address = Card::kBase;
        w.remote_key = cards_[1].key;
        w.swap_or_add = 1;
        w.sges = {{Card::kBase + kAtomicBytes * cards_[0].sends.size(), kAtomicBytes, cards_[0].key}};
        cards_[0].post({}, w);
    }
    void step(std::size_t from, Lane lane) {
        Card& card = cards_[from];
        while (card.read_wqes({}) || card.do_atomic({}) || card.post_one({})) {}
        auto flight = card.transmit({}, lane);
        if (flight && lane == Lane::answer && flight->header.psn == Psn{20} && !std::exchange(lost_, true))
            flight.reset();
        auto& wire = wires_[from];
        wire.push_back(std::move(flight));
        if (wire.size() <= kUnderWay) return;
        if (wire.front()) CHECK(cards_[1 - from].take({}, *wire.front()));
        wire.pop_front();
    }

    Verb verb_;
    std::uint32_t messages_, steps_ = 0;
    bool lost_ = false;
    std::vector<Card> cards_;
    std::array<std::deque<std::optional<Flight>>, 2> wires_;
};

}  // namespace

TEST_CASE("V-R11: selective repeat sends again what was lost and nothing else, go-back-N all behind it", "[verbs]") {
    for (const Verb verb : {Verb::write, Verb::read}) {
        LossyPair selective({verb, 1});
        CHECK(selective.run() == 9);
        CHECK(selective.losses() == 9);
        LossyPair all({verb, 1, "go_back_n"});
        CHECK(all.run() > 50);
        CHECK(selective.steps() < all.steps() - 30);
    }
    LossyPair reads({Verb::read, 16});
    CHECK(reads.run() == 9);
    LossyPair writes({Verb::write, 4});
    CHECK(writes.run() == 9);
}

TEST_CASE("V-S2, V-C3: go-back-N needs no timer when READ responses are lost and more of them are on their way",
          "[verbs]") {
    for (const std::uint32_t messages : {1U, 2U, 4U, 16U, 64U}) {
        for (const char* const policy : {"go_back_n", "go_back_0", "selective_repeat"}) {
            LossyPair reads({Verb::read, messages, policy});
            INFO(messages << " messages, " << policy);
            reads.run();
            CHECK(reads.losses() == 9);
            CHECK(reads.steps() < 500);
        }
    }
}

TEST_CASE("V-S10, V-R12: behind a lost first packet of a WRITE nothing else is sent again", "[verbs]") {
    for (const std::uint32_t messages : {16U, 64U}) {
        LossyPair pair({Verb::write, messages, "selective_repeat"});
        const std::uint32_t repeated = pair.run();
        CHECK(repeated == pair.losses());
        CHECK(repeated == 9);
    }
}

TEST_CASE("V-C9: after one lost answer the repeats are no more with more messages", "[verbs]") {
    for (const Verb verb : {Verb::fetch_add, Verb::atomic_write, Verb::read}) {
        for (const std::uint32_t messages : {100U, 200U, 400U}) {
            INFO(static_cast<int>(verb) << ", " << messages << " messages");
            CHECK(OneAnswerLost(verb, messages, "selective_repeat").run() == 1);
            CHECK(OneAnswerLost(verb, messages, "go_back_n").run() == 6);  // all that are under way
        }
    }
}

}  // namespace rnicsim::rc
