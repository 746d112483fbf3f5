// SPDX-License-Identifier: Apache-2.0
// The words for samples of messages between RoCEv2 RNICs, durable ones among them.
#pragma once

#include "model/rnic/rc/verbs.h"
#include "testbench/records/sample_kind.h"

#include <array>
#include <cstddef>

namespace rnicsim {

/// Where the time of a message goes (message_ledger.h).
enum class MessagePart : std::uint8_t { post, fetch, queue, wire, retransmission, rnr, completion, count };
inline constexpr std::size_t kMessageParts = static_cast<std::size_t>(MessagePart::count);
inline constexpr std::array<std::string_view, kMessageParts> kMessagePartNames{
    "post", "fetch", "queue", "wire", "retransmission", "rnr", "completion"};

/// `status` of a message whose sender took a completion with an error, or none; of one without answers: that it has not
/// come.
inline constexpr std::uint8_t kMessageLost = 1;

/// `operation` is a Verb. `id` is the order within its QP.
inline constexpr SampleKind kMessageSample{
    .name = "message",
    .parts = kMessagePartNames,
    .decimals = 3,
    .number = [](const Sample& of) { return "q" + std::to_string(of.qp) + '.' + std::to_string(of.id); },
    .operation = [](std::uint8_t of) { return rc::verb_name(static_cast<rc::Verb>(of)); }};

constexpr rc::Verb verb_of(const Sample& message) { return static_cast<rc::Verb>(message.operation); }

}  // namespace rnicsim
