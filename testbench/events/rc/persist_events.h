// SPDX-License-Identifier: Apache-2.0
// What programs do to make data durable, and where on their way to memory these are.
#pragma once

#include "model/rnic/rc/verbs.h"
#include "testbench/events/event_row.h"
#include "testbench/records/line_write.h"
#include "tlm/roce/packet.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace rnicsim {

/// What programs do with an item of a scheme, or see of it.
struct PersistStep {
    static constexpr bool kOfHost = true;
    enum class Step : std::uint8_t {
        posted,     ///< the initiator's program posts the data; `at`: it calls
        follows,    ///< ... another message for them
        answers,    ///< the responder's program posts its message
        arrived,    ///< a program has taken the other one's message
        flushes,    ///< the responder's processor begins to flush the data
        written,    ///< the initiator's program is told that they are written
        persisted,  ///< ... that they are durable
        failed,     ///< ... that they will not be
    };
    Step step = Step::posted;
    std::uint16_t sender = 0, receiver = 0;  ///< hosts: the initiator, the responder
    std::uint32_t qp = 0;                    ///< at its initiator, in order of creation, from 0
    std::uint32_t number = 0;                ///< of this QP, from 0
    std::uint32_t cqe = 0;                   ///< n-th that the host's program has taken, from 1; 0: it comes of none
    rc::Verb verb{};                         ///< this and what follows: of what is posted
    std::uint32_t bytes = 0;
    roce::Qpn from, to;
    roce::Psn first;  ///< it takes `packets` PSNs from here on
    std::uint32_t packets = 0;
    roce::Psn first_of_qp;    ///< what `from` has sent first
    std::uint64_t place = 0;  ///< where the data land at the responder

    friend bool operator==(const PersistStep&, const PersistStep&) = default;
};

/// A write of a line of persistent memory comes into a stage on its way; booked ahead, so `during` is when that was
/// known.
struct LineStep {
    WriteStage stage = WriteStage::nowhere;
    std::uint64_t number = 0;  ///< of the write, counted by host
    std::uint64_t address = 0;
    std::uint64_t mask = 0;  ///< bit i: byte i of the line is written
    std::uint16_t sender = 0;
    std::uint32_t qp = 0, item = 0;  ///< whose data: of this QP of the sender
    bool stored = false;             ///< nobody's: the host's processor has written where data will go

    friend bool operator==(const LineStep&, const LineStep&) = default;
};

std::string text(const PersistStep& step);
EventPlace place_of(const PersistStep& step);
EventColumns columns_of(const PersistStep& step, const HostNames& hosts);
std::string text(const LineStep& line);
EventPlace place_of(const LineStep& line);
EventColumns columns_of(const LineStep& line, const HostNames& hosts);
/// "posted", "follows" ...
std::string_view step_name(PersistStep::Step step);

}  // namespace rnicsim
