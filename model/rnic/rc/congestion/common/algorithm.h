// SPDX-License-Identifier: Apache-2.0
// A congestion control as a scenario names it (`system.rnic.rc.congestion`): what the card has to do for it, and the
// state that each QP begins with.
#pragma once

#include "model/policy.h"
#include "model/rnic/rc/congestion/common/control.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace rnicsim::rc {

struct CongestionConfigs;

/// What an algorithm is told of the card.
struct CardFacts {
    std::int64_t line_rate = 1'000'000'000;  ///< bit/s
    std::uint32_t port_mtu = 1024;           ///< bytes of payload, at most, of a packet
};

/// What an algorithm asks of the card; what nobody asks for costs nothing.
struct Traits {
    /// Packets are ECN-capable, and a mark on one brings a CNP to who sent it (V-D1).
    bool hears_marks = false;
    /// Sizes and times of what is not acknowledged are kept (V-D7, V-D8).
    bool hears_acks = false;
    /// It is told of lost packets (V-D8).
    bool hears_losses = false;
};

class CongestionAlgorithm : public Policy {
  public:
    [[nodiscard]] virtual Traits traits() const = 0;
    /// Of a QP that has sent nothing. nullptr: nothing controls it.
    [[nodiscard]] virtual std::unique_ptr<CongestionControl> start(const CongestionConfigs& configs,
                                                                   const CardFacts& card) const = 0;
    /// bit/s: a QP is never slower. Nothing: it keeps the port's rate. The scenario reader wants timers to outlast
    /// packets at this rate, and names the key system.rnic.rc.NAME.least_rate if they do not.
    [[nodiscard]] virtual std::optional<std::int64_t> least_rate(const CongestionConfigs& configs) const = 0;

    [[nodiscard]] bool hears_marks() const { return traits().hears_marks; }
    [[nodiscard]] bool hears_acks() const { return traits().hears_acks; }
    [[nodiscard]] bool hears_losses() const { return traits().hears_losses; }
};

/// All of them, `none` first: congestion/algorithms.cpp.
std::span<const CongestionAlgorithm* const> congestion_algorithms();

/// Throws std::invalid_argument.
const CongestionAlgorithm& congestion_control(std::string_view name);
std::vector<std::string_view> congestion_control_names();

}  // namespace rnicsim::rc
