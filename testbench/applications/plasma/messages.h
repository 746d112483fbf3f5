// SPDX-License-Identifier: Apache-2.0
// What Plasma's managers tell each other, and where an end's memory has what. All messages have one length.
#pragma once

#include "testbench/applications/end.h"

#include <boost/endian/conversion.hpp>

#include <cstdint>

namespace rnicsim::applications::plasma {

/// A header of 16 B, an object's identifier of 20 B, sizes: below 64 B, which is what a message is here. (The thesis
/// does not say; time moves by the wire time of the difference.)
inline constexpr std::uint32_t kMessage = 64;

// Areas, of both ends.
inline constexpr std::uint32_t kStreamOut = 0, kStreamIn = 1;  ///< a message each
inline constexpr std::uint32_t kSlots = 2;                     ///< of receives
inline constexpr std::uint32_t kObject = 3;
inline constexpr std::uint32_t kSends =
    4;  ///< one message; behind it, of who sends objects, a slot a chunk of a window

/// TRANSFER names an object, DATA has its size, INFO where it is; ACK and FIN say nothing more. Here TRANSFER has the
/// size as well: it is the owner's store that knows it, which has no other object of this name.
struct Message {
    /// By the stream: an object; where it is; HELLO, who the two hosts are. The answer is about the same.
    enum class About : std::uint8_t { object, place, hosts };
    std::uint32_t operation = 0;
    std::uint32_t bytes = 0;
    Remote object{};
    About about = About::object;
};

inline void write(const Message& message, std::span<std::uint8_t> out) {
    boost::endian::store_little_u32(&out[0], message.operation);
    boost::endian::store_little_u32(&out[4], message.bytes);
    boost::endian::store_little_u64(&out[8], message.object.address);
    boost::endian::store_little_u32(&out[16], message.object.key);
    out[20] = static_cast<std::uint8_t>(message.about);
}
inline Message read(std::span<const std::uint8_t> in) {
    return {boost::endian::load_little_u32(&in[0]),
            boost::endian::load_little_u32(&in[4]),
            {boost::endian::load_little_u64(&in[8]), boost::endian::load_little_u32(&in[16])},
            Message::About{in[20]}};
}

/// A message of the stream, which comes in pieces.
class StreamMessage {
  public:
    /// More of it is wanted.
    void ask(Actions& actions) const { actions.stream_receive({kStreamIn, have_}, kMessage - have_); }
    /// True: it is complete.
    bool came(std::uint32_t bytes) {
        have_ = (have_ + bytes) % kMessage;
        return have_ == 0;
    }
    static Message take(Actions& actions) { return read(actions.memory({kStreamIn, 0}, kMessage)); }
    static void send(const Message& message, Actions& actions) {
        write(message, actions.memory({kStreamOut, 0}, kMessage));
        actions.stream_send({kStreamOut, 0}, kMessage);
    }

    [[nodiscard]] std::uint32_t have() const { return have_; }

  private:
    std::uint32_t have_ = 0;
};

/// A message by SEND.
inline void send(const Message& message, std::uint32_t tag, Actions& actions) {
    write(message, actions.memory({kSends, 0}, kMessage));
    WorkRequest request;
    request.local = {kSends, 0};
    request.bytes = kMessage;
    request.tag = tag;
    actions.post_send(request);
}

}  // namespace rnicsim::applications::plasma
