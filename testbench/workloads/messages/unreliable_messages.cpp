// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/messages/unreliable_messages.h"

#include "testbench/kits/rc/verbs_message.h"
#include "tlm/ethernet/ipv4.h"

#include <fmt/format.h>

#include <algorithm>

namespace rnicsim {
namespace {

/// What a datagram's receive buffer has to begin with (V-U2).
bool has_addresses(std::span<const std::uint8_t> memory) {
    constexpr std::size_t kZeros = rc::kGrhBytes - kIpv4HeaderBytes;
    return std::ranges::all_of(memory.first(kZeros), [](std::uint8_t byte) { return byte == 0; }) &&
           memory[kZeros] == 0x45 && internet_checksum(memory.subspan(kZeros, kIpv4HeaderBytes)) == 0;
}

}  // namespace

std::uint64_t UnreliableMessages::key_of(std::uint32_t message) const {
    return message_key(connection_, sender_, message);
}

template <class MayBe>
std::optional<std::uint32_t> UnreliableMessages::find(std::span<const std::uint8_t> bytes, std::uint32_t likely,
                                                      std::uint32_t step, MayBe may_be) const {
    for (std::uint64_t m = likely; m < times_.size(); m += step) {
        const auto message = static_cast<std::uint32_t>(m);
        if (may_be(kinds_.at(message)) && is_filled(bytes, key_of(message), 0)) return message;
    }
    for (std::int64_t m = std::int64_t{likely} - step; m >= 0; m -= step) {  // one that was late, or a copy
        const auto message = static_cast<std::uint32_t>(m);
        if (message < times_.size() && may_be(kinds_.at(message)) && is_filled(bytes, key_of(message), 0))
            return message;
    }
    return {};
}

void UnreliableMessages::arrives(std::uint32_t message) {
    ++arrivals_;
    std::uint8_t& times = times_[message];
    if (times != 0) ++copies_;
    times = static_cast<std::uint8_t>(std::min(times + 1, 255));
    next_ = std::max(next_, message + 1);
}

std::string UnreliableMessages::placed(std::uint64_t address, std::span<const std::uint8_t> bytes) {
    const auto number = static_cast<std::uint32_t>((address - in_.address) / in_.slot_bytes);
    const auto offset = static_cast<std::uint32_t>((address - in_.address) % in_.slot_bytes);
    const auto length = static_cast<std::uint32_t>(bytes.size());
    Slot& slot = slots_[number];
    if (offset == 0) {  // of the one before nothing more comes
        slot.message = find(bytes, slot.message ? *slot.message + in_.slots : number, in_.slots,
                            [&](MessageKind kind) { return !is_send(kind.verb) && length <= kind.bytes; });
        if (!slot.message) return "V-U1: bytes are placed that nobody has sent there";
        slot.placed = 0;
    } else if (!slot.message || offset != slot.placed) {
        return fmt::format("V-U1: {} bytes are placed from byte {} on, where {} were", length, offset, slot.placed);
    } else if (!is_filled(bytes, key_of(*slot.message), offset)) {
        return fmt::format("V-U1: other bytes are placed from byte {} of message {} on", offset, *slot.message);
    }
    slot.placed += length;
    if (slot.placed == kinds_.at(*slot.message).bytes) arrives(*slot.message);
    return {};
}

std::string UnreliableMessages::received(rc::Verb verb, std::span<const std::uint8_t> memory, std::uint32_t immediate) {
    if (verb == rc::Verb::write_imm) {
        if (!came(immediate)) return "V-I6: a receive ends before its payload has come";
        return kinds_.at(immediate).bytes == memory.size() ? "" : "V-I2: a receive of another size than its message";
    }
    if (item_->verbs.service == roce::Service::datagram) {
        if (!has_addresses(memory)) return "V-U2: a receive buffer does not begin with the datagram's addresses";
        memory = memory.subspan(rc::kGrhBytes);
    }
    const std::optional<std::uint32_t> message =
        find(memory, next_, 1, [&](MessageKind kind) { return kind.verb == verb && kind.bytes == memory.size(); });
    if (!message) return "V-U1: what has come is no message that was sent";
    if (verb == rc::Verb::send_imm && immediate != *message) return "V-I2: a receive with another message's immediate";
    arrives(*message);
    return {};
}

}  // namespace rnicsim
