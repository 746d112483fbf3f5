// SPDX-License-Identifier: Apache-2.0
// The decisions of the transport controller: an input, the time at which it counts, and the actions that follow.
// TransportController around it handles frames, DMA and waiting.
#pragma once

#include "model/rnic/drp/connection_table.h"
#include "tlm/drp/drp_header.h"
#include "tlm/drp/host_queues.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {

/// What is counted. The names are those in the results (results/README.md).
enum class TransportCount : std::uint8_t {
    requests_sent,
    request_acks_sent,
    invalid_request_acks_sent,
    data_sent,
    retransmissions,
    acks_sent,
    releases_sent,
    release_acks_sent,
    request_timeouts,
    data_timeouts,
    release_timeouts,
    idle_timeouts,
    fast_retransmissions,
    went_indirect,
    resumed,
    placed_direct,
    kept_indirect,
    bulk_drains,
    duplicates,
    buffer_full,
    table_full,
    stale,
    out_of_window,
    out_of_region,
    no_region,
    segment_mismatch,
    request_ack_hidden,
    connections,
    completed,
    failed,
    count
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(TransportCount::count)> kTransportCountNames{
    "requests_sent",
    "request_acks_sent",
    "invalid_request_acks_sent",
    "data_sent",
    "retransmissions",
    "acks_sent",
    "releases_sent",
    "release_acks_sent",
    "request_timeouts",
    "data_timeouts",
    "release_timeouts",
    "idle_timeouts",
    "fast_retransmissions",
    "went_indirect",
    "resumed",
    "placed_direct",
    "kept_indirect",
    "bulk_drains",
    "duplicates",
    "buffer_full",
    "table_full",
    "stale",
    "out_of_window",
    "out_of_region",
    "no_region",
    "segment_mismatch",
    "request_ack_hidden",
    "connections",
    "completed",
    "failed"};

/// The input of a decision. Of several that wait the first in this order is taken; timers are scanned when nothing else
/// waits, one table entry per cycle.
enum class TransportInput : std::uint8_t { frame, command, transmitted, fetch, timer };
inline constexpr std::array<std::string_view, 5> kTransportInputNames{"frame", "command", "transmitted", "fetch",
                                                                      "timer"};

/// One decision.
struct TransportDecision {
    TransportInput input = TransportInput::frame;
    TransferKey of;
    const DrpHeader* header = nullptr;  ///< of the frame that has arrived, or is fetched
    const Command* command = nullptr;   ///< the one taken
    Cycle since;                        ///< cycle in which it began
};

/// Observes each decision at its end: first everything that it has counted, in the order of TransportCount, then its
/// input.
class TransportObserver {
  public:
    virtual ~TransportObserver() = default;
    virtual void noted(TransportCount what, const TransferKey& of) = 0;
    virtual void decided(const TransportDecision& /*decision*/) {}
    /// A data frame that came at `arrived` found no room: dropped without a decision.
    virtual void overrun(const DrpHeader& /*header*/, Cycle /*arrived*/) {}
    /// The indirect buffer holds another number of slots than before.
    virtual void filled(std::uint32_t /*slots*/) {}
};

/// What the logic asks the hardware around it to do, at once and in this order.
class TransportActions {
  public:
    virtual ~TransportActions() = default;
    /// Transmit a control frame or an acknowledgement.
    virtual void send(const DrpHeader& header) = 0;
    /// DMA the payload of the present frame to memory.
    virtual void place(std::uint64_t address, std::uint32_t bytes) = 0;
    /// Is the indirect buffer full?
    [[nodiscard]] virtual bool buffer_full() const = 0;
    /// How many of its slots hold data of this peer?
    [[nodiscard]] virtual std::uint32_t buffered_of(Peer peer) const = 0;
    /// Keep the payload of the present frame in the indirect buffer; its destination is `address`.
    virtual void keep(const TransferKey& of, Sn sn, std::uint64_t address, std::uint32_t bytes) = 0;
    /// Move all that the indirect buffer holds of a transfer to memory, by SN.
    virtual void drain(const TransferKey& of) = 0;
    /// Drop all that the indirect buffer holds of a transfer, except what is being drained.
    virtual void drop(const TransferKey& of) = 0;
    /// Put an entry into the host's event ring.
    virtual void notify(const Event& event) = 0;
};

/// A data frame to be fetched from memory and sent.
struct DataJob {
    ConnectionTable::Index entry = 0;
    DrpHeader header;
    std::uint64_t address = 0;  ///< of the payload in host memory
};

/// Decides for the controller: the model's TransportLogic, or Verilog.
class TransportEngine {
  public:
    virtual ~TransportEngine() = default;
    /// Not owned; nullptr = none.
    virtual void set_observer(TransportObserver* observer) = 0;

    // Inputs. Each is one decision of the hardware, which ends at cycle `now`.
    virtual void on_command(Cycle now, const Command& command, TransportActions& actions) = 0;
    virtual void on_frame(Cycle now, const DrpHeader& header, TransportActions& actions) = 0;
    /// One expired timer of this entry; of several the first of idle, request, data, release.
    virtual void on_timer(Cycle now, ConnectionTable::Index entry, TransportActions& actions) = 0;
    /// A data frame of this entry has left on the wire.
    virtual void on_transmitted(Cycle now, ConnectionTable::Index entry, TransportActions& actions) = 0;
    /// The next data frame to send, round robin over the table; none when every window is closed.
    virtual std::optional<DataJob> next_data(Cycle now) = 0;
    /// Would next_data() yield one?
    [[nodiscard]] virtual bool has_data() const = 0;

    /// No timer expires before this cycle (there may be none at it: timers are moved lazily).
    [[nodiscard]] virtual Cycle next_deadline() const = 0;
    /// Makes next_deadline() exact.
    virtual void refresh_deadline() = 0;
    struct Expiry {
        Cycle found = kNever;
        ConnectionTable::Index entry = 0;
        void add(ConnectionTable::Index other, Cycle at) {
            if (at < found) *this = {at, other};
        }
    };
    /// The first expired timer that a scanner finds. It looks at one entry per cycle: at `from` at entry `position`,
    /// then at the next one, and after the last at the first again.
    [[nodiscard]] virtual Expiry next_expiry(Cycle from, ConnectionTable::Index position) const = 0;

    /// Which transfer an entry belongs to.
    [[nodiscard]] virtual TransferKey key(ConnectionTable::Index entry) const = 0;
    /// The table; nullptr in Verilog, where it is not visible.
    [[nodiscard]] virtual const ConnectionTable* visible() const = 0;

    [[nodiscard]] virtual std::uint64_t count(TransportCount c) const = 0;
    [[nodiscard]] virtual std::uint32_t entries_used() const = 0;
    /// One line for each transfer in the table: what it waits for. For the watchdog.
    [[nodiscard]] virtual std::vector<std::string> waiting(Cycle now) const = 0;

  protected:
    /// When a scanner of `entries` that is at `position` at `from` sees that the deadline of `entry` has passed.
    [[nodiscard]] static Cycle scanned(Cycle from, ConnectionTable::Index position, std::int64_t entries,
                                       ConnectionTable::Index entry, Cycle deadline) {
        if (deadline == kNever) return kNever;
        const Cycle expired = std::max(from, deadline);
        const std::int64_t looked_at = position + (expired - from).n;  // modulo the table's size
        return expired + Cycle{(entry + entries - looked_at % entries) % entries};
    }
};

}  // namespace rnicsim
