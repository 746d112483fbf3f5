// SPDX-License-Identifier: Apache-2.0
// What goes over a bridge between two hosts, what becomes of it, and when its credits are back.
#pragma once

#include "testbench/events/event_row.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace rnicsim {

/// What a TLP on a bridge's link is.
enum class BridgeTlp : std::uint8_t {
    write,       ///< MWr
    read,        ///< MRd
    completion,  ///< CplD
    refusal,     ///< Cpl: nobody has what was asked for
    interrupt    ///< MWr to the interrupt address, made by the bridge itself
};
inline constexpr std::array<std::string_view, 5> kBridgeTlpNames{"MWr", "MRd", "CplD", "Cpl", "MSI"};

/// Of one direction of a bridge; `end` of the event: the host that sends.
struct BridgeStep {
    /// By kBridgeStepNames.
    enum class Step : std::uint8_t {
        sent,          ///< `at`: its last byte has left the port; `since`: its first byte goes
        delivered,     ///< to the port of the other side; from now on it has an address of that host
        to_registers,  ///< taken by the bridge's
        refused,       ///< by every window, or there is no such register: an unsupported request
        dropped,       ///< the link is down
        credits_back,  ///< `at`: the sender may use them again; `since`: the other host has taken the TLP
        link_down,     ///< of both directions; `end`: the bridge's first host
        link_up
    };
    Step step = Step::sent;
    BridgeTlp tlp{};           ///< of a TLP; credits are of MWr
    std::uint16_t bridge = 0;  ///< of the system's
    std::uint16_t to = 0;      ///< the other host
    std::uint32_t tlps = 0;    ///< with so many bytes together
    std::uint32_t bytes = 0;   ///< of payload, or asked for
    std::uint64_t address = 0;
    std::uint32_t tag = 0;   ///< of a MRd, and of what answers it
    std::uint64_t hash = 0;  ///< of the payload, where it is sent

    [[nodiscard]] bool of_link() const { return step >= Step::link_down; }
    /// Has it payload that crosses?
    [[nodiscard]] bool has_payload() const { return tlp == BridgeTlp::write || tlp == BridgeTlp::completion; }

    friend bool operator==(const BridgeStep&, const BridgeStep&) = default;
};
inline constexpr std::array<std::string_view, 8> kBridgeStepNames{"sent",    "delivered",    "to_registers", "refused",
                                                                  "dropped", "credits_back", "link_down",    "link_up"};

std::string text(const BridgeStep& step);
EventPlace place_of(const BridgeStep& step);
EventColumns columns_of(const BridgeStep& step, const HostNames& hosts);
/// "MWr 64 B at 0x1000"
std::string tlp_text(const BridgeStep& step);

}  // namespace rnicsim
