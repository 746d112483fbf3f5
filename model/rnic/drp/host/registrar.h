// SPDX-License-Identifier: Apache-2.0
// Registration of memory for peers' transfers: requests, attempts and their results, regions that wait
// (PROTOCOL.md 3.10).
#pragma once

#include "model/faults/fault_source.h"
#include "model/rnic/drp/host/config.h"
#include "model/rnic/drp/host/memory_pool.h"
#include "model/rnic/drp/host/peer_hosts.h"
#include "model/rnic/drp/tid_sequence.h"
#include "tlm/drp/host_queues.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rnicsim {

enum class RegistrationOutcome : std::uint8_t {
    registered,
    failed,     ///< failed by a draw (FRP)
    no_memory,  ///< too little of the pool is free
    refused,    ///< outside the memory for transfers: for good
};

class Registrar {
  public:
    /// Which region: a TID may be used again when the RNIC has forgotten it.
    struct Key {
        Peer peer{};
        Tid tid{};
        Generation generation{};
        friend bool operator==(const Key&, const Key&) = default;
    };
    static Key key_of(const Event& event) { return {event.peer, event.tid, event.generation}; }

    /// A peer's region: being registered, waiting for a retry, or registered.
    struct Region {
        Key key;
        std::uint64_t transfer = 0;  ///< the peer's transfer number
        std::uint64_t base = 0;
        std::uint32_t bytes = 0;
        bool writable = false;
        bool registered = false;
        bool retry_planned = false;     ///< the host's own attempt is running or planned
        bool waits_for_memory = false;  ///< ... or will be made when memory is freed
        std::uint32_t attempts = 0;
    };

    /// `faults`: decides which attempts fail; not owned. `peers`: their hosts. `memory_bytes`: size of the host's
    /// memory.
    Registrar(const RegistrationConfig& config, FaultSource& faults, unsigned end, PeerHosts peers,
              std::uint64_t memory_bytes);

    [[nodiscard]] Region* find(const Key& key);
    /// Precondition: the region of this key is not known yet.
    Region& add(const Event& request);
    /// Forgets the region and frees its memory of the pool. `given_up`: the transfer may come again; then its attempts
    /// are counted on.
    void remove(const Key& key, bool given_up);

    /// The result of one attempt, at its end. Precondition: not registered.
    RegistrationOutcome attempt(Region& region);
    /// How long an attempt takes.
    [[nodiscard]] Cycle cost(const Region& region) const { return config_.time(region.bytes); }

    /// How long an attempt for each region takes, one after the other.
    [[nodiscard]] Cycle work() const;

    /// The regions that wait for memory, oldest first; they do not wait any more.
    [[nodiscard]] std::vector<Key> take_waiting();
    [[nodiscard]] MemoryPool& pool() { return pool_; }

    [[nodiscard]] bool empty() const { return regions_.empty(); }
    /// Transfers that were given up and whose attempts are still known: never more than half of all TIDs.
    [[nodiscard]] std::size_t remembered() const;
    /// One line for each region: what it waits for.
    [[nodiscard]] std::vector<std::string> waiting() const;

    struct Counters {
        std::uint64_t registrations = 0, failures = 0, no_memory = 0, refusals = 0;
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

  private:
    const RegistrationConfig config_;
    FaultSource& faults_;
    unsigned end_;
    const PeerHosts peers_;
    std::uint64_t memory_bytes_;
    MemoryPool pool_;
    std::vector<Region> regions_;
    /// What is known of a peer's transfers.
    struct Of {
        TidSequence numbers;
        std::map<std::uint64_t, std::uint32_t> attempts;  // of those that were given up and may come again, by number
    };
    std::vector<Of> of_;  // by peer
    Counters counters_;
};

}  // namespace rnicsim
