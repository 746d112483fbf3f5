// SPDX-License-Identifier: Apache-2.0
// One step of an exploration of RoCEv2's decisions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rnicsim::rc {

enum class Step : std::uint8_t {
    post,
    post_receive,
    read_receives,
    request,  ///< a requester sends its next packet
    answer,
    deliver_request,  ///< on the way from the end that asks; where both do, from a
    deliver_answer,
    posted,  ///< the oldest write of a card is in memory
    atomic,
    flush_read,       ///< under way at a card that answers: it comes back
    timer,            ///< of a requester; a fault unless nothing else can happen
    taken,            ///< by the MAC; of UC and UD
    modify_to_error,  ///< at most one of this and the next a run; then, when all is quiet, the other end as well
    deregister,       ///< the region of b
    // Faults of the first frame on a wire.
    lose_request,
    lose_answer,
    copy_request_next,
    copy_answer_next,
    copy_request_last,
    copy_answer_last,
    overtake_request,
    overtake_answer,
    overtake_request_all,
    overtake_answer_all,
    count
};

inline constexpr std::size_t kSteps = static_cast<std::size_t>(Step::count);

/// As the command prints them, by Step.
inline constexpr std::array<std::string_view, kSteps> kStepNames{"post",
                                                                 "post receive",
                                                                 "read receives",
                                                                 "request",
                                                                 "answer",
                                                                 "request comes",
                                                                 "answer comes",
                                                                 "posted to memory",
                                                                 "atomic",
                                                                 "flush read done",
                                                                 "timer",
                                                                 "taken by MAC",
                                                                 "modify to ERR",
                                                                 "deregister",
                                                                 "request lost",
                                                                 "answer lost",
                                                                 "request copied next",
                                                                 "answer copied next",
                                                                 "request copied last",
                                                                 "answer copied last",
                                                                 "request overtaken",
                                                                 "answer overtaken",
                                                                 "request overtaken by all",
                                                                 "answer overtaken by all"};
constexpr std::string_view step_name(Step step) { return kStepNames.at(static_cast<std::size_t>(step)); }

constexpr bool is_fault(Step step) { return step >= Step::lose_request && step <= Step::overtake_answer_all; }
constexpr bool is_arrival(Step step) { return step == Step::deliver_request || step == Step::deliver_answer; }
/// Of a fault or an arrival: on the wire of requests?
constexpr bool is_of_request(Step step) {
    if (!is_fault(step)) return step == Step::deliver_request;
    return (static_cast<unsigned>(step) - static_cast<unsigned>(Step::lose_request)) % 2 == 0;
}

enum class Fate : std::uint8_t { lost, copied_next, copied_last, overtaken, overtaken_by_all };
/// Precondition: is_fault(step).
constexpr Fate fate_of(Step step) {
    return static_cast<Fate>((static_cast<unsigned>(step) - static_cast<unsigned>(Step::lose_request)) / 2);
}

/// What has come of a step that was tried.
enum class Outcome : std::uint8_t {
    impossible,  ///< now; nothing has changed
    in_vain,     ///< nor could it happen, but the world is not what it was
    done,
    at_a_cost,  ///< done, and it was a fault, or what a program does once in a run
};
constexpr bool is_done(Outcome o) { return o >= Outcome::done; }

struct Move {
    Step step = Step::post;
    std::uint8_t of = 0;  ///< of which requester, connection, end or card: the world says which there are
    bool at_a_cost = false;
};

}  // namespace rnicsim::rc
