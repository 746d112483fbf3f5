// SPDX-License-Identifier: Apache-2.0
// The two ends of an application's connection between reliable queues, without time: everything that is on its way may
// come next. Or those of several, where ends of a host share memory. A value: copies go their own way.
#pragma once

#include "testbench/applications/application.h"
#include "testbench/applications/send_queue.h"
#include "testbench/explore/mixer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim::explore {

/// What happens next, at an end or on the way from it.
enum class PairStep : std::uint8_t {
    ask,         ///< the user wants its next operation
    request,     ///< the next request of the QP is carried out by the other end's card
    answer,      ///< what the other card says of the oldest one: it is complete
    stream,      ///< bytes of the stream come to the other end
    completion,  ///< the end takes its next completion
    socket,      ///< ... its next event of the stream
    command,     ///< ... the end of a command, or of what it has done
    notice,      ///< ... that its memory has been written
    timer,       ///< ... the end of a wait; all that is on its way comes before
    death        ///< who asks does nothing any more, while its card goes on
};
inline constexpr std::array<std::string_view, 10> kPairStepNames{"ask",    "request", "answer", "stream", "completion",
                                                                 "socket", "command", "notice", "timer",  "death"};

struct PairMove {
    PairStep step{};
    std::uint8_t side = 0;     ///< of connection side / 2: who asks, 0, or answers, 1
    std::uint8_t variant = 0;  ///< stream: 0 all bytes, 1 half of them, if one connection is explored
};

/// What is explored.
struct PairPlan {
    const applications::Application* application = nullptr;
    const TrafficConfig* item = nullptr;
    std::vector<std::uint32_t> sizes;  ///< of the operations of a connection, bytes
    bool sleeps = false;               ///< ends whose plan says so look at completions when a solicited one has come
    /// Who asks may die, and waits may end before what is on its way has come; messages of a stream come whole.
    /// Operations may fail then, and at last who lives has registered what it began with.
    bool faults = false;
};

/// All connections of the item where its ends share memory, else one.
[[nodiscard]] std::vector<std::array<applications::Seat, 2>> seats_of(const PairPlan& plan);

/// What happens, in words.
struct PairLine {
    unsigned side = 0;
    bool on_the_way = false;  ///< from there to the other end
    std::string text;
};

class PairWorld {
  public:
    /// `plan` must outlive all copies. `told`: what happens is added to it; not owned, may be nullptr, and copies have
    /// none.
    explicit PairWorld(const PairPlan& plan, std::vector<PairLine>* told = nullptr);
    PairWorld(const PairWorld& other);
    PairWorld& operator=(const PairWorld& other);
    PairWorld(PairWorld&&) = default;
    PairWorld& operator=(PairWorld&&) = default;
    ~PairWorld() = default;

    /// False: it cannot be next.
    bool apply(const PairMove& move);
    [[nodiscard]] bool over() const;
    /// Two for each connection.
    [[nodiscard]] std::size_t sides() const { return sides_.size(); }
    /// The rule that is broken; empty: none is.
    [[nodiscard]] const std::string& broken() const { return broken_; }
    /// By connection.
    [[nodiscard]] const std::vector<applications::Counts>& counts() const { return counts_; }
    [[nodiscard]] Digest state() const;

  private:
    struct Request {
        applications::WorkRequest what;
        std::vector<std::uint8_t> came{};  ///< of a READ that has been carried out
    };
    struct Receive {
        applications::Place at;
        std::uint32_t bytes = 0, tag = 0;
    };
    struct Watch {
        applications::Place at;
        std::uint32_t tag = 0;
    };
    struct Side {
        unsigned host = 0;
        std::vector<std::size_t> areas;  ///< in memory_
        std::vector<bool> registered;
        std::deque<Request> requests, answers;
        std::deque<Receive> receives;
        std::deque<applications::Event> completions, of_socket, commands, notices, timers;
        std::vector<Watch> watches;
        std::deque<std::vector<std::uint8_t>> sent;  ///< by the stream, on its way
        std::deque<std::uint8_t> socket;             ///< has come, and is not read
        applications::Place read_to;
        std::uint32_t read_most = 0;  ///< a call waits
        bool told = false;            ///< that there are bytes, and has not read since
        applications::SendQueue sends{1};
        std::deque<std::uint32_t> signaled;  ///< of them, those of whose completion the end has not been told
        bool sleeps = false;                 ///< until a solicited message has come
        bool solicits = false;               ///< one has, since it last looked
        bool failed = false;                 ///< its QP
    };
    class Hands;

    void copy_from(const PairWorld& other);
    bool happens(const PairMove& move);
    void post_waiting(unsigned side);
    void wake(unsigned side, std::uint32_t shared, std::uint32_t tag);
    void tell(unsigned side, const applications::Event& event);
    bool tell_next(unsigned side, std::deque<applications::Event> Side::*from);
    bool carry_out(unsigned side);
    bool answer(unsigned side);
    void notice(Side& of, applications::Place at, std::uint32_t bytes);
    void refuse(unsigned side);
    void check_registered();
    [[nodiscard]] bool lives(unsigned side) const { return side != 0 || !dead_; }
    /// Nothing is on its way, and no end has anything to look at.
    [[nodiscard]] bool is_quiet() const;
    bool stream(unsigned side, unsigned variant);
    void read_if_there(Side& of);
    void tell_if_there(Side& of);
    template <typename... Said>
    void say(unsigned side, bool on_the_way, const Said&... said) {
        if (told_ == nullptr) return;
        const std::string of = sides_.size() == 2 ? "" : std::to_string(side / 2) + ": ";
        told_->push_back({side % 2, on_the_way, of + words({std::string(said)...})});
    }
    [[nodiscard]] static std::string words(std::initializer_list<std::string> said);
    void breaks(const std::string& rule) {
        if (broken_.empty()) broken_ = rule;
    }
    [[nodiscard]] std::uint8_t* bytes(unsigned side, applications::Place at, std::uint32_t count);

    const PairPlan* plan_;
    std::vector<std::vector<std::uint8_t>> memory_;  // areas, those that are shared once
    std::vector<Side> sides_;
    std::vector<std::unique_ptr<applications::End>> ends_;
    std::vector<std::size_t> asked_, over_;  // operations, by connection
    std::vector<applications::Counts> counts_;
    bool dead_ = false;  ///< the first who asks
    std::string broken_;
    std::vector<PairLine>* told_ = nullptr;  // not owned
};

/// Which count differs from the application's formula; empty: none does.
[[nodiscard]] std::string wrong_count(const PairPlan& plan, const std::vector<applications::Counts>& counts);

[[nodiscard]] inline Digest digest(const PairWorld& world) { return world.state(); }

/// All that can be next.
class PairMoves {
  public:
    template <typename Reached>
    void each(const PairWorld& world, PairWorld& scratch, const Reached& reached) {
        for (std::size_t step = 0; step < kPairStepNames.size(); ++step) {
            for (std::size_t side = 0; side < world.sides(); ++side) {
                for (std::uint8_t variant = 0; variant < 2; ++variant) {
                    const PairMove move{static_cast<PairStep>(step), static_cast<std::uint8_t>(side), variant};
                    scratch = world;
                    if (!scratch.apply(move)) continue;
                    if (!reached(move, false, scratch.broken())) return;
                }
            }
        }
    }
    void entered(const PairWorld& world) {
        if (world.over()) ends.push_back(world.counts());
    }
    std::vector<std::vector<applications::Counts>> ends;  ///< of each state in which all is over
};

}  // namespace rnicsim::explore
