// SPDX-License-Identifier: Apache-2.0
// How brpc's ends cut requests into messages, hold them back and wake each other.
#pragma once

#include "model/keys/fields.h"
#include "model/traffic.h"

#include <cstdint>

namespace rnicsim::applications {

/// Which messages wake who waits for such.
enum class Solicit : std::uint8_t {
    some,  ///< those of which the other end has to hear at once
    all,
    none  ///< a fault: ACKs alone
};

struct RpcSettings {
    std::uint32_t answer = 64;      ///< bytes
    std::uint32_t block = 8 << 10;  ///< bytes of a receive WQE's memory, its header included
    std::uint32_t queue = 128;      ///< receive WQEs of an end
    Solicit solicit = Solicit::some;
    // Faults, to see what they do: `unsafe` lets them be run.
    bool window = true;  ///< nothing is sent for which the other end has no receive WQE
    bool unsafe = false;

    // brpc's published code has these in its source.
    static constexpr std::uint32_t kBlockHeader = 32;        ///< bytes that a block keeps for itself
    static constexpr std::uint32_t kReserved = 3;            ///< receive WQEs for ACKs that carry nothing else
    static constexpr std::uint32_t kCopied = 512;            ///< bytes from which on a message is not copied
    static constexpr std::uint32_t kUnheard = 1 << 20;       ///< bytes that come without waking anybody
    static constexpr std::uint32_t kHeader = 12;             ///< bytes in front of a request, and of an answer
    static constexpr std::uint32_t kHello = 40, kReady = 4;  ///< bytes by TCP when a connection begins

    /// Bytes of a message.
    [[nodiscard]] std::uint32_t payload() const { return block - kBlockHeader; }
    /// Messages to which the other end has not given the receive WQE back.
    [[nodiscard]] std::uint32_t most() const { return queue - kReserved; }
    /// Messages whose receive WQEs an end owes to the other one, when it says so in a message of its own.
    [[nodiscard]] std::uint32_t ack_at() const { return most() / 2 + 2; }
    /// A message that wakes nobody has at most so many such before it, and each so many ask for a completion.
    [[nodiscard]] std::uint32_t quarter() const { return most() / 4; }
    /// Messages of a request or an answer.
    [[nodiscard]] std::uint32_t messages_of(std::uint32_t bytes) const {
        return (kHeader + bytes + payload() - 1) / payload();
    }
    /// Bytes of it that are copied where they come: the last message, if it is short.
    [[nodiscard]] std::uint32_t copied_of(std::uint32_t bytes) const {
        const std::uint32_t whole = kHeader + bytes, last = whole - (messages_of(bytes) - 1) * payload();
        if (payload() < kCopied) return whole;
        return last < kCopied ? last : 0;
    }
};

const Fields<RpcSettings>& rpc_fields();
[[nodiscard]] inline const RpcSettings& rpc_of(const TrafficConfig& item) { return item.settings.of<RpcSettings>(); }

}  // namespace rnicsim::applications
