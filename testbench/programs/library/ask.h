// SPDX-License-Identifier: Apache-2.0
// Requests to the simulator, by type.
#pragma once

#include "testbench/programs/preload/client.h"

#include <cerrno>

namespace rnicsim::programs {

/// For what has no request or no answer.
struct Nothing {};

namespace detail {
template <class Part>
iovec part_of(const Part& part) {
    return {const_cast<Part*>(&part), sizeof part};
}
/// What is between its fields is 0: valgrind would complain of what nobody has written. (Clang 14 has no such
/// function.)
template <class Part>
Part without_gaps(Part part) {
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&part);
#endif
    return part;
}
}  // namespace detail

/// 0 or an errno. An answer of another length than expected is EPROTO.
template <class Request, class Answer>
int ask(Op op, const Request& request, Answer& answer, int* descriptor = nullptr) {
    constexpr bool kAsks = !std::is_same_v<Request, Nothing>;
    constexpr std::size_t kRoom = std::is_same_v<Answer, Nothing> ? 0 : sizeof(Answer);
    const Request clean = detail::without_gaps(request);
    const iovec part = detail::part_of(clean);
    std::size_t got = 0;
    const int error = rnicsim_call(op, &part, kAsks ? 1 : 0, &answer, kRoom, &got, descriptor);
    return error == 0 && got != kRoom ? EPROTO : error;
}

template <class Request>
int ask(Op op, const Request& request) {
    Nothing none;
    return ask(op, request, none);
}

/// Something that tells of events on a descriptor. What finds no descriptor is not made.
inline int ask_events(Op op, Made& answer, int* descriptor) {
    const int error = ask(op, Nothing{}, answer, descriptor);
    if (error == EMFILE && answer.handle != 0) ask(Op::destroy_channel, answer.handle);
    return error;
}

/// Sets errno and returns null: how functions that make things fail.
inline std::nullptr_t fail(int error) {
    errno = error;
    return nullptr;
}

}  // namespace rnicsim::programs
