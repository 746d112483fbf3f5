// SPDX-License-Identifier: Apache-2.0
// How long packets and answers between RoCEv2 cards take at least where nothing else is on the way: what timers must
// outlast.
#pragma once

#include "model/config.h"
#include "model/network/routes.h"
#include "model/rnic/rc/end/end_config.h"

#include <cstdint>
#include <optional>

namespace rnicsim {

/// Of a packet's MAC client data beside the payload, bytes, at most.
inline constexpr std::int64_t kPacketHeaders = 64;

/// So many full packets of a QP at this rate, bit/s.
Time time_at_rate(const VerbsEndConfig& end, std::int64_t packets, std::int64_t rate);
/// The least rate that the card's congestion control may bring a QP to; nothing: it has none.
std::optional<std::int64_t> least_rate(const VerbsEndConfig& end);

/// A full packet from one host to the other, and its answer, if the IIO there holds back what is behind it.
Time answer_time(const RunConfig& config, const Routes& routes, unsigned from, unsigned to);
/// What firmware of the responder's card adds until an item is durable there.
Time firmware_time(const VerbsTraffic& item, const VerbsEndConfig& responder);

}  // namespace rnicsim
