// SPDX-License-Identifier: Apache-2.0
// The messages of a verbs item: how long each is, and which bytes it carries. Programs and judge ask the same here.
#pragma once

#include "model/random.h"
#include "model/traffic.h"
#include "testbench/kits/rc/verbs_layout.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace rnicsim {

struct MessageKind {
    rc::Verb verb{};
    std::uint32_t bytes = 0;
};

/// What each message of a connection is, by its number. A mix or sizes are drawn for each by itself, by item, hosts,
/// number of the connection and number of the message: so no other setting changes a draw.
class MessageKinds {
  public:
    /// `config` must outlive it.
    MessageKinds(const RunConfig& config, const VerbsLayout::Connection& plan)
        : MessageKinds(
              config.traffic[plan.item], {config.seed, config.repetition}, plan.item,
              (std::uint64_t{plan.ends[0].host} << 48U) + (std::uint64_t{plan.ends[1].host} << 32U) + plan.number) {}
    MessageKinds(const TrafficConfig& item, const RandomSource& random, std::uint64_t item_number,
                 std::uint64_t connection);

    [[nodiscard]] MessageKind at(std::uint32_t message) const { return drawn_ ? draw(message) : all_; }
    /// Does an atomic change its word? In a mix some COMPARE_SWAPs find another value than they ask for.
    [[nodiscard]] bool changes(std::uint32_t message) const {
        return item_->verbs.mix.empty() || message % 4 != 3 || at(message).verb != rc::Verb::compare_swap;
    }

  private:
    [[nodiscard]] MessageKind draw(std::uint32_t message) const;

    const TrafficConfig* item_;  // not owned
    RandomSource random_;
    std::uint64_t item_number_, connection_;
    bool drawn_;
    MessageKind all_;  // where nothing is drawn
};

/// Its payload takes the place of a receive WQE; a WRITE's is where its sender says.
constexpr bool is_send(rc::Verb verb) { return rc::takes_receive(verb) && verb != rc::Verb::write_imm; }
/// Bytes of a receive WQE: a datagram's begins with addresses.
std::uint32_t receive_bytes(const TrafficConfig& item);
/// Of an item with a scheme that is read in place of a flush, at its end; librpma reads 8 B.
inline std::uint32_t read_back_bytes(const TrafficConfig& item) {
    constexpr std::uint32_t kEnd = 8;
    return item.verbs.reads_all || item.size < kEnd ? item.size : kEnd;
}
/// Both ends send, each when it has got the other's message.
inline bool in_turn(const TrafficConfig& item) {
    return item.verbs.pattern == VerbsPattern::ping_pong && !item.verbs.any(rc::has_answer);
}
/// Does the program of this end of a connection do anything: post, or wait for something?
inline bool acts(const TrafficConfig& item, unsigned side) {
    return side == 0 || in_turn(item) || item.verbs.any(rc::takes_receive) || is_by_processor(item.verbs.scheme) ||
           item.verbs.sends_table;
}

/// No two messages of a run have the same key. `side`: who sends it, 0 the initiator.
constexpr std::uint64_t message_key(std::size_t connection, unsigned side, std::uint32_t message) {
    return (std::uint64_t{connection} << 33U) + (std::uint64_t{side} << 32U) + message + 1;
}
/// Writes the payload of a message; no two keys have the same bytes at one place.
void fill(std::span<std::uint8_t> bytes, std::uint64_t key);
/// Are these its bytes from `offset` on?
bool is_filled(std::span<const std::uint8_t> bytes, std::uint64_t key, std::uint64_t offset);

}  // namespace rnicsim
