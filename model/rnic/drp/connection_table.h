// SPDX-License-Identifier: Apache-2.0
// The connection table: one entry for each transfer that this RNIC takes part in, as initiator or responder
// (PROTOCOL.md 3.21). A fixed number of entries; the caller reports a full table.
#pragma once

#include "model/rnic/drp/data_receiver.h"
#include "model/rnic/drp/data_sender.h"
#include "model/transfer_key.h"
#include "tlm/drp/host_queues.h"
#include "tlm/drp/ids.h"
#include "tlm/time/cycle.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace rnicsim {

/// State of a transfer.
enum class Phase : std::uint8_t {
    free,              ///< entry unused
    requesting,        ///< initiator: REQ sent, no data may move yet
    transferring,      ///< initiator: data moves, directly or indirectly
    releasing,         ///< initiator: REL sent
    awaiting_request,  ///< responder: indirect data came before its REQ
    registering,       ///< responder: the host has been asked
    refused,           ///< responder: invalid REQ_ACK issued, waiting for another request or for the host
    established,       ///< responder: valid REQ_ACK issued
    closing,           ///< over, but some of its frames have not left yet
    given_up,          ///< responder: failed; its late frames are stale
};
inline constexpr std::size_t kPhases = 10;

constexpr const char* phase_name(Phase phase) {
    constexpr std::array<const char*, kPhases> kNames{
        "free",        "requesting", "transferring", "releasing", "awaiting request",
        "registering", "refused",    "established",  "closing",   "given up"};
    return kNames[static_cast<std::size_t>(phase)];
}

/// One entry. Deadlines are kNever while their timer is off.
struct Transfer {
    Phase phase = Phase::free;
    Role role = Role::initiator;
    Operation operation = Operation::write;
    Tid tid{};
    Peer peer{};
    std::uint32_t length = 0;  ///< bytes of the whole transfer; 0 while unknown (awaiting_request)
    std::uint32_t segment = 0;
    Generation generation{};  ///< responder: of the request to the host; 0 = none yet
    std::uint64_t sba = 0;
    std::uint64_t dba = 0;

    bool established = false;           ///< the valid REQ_ACK has been received (initiator) or issued (responder)
    bool indirect = false;              ///< MODE of the data that this end sends, or (read) has received
    bool sending = false;               ///< this end may send data
    bool acknowledged_to_host = false;  ///< the upper layer has got a REQ_ACK
    std::uint32_t requests = 0;         ///< REQ (initiator) or valid REQ_ACK (read responder) sent
    std::uint32_t request_timeouts = 0;
    std::uint32_t retries = 0;           ///< data or release timer expiries since the last progress
    std::uint32_t in_transmit_path = 0;  ///< data frames between fetch decision and wire
    TransferError error = TransferError::none;
    std::uint32_t owed = 0;       ///< data frames accepted since the last acknowledgement
    std::uint32_t early_end = 0;  ///< responder: end of the early data, in bytes of the transfer
    bool early_short = false;     ///< ... with a frame shorter than a segment: it must be the last
    bool refused_data = false;    ///< responder: early data of it found no slot
    bool far_busy = false;        ///< initiator: the last answer was that the responder's table is full

    DataSender sender;
    DataReceiver receiver;
    Sn timed;                    ///< the frame whose round trip is being measured,
    Cycle timed_since = kNever;  ///< and since when; kNever: none is

    Cycle request_deadline = kNever;
    Cycle data_deadline = kNever;  ///< sender: outstanding data; read initiator: silence of the responder
    Cycle release_deadline = kNever;
    Cycle idle_deadline = kNever;  ///< responder only

    [[nodiscard]] TransferKey key() const { return {role, tid, peer}; }
    /// Does this end send the data?
    [[nodiscard]] bool sends_data() const { return (role == Role::initiator) == (operation == Operation::write); }
    [[nodiscard]] std::uint32_t frames() const { return (length + segment - 1) / segment; }
    [[nodiscard]] std::uint32_t payload_bytes(Sn sn) const {
        return sn.n + 1 == frames() ? length - sn.n * segment : segment;
    }
    /// Base address of the region at this end.
    [[nodiscard]] std::uint64_t local_base() const { return role == Role::initiator ? sba : dba; }
    [[nodiscard]] Cycle earliest_deadline() const {
        return std::min(std::min(request_deadline, data_deadline), std::min(release_deadline, idle_deadline));
    }
};

class ConnectionTable {
  public:
    using Index = std::uint32_t;

    explicit ConnectionTable(std::uint32_t entries) : entries_(entries) { active_.reserve(entries); }

    /// The entry of a transfer that is not over, or nullptr.
    [[nodiscard]] Transfer* find(const TransferKey& key) {
        for (const Index i : active_) {
            Transfer& entry = entries_[i];
            if (entry.key() == key && !over(entry)) return &entry;
        }
        return nullptr;
    }

    /// Is there an entry that is over, but some of whose frames have not left yet?
    [[nodiscard]] bool closing(const TransferKey& key) const { return has(Phase::closing, key); }
    /// Is there an entry that has been given up?
    [[nodiscard]] bool gave_up(const TransferKey& key) const { return has(Phase::given_up, key); }

    /// The first free entry, else the first that was given up, reset; nullptr when the table is full. The caller sets
    /// its phase at once.
    [[nodiscard]] Transfer* allocate() {
        auto entry = std::ranges::find(entries_, Phase::free, &Transfer::phase);
        if (entry == entries_.end()) {
            entry = std::ranges::find(entries_, Phase::given_up, &Transfer::phase);
            if (entry == entries_.end()) return nullptr;
            release(*entry);
        }
        *entry = {};
        const Index index = index_of(*entry);
        active_.insert(std::ranges::lower_bound(active_, index), index);
        return &*entry;
    }

    void release(Transfer& entry) {
        if (entry.phase == Phase::given_up) --given_up_;
        entry.phase = Phase::free;
        active_.erase(std::ranges::find(active_, index_of(entry)));
    }

    /// Keeps only the key of an entry: it counts as free.
    void give_up(Transfer& entry) {
        Transfer over;
        over.phase = Phase::given_up;
        over.role = entry.role;
        over.tid = entry.tid;
        over.peer = entry.peer;
        entry = over;
        ++given_up_;
    }

    [[nodiscard]] Index index_of(const Transfer& entry) const { return static_cast<Index>(&entry - entries_.data()); }
    [[nodiscard]] Transfer& operator[](Index i) { return entries_[i]; }
    [[nodiscard]] const Transfer& operator[](Index i) const { return entries_[i]; }

    /// Entries in use or given up, ascending.
    [[nodiscard]] const std::vector<Index>& active() const { return active_; }
    /// Entries in use.
    [[nodiscard]] std::uint32_t used() const { return static_cast<std::uint32_t>(active_.size()) - given_up_; }

  private:
    static bool over(const Transfer& entry) { return entry.phase == Phase::closing || entry.phase == Phase::given_up; }
    [[nodiscard]] bool has(Phase phase, const TransferKey& key) const {
        return std::ranges::any_of(active_, [&](Index i) {
            const Transfer& entry = entries_[i];
            return entry.phase == phase && entry.key() == key;
        });
    }

    std::vector<Transfer> entries_;
    std::vector<Index> active_;
    std::uint32_t given_up_ = 0;
};

}  // namespace rnicsim
