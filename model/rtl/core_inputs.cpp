// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/core_inputs.h"

#include <algorithm>
#include <cstring>

namespace rnicsim {
namespace {

constexpr std::uint8_t kPreamble = 0x55;
constexpr std::uint8_t kSfd = 0xD5;

}  // namespace

void CoreInputs::frame(const Frame& frame, Cycle due) {
    Bytes bytes(kPreambleAndSfdBytes, kPreamble);
    bytes.back() = kSfd;
    bytes.insert(bytes.end(), frame.bytes().begin(), frame.bytes().end());
    const Cycle first = due - Cycle{static_cast<std::int64_t>(bytes.size())};
    frames_.push(std::move(bytes), first);
}

void CoreInputs::payload(std::span<const std::uint8_t> payload, Cycle at) {
    const auto words = static_cast<std::int64_t>((payload.size() + 7) / 8);
    payloads_.push({payload.begin(), payload.end()}, std::max(at - Cycle{words}, last_fill_ + Cycle{1}));
    last_fill_ = at;
}

void CoreInputs::ordinary(const Frame& frame, Cycle at) {
    const std::span<const std::uint8_t> bytes = frame.without_fcs();
    ordinary_.push({bytes.begin(), bytes.end()}, at);
    ordinary_waiting_.push({}, at + Cycle{1});
}

CoreInputs::Byte CoreInputs::byte_from_wire(Cycle now) {
    if (!frames_.ready(now)) return {};
    const Bytes& frame = frames_.front();
    const Byte byte{true, frame[frame_at_], false};
    if (++frame_at_ == frame.size()) {
        static_cast<void>(frames_.pop());
        frame_at_ = 0;
    }
    return byte;
}

CoreInputs::Fill CoreInputs::fill(Cycle now) {
    if (!payloads_.ready(now)) return {};
    const Bytes& payload = payloads_.front();
    Fill fill;
    if (payload_at_ < payload.size()) {
        fill.valid = true;
        std::memcpy(&fill.word, payload.data() + payload_at_, std::min<std::size_t>(8, payload.size() - payload_at_));
        payload_at_ += 8;
        return fill;
    }
    static_cast<void>(payloads_.pop());
    payload_at_ = 0;
    fill.complete = true;
    return fill;
}

bool CoreInputs::ordinary_waits(Cycle now) { return ordinary_waiting_.ready(now); }

void CoreInputs::ordinary_starts() { static_cast<void>(ordinary_waiting_.pop()); }

CoreInputs::Byte CoreInputs::byte_of_ordinary() {
    if (ordinary_.empty()) return {};
    const Bytes& frame = ordinary_.front();
    const Byte byte{true, frame[ordinary_at_], ordinary_at_ + 1 == frame.size()};
    ++ordinary_at_;
    if (byte.last) {
        static_cast<void>(ordinary_.pop());
        ordinary_at_ = 0;
    }
    return byte;
}

bool CoreInputs::empty() const {
    return commands.empty() && requests.empty() && tags.empty() && left.empty() && frames_.empty() &&
           payloads_.empty() && ordinary_.empty();
}

Cycle CoreInputs::next_due(Cycle now) const {
    if (frame_at_ != 0 || payload_at_ != 0 || ordinary_at_ != 0) return now;
    return std::min({commands.next_due(), requests.next_due(), tags.next_due(), left.next_due(), frames_.next_due(),
                     payloads_.next_due(), ordinary_waiting_.next_due()});
}

}  // namespace rnicsim
