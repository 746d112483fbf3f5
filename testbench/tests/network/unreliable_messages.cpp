// SPDX-License-Identifier: Apache-2.0
// The judge of messages of UC and UD: each wrong arrival is named, and nothing that is right.
#include "testbench/workloads/messages/unreliable_messages.h"
#include "testbench/kits/rc/verbs_message.h"
#include "tlm/ethernet/ipv4.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

constexpr std::size_t kConnection = 3;
constexpr std::uint32_t kSize = 64, kSlots = 4;
constexpr std::uint64_t kBuffer = 0x1'0000;

/// Eight messages have been posted.
struct Arrivals {
    explicit Arrivals(rc::Verb verb, roce::Service service = roce::Service::unreliable) {
        item.size = kSize;
        item.verbs.operation = verb;
        item.verbs.service = service;
        judge.emplace(item, MessageKinds(item, {}, 0, 0), VerbsLayout::Buffer{kBuffer, kSlots, receive_bytes(item)},
                      kConnection, 0);
        for (int m = 0; m < 8; ++m) judge->posted();
    }
    [[nodiscard]] static std::vector<std::uint8_t> payload(std::uint32_t message) {
        std::vector<std::uint8_t> bytes(kSize);
        fill(bytes, message_key(kConnection, 0, message));
        return bytes;
    }
    /// Bytes of a WRITE from `from` on.
    std::string write(std::uint32_t message, std::uint32_t from = 0, std::uint32_t bytes = kSize) {
        return judge->placed(kBuffer + message % kSlots * std::uint64_t{kSize} + from,
                             std::span<const std::uint8_t>(payload(message)).subspan(from, bytes));
    }
    std::string receive(std::uint32_t message, std::uint32_t immediate = 0) {
        return judge->received(item.verbs.operation, payload(message), immediate);
    }
    TrafficConfig item;
    std::optional<UnreliableMessages> judge;
};

TEST_CASE("V-U1: a WRITE comes whole, in its order; what is lost is missed by nobody", "[network]") {
    Arrivals a(rc::Verb::write);
    CHECK(a.write(0).empty());
    CHECK(a.write(1, 0, 32).empty());
    CHECK(a.write(1, 32, 32).empty());
    CHECK(a.write(2, 0, 32).empty());  // its end is lost
    CHECK(a.write(6).empty());         // 2's place again
    CHECK(a.judge->came(0));
    CHECK(a.judge->came(1));
    CHECK_FALSE(a.judge->came(2));
    CHECK(a.judge->came(6));
    CHECK(a.judge->arrivals() == 3);
    CHECK(a.judge->copies() == 0);
    CHECK(a.write(1).empty());
    CHECK(a.judge->copies() == 1);
}

TEST_CASE("V-U1: a piece of a WRITE without those before it, or of another one, is named", "[network]") {
    Arrivals a(rc::Verb::write);
    CHECK(a.write(0, 32, 32) == "V-U1: 32 bytes are placed from byte 32 on, where 0 were");
    CHECK(a.write(1, 0, 16).empty());
    CHECK(a.write(1, 32, 16) == "V-U1: 16 bytes are placed from byte 32 on, where 16 were");
    CHECK(a.write(5, 16, 16) == "V-U1: other bytes are placed from byte 16 of message 1 on");
    CHECK(a.judge->placed(kBuffer, std::vector<std::uint8_t>(kSize, 7)) ==
          "V-U1: bytes are placed that nobody has sent there");
    CHECK(a.judge->arrivals() == 0);
}

TEST_CASE("V-U1, V-I6: a receive ends with a whole message, late or early, and its own immediate", "[network]") {
    Arrivals a(rc::Verb::send_imm);
    CHECK(a.receive(0, 0).empty());
    CHECK(a.receive(3, 3).empty());
    CHECK(a.receive(2, 2).empty());
    CHECK(a.receive(4, 5) == "V-I2: a receive with another message's immediate");
    CHECK(a.judge->received(rc::Verb::send_imm, std::vector<std::uint8_t>(kSize, 7), 5) ==
          "V-U1: what has come is no message that was sent");
    std::vector<std::uint8_t> mixed = Arrivals::payload(5);
    mixed[63] ^= 1U;
    CHECK(a.judge->received(rc::Verb::send_imm, mixed, 5) == "V-U1: what has come is no message that was sent");
    CHECK(a.judge->copies() == 0);
    CHECK(a.receive(3, 3).empty());
    CHECK(a.judge->copies() == 1);
    Arrivals b(rc::Verb::write_imm);
    CHECK(b.receive(1, 1) == "V-I6: a receive ends before its payload has come");
    CHECK(b.write(1).empty());
    CHECK(b.receive(1, 1).empty());
}

TEST_CASE("V-U2: a datagram's receive buffer begins with its addresses", "[network]") {
    Arrivals a(rc::Verb::send, roce::Service::datagram);
    std::vector<std::uint8_t> frame(kIpv4At + kIpv4HeaderBytes);
    write_ipv4(frame, {.from = 0, .to = 1, .protocol = kIpv4Udp, .bytes = 120});
    std::vector<std::uint8_t> memory(20);
    memory.insert(memory.end(), frame.begin() + kIpv4At, frame.end());
    const std::vector<std::uint8_t> payload = Arrivals::payload(0);
    memory.insert(memory.end(), payload.begin(), payload.end());
    CHECK(a.judge->received(rc::Verb::send, memory, 0).empty());
    for (const std::size_t at : {0U, 19U, 20U, 32U, 39U}) {
        std::vector<std::uint8_t> wrong = memory;
        wrong[at] ^= 1U;
        INFO(at);
        CHECK(a.judge->received(rc::Verb::send, wrong, 0) ==
              "V-U2: a receive buffer does not begin with the datagram's addresses");
    }
}

}  // namespace
}  // namespace rnicsim
