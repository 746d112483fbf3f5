// SPDX-License-Identifier: Apache-2.0
// What the decisions count; the names are those in the results.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rnicsim::rc {

enum class RcCount : std::uint8_t {
    unknown_qp,
    wrong_peer,
    not_ready,
    ghosts,
    duplicates,
    out_of_sequence,
    naks_sent,
    rnr_naks_sent,
    naks_received,
    rnr_naks_received,
    implied_naks,
    timeouts,
    retransmissions,
    marked_packets,  // this and the next two: with congestion control only
    cnps_sent,
    cnps_received,
    dropped_messages,  // this and the next two: if there are unreliable QPs only
    bad_queue_keys,
    wrong_service,
    srq_limits_reached,  // if an SRQ has been armed with a limit only
    packs_sent,          // this and the next two: if there are QPs with a persist mode only
    packs_received,
    persist_repeats,
    receive_waits,  // this and the next: if there are QPs whose processors make data durable only
    packs_dropped,
    count
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(RcCount::count)> kRcCountNames{
    "unknown_qp",      "wrong_peer",       "not_ready",       "ghosts",         "duplicates",
    "out_of_sequence", "naks_sent",        "rnr_naks_sent",   "naks_received",  "rnr_naks_received",
    "implied_naks",    "timeouts",         "retransmissions", "marked_packets", "cnps_sent",
    "cnps_received",   "dropped_messages", "bad_queue_keys",  "wrong_service",  "srq_limits_reached",
    "packs_sent",      "packs_received",   "persist_repeats", "receive_waits",  "packs_dropped"};

constexpr bool is_of_congestion(RcCount c) { return c >= RcCount::marked_packets && c <= RcCount::cnps_received; }
constexpr bool is_of_unreliable(RcCount c) { return c >= RcCount::dropped_messages && c <= RcCount::wrong_service; }
constexpr bool is_of_persists(RcCount c) { return c >= RcCount::packs_sent && c <= RcCount::persist_repeats; }
constexpr bool is_of_processors(RcCount c) { return c == RcCount::receive_waits || c == RcCount::packs_dropped; }
constexpr bool is_of_limits(RcCount c) { return c == RcCount::srq_limits_reached; }

class Counts {
  public:
    void add(RcCount c) { ++of_[static_cast<std::size_t>(c)]; }
    [[nodiscard]] std::uint64_t operator[](RcCount c) const { return of_[static_cast<std::size_t>(c)]; }

  private:
    std::array<std::uint64_t, static_cast<std::size_t>(RcCount::count)> of_{};
};

}  // namespace rnicsim::rc
