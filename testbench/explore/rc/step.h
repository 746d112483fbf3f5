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
    request,  ///< the asking end sends its next packet
    answer,
    deliver_request,
    deliver_answer,
    posted,  ///< the oldest write of the answering end is in memory
    atomic,
    timer,  ///< of the asking end; a fault unless nothing else can happen
    taken,  ///< by the MAC; of UC and UD
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
                                                                 "timer",
                                                                 "taken by MAC",
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
/// Of a fault or an arrival: on the wire of requests?
constexpr bool is_of_request(Step step) {
    if (!is_fault(step)) return step == Step::deliver_request;
    return (static_cast<unsigned>(step) - static_cast<unsigned>(Step::lose_request)) % 2 == 0;
}

/// A timer that expires early is a fault.
struct Move {
    Step step = Step::post;
    bool early = false;
};

}  // namespace rnicsim::rc
