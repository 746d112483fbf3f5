// SPDX-License-Identifier: Apache-2.0
// A host's place in the ring, and what its two ends share: who sends to the next host, and who receives from the last
// one. In 2 (N - 1) steps chunks of a vector go round: N - 1 times each is added to, N - 1 times it takes the place of
// what is there.
#pragma once

#include "testbench/applications/allreduce/settings.h"
#include "testbench/applications/fifo/lane.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

namespace rnicsim::applications::allreduce {

/// Behind those of a lane, of both ends: what the ends of a host share. Its number.
inline constexpr std::uint32_t kRing = 3, kShared = 1;
inline constexpr std::uint32_t kWord = 4;      ///< bytes of an element
inline constexpr std::uint32_t kHead = 3 * 8;  ///< in front of each vector: asked, added, broken
inline constexpr std::uint32_t kBuffers = 8;   ///< in flight to the next host: NCCL's NCCL_STEPS

/// Element `word` of operation `operation`, of the host with this rank: any number that differs.
constexpr std::uint32_t share_of(std::uint32_t rank, std::uint32_t operation, std::uint32_t word) {
    return (rank + 1) * ((word + 1) * 0x9e37'79b1U + operation);
}
/// The sum of all, from 1 to `hosts`, whose (rank + 1) add up to this.
constexpr std::uint32_t sum_of(std::uint32_t ranks, std::uint32_t operation, std::uint32_t word) {
    return ranks * ((word + 1) * 0x9e37'79b1U + operation);
}

class Ring {
  public:
    /// The item outlives it.
    Ring(const TrafficConfig& item, const Seat& seat)
        : settings_(&allreduce_of(item)),
          hosts_(static_cast<std::uint32_t>(item.from.size())),
          rank_(static_cast<std::uint32_t>(std::ranges::find(item.from, seat.host) - item.from.begin())),
          at_(seat.connection * (kHead + item.size)),
          connection_(seat.connection) {}

    [[nodiscard]] const AllreduceSettings& settings() const { return *settings_; }
    [[nodiscard]] std::uint32_t hosts() const { return hosts_; }
    [[nodiscard]] std::uint32_t rank() const { return rank_; }
    /// Of an operation.
    [[nodiscard]] std::uint32_t steps() const { return 2 * (hosts_ - 1); }
    /// In this step of an operation a chunk is added; else it takes the place of what is there.
    [[nodiscard]] bool adds(std::uint64_t step) const { return step < hosts_ - 1; }
    /// What is sent, and what is received, in a step.
    [[nodiscard]] std::uint32_t sent_in(std::uint64_t step) const {
        return (rank_ + steps() + 2 - static_cast<std::uint32_t>(step)) % hosts_;
    }
    [[nodiscard]] std::uint32_t received_in(std::uint64_t step) const { return (sent_in(step) + hosts_ - 1) % hosts_; }
    /// Of all hosts whose shares are in what comes in a step, rank + 1 added up: those behind this one in the ring.
    [[nodiscard]] std::uint32_t ranks_in(std::uint64_t step) const {
        std::uint32_t sum = 0;
        for (std::uint32_t behind = 1; behind <= hosts_ && behind <= step + 1; ++behind)
            sum += (rank_ + hosts_ - behind) % hosts_ + 1;
        return sum;
    }
    [[nodiscard]] Place chunk(std::uint32_t number, std::uint32_t bytes) const {
        return {kRing, at_ + kHead + number * bytes};
    }
    [[nodiscard]] Place vector() const { return {kRing, at_ + kHead}; }
    [[nodiscard]] std::uint32_t connection() const { return connection_; }

    // What both ends know: operations that were asked for, messages that have been added or put in place, and whether
    // one of the two connections is broken.
    enum class Known : std::uint8_t { asked, added, broken };
    [[nodiscard]] std::uint64_t get(Known what, Actions& actions) const {
        return boost::endian::load_little_u64(word(what, actions).data());
    }
    void set(Known what, std::uint64_t value, Actions& actions) const {
        boost::endian::store_little_u64(word(what, actions).data(), value);
    }

    /// A connection of this host is of no use: the other one is neither. A break goes round the ring, both ways.
    void say_broken(Actions& actions) const {
        if (get(Known::broken, actions) != 0) return;
        set(Known::broken, 1, actions);
        actions.wake(kShared, connection_);
    }

  private:
    [[nodiscard]] std::span<std::uint8_t> word(Known what, Actions& actions) const {
        return actions.memory({kRing, at_ + 8 * static_cast<std::uint32_t>(what)}, 8);
    }

    const AllreduceSettings* settings_;
    std::uint32_t hosts_, rank_, at_, connection_;
};

}  // namespace rnicsim::applications::allreduce
