// SPDX-License-Identifier: Apache-2.0
// What applications do: operations of their users, what their ends do for them, and what cores work for.
#pragma once

#include "model/host/cpu/processor_observer.h"
#include "model/rnic/rc/verbs.h"
#include "testbench/events/event_row.h"
#include "tlm/roce/packet.h"
#include "tlm/time/time.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace rnicsim {

/// A connection of an application: who asks, who answers, and that one's QP in order of creation at its host, from 0.
struct OperationEnds {
    std::uint16_t asks = 0, answers = 0;  ///< hosts
    std::uint32_t qp = 0;
    friend bool operator==(const OperationEnds&, const OperationEnds&) = default;
};

struct OperationStep {
    static constexpr bool kOfHost = true;
    enum class Step : std::uint8_t {
        asked,   ///< `at`: the user wants it
        marked,  ///< it has come so far: `part` of its time ends
        ended,
        failed
    };
    static constexpr std::uint32_t kNone = ~0U;
    Step step = Step::asked;
    OperationEnds of{};
    std::uint32_t number = 0;  ///< of the connection, from 0
    std::uint8_t part = 0;     ///< of `marked`
    // Of `asked`, by side: who asks, who answers.
    std::uint32_t bytes = 0;
    std::array<roce::Qpn, 2> qps{};
    std::array<roce::Psn, 2> first{};  ///< that it sends
    std::array<std::uint32_t, 2> streams{kNone, kNone};
    std::array<std::uint16_t, 2> threads{};
    std::array<Time, 2> handlers{};  ///< from an interrupt to its handler
    /// Where it stores to the other end, through a bridge, and by which core; no bytes: nowhere.
    struct Window {
        std::uint64_t address = 0, bytes = 0;
        std::uint16_t core = 0;
        friend bool operator==(const Window&, const Window&) = default;
    };
    std::array<Window, 2> windows{};

    friend bool operator==(const OperationStep&, const OperationStep&) = default;
};

/// What an end does, or is told. `at`: when its thread comes to it.
struct EndStep {
    static constexpr bool kOfHost = true;
    /// By kEndStepNames.
    enum class What : std::uint8_t {
        posts,
        registers,
        deregisters,
        writes,  ///< to the stream
        reads,
        copies,
        calls,
        received,
        completed,
        got,  ///< bytes of the stream
        told  ///< that there are some
    };
    What what{};
    OperationEnds of{};
    rc::Verb verb{};  ///< of `posts`
    std::uint32_t bytes = 0;

    friend bool operator==(const EndStep&, const EndStep&) = default;
};
inline constexpr std::array<std::string_view, 11> kEndStepNames{
    "posts", "registers", "deregisters", "writes", "reads", "copies", "calls", "received", "completed", "got", "told"};

/// A core works, from `since` to `at`.
struct CoreStep {
    static constexpr bool kOfHost = true;
    Charge kind{};
    WorkedBy by{};
    std::uint16_t thread = 0;

    friend bool operator==(const CoreStep&, const CoreStep&) = default;
};

std::string text(const OperationStep& step);
EventPlace place_of(const OperationStep& step);
EventColumns columns_of(const OperationStep& step, const HostNames& hosts);
std::string text(const EndStep& step);
EventPlace place_of(const EndStep& step);
EventColumns columns_of(const EndStep& step, const HostNames& hosts);
std::string text(const CoreStep& step);
EventPlace place_of(const CoreStep& step);
EventColumns columns_of(const CoreStep& step, const HostNames& hosts);
/// "posts SEND of 64 B", "has 4 KiB of the stream".
std::string end_text(const EndStep& step);

}  // namespace rnicsim
