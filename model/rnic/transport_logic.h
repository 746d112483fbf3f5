// What the transport controller decides: both roles, both operations, both methods (protocol.md sections 3 to 6).
// Plain C++: an input, the time at which it counts, and the actions that follow. Frames, DMA and waiting are the
// business of TransportController around it.
#pragma once

#include "model/rnic/config.h"
#include "model/rnic/connection_table.h"
#include "model/rnic/indirect_buffer.h"
#include "tlm/drp_header.h"
#include "tlm/host_queues.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {

/// What happened, counted. The names stand in results (results/README.md).
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
    drained_frames,
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
    "drained_frames",
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

/// Told of everything that the logic counts, when it happens, and of which transfer. `role`: this end's part in it.
class TransportObserver {
  public:
    virtual ~TransportObserver() = default;
    virtual void noted(TransportCount what, Role role, Tid tid) = 0;
};

/// What the logic asks the hardware around it to do, at once and in this order.
class TransportActions {
  public:
    virtual ~TransportActions() = default;
    /// Transmit a control frame or an acknowledgement.
    virtual void send(const DrpHeader& header) = 0;
    /// DMA the payload of the frame in hand to memory.
    virtual void place(std::uint64_t address, std::uint32_t bytes) = 0;
    /// Keep the payload of the frame in hand in this slot of the indirect buffer.
    virtual void keep(IndirectBuffer::SlotIndex slot) = 0;
    /// Move these slots to memory in one DMA request; call TransportLogic::drained for each when it has left.
    virtual void drain(std::span<const IndirectBuffer::SlotIndex> slots) = 0;
    /// Forget the payload in this slot.
    virtual void discard(IndirectBuffer::SlotIndex slot) = 0;
    /// Put an entry into the host's event ring.
    virtual void notify(const Event& event) = 0;
};

/// A data frame that is to be fetched from memory and sent.
struct DataJob {
    ConnectionTable::Index entry = 0;
    DrpHeader header;
    std::uint64_t address = 0;  ///< of the payload in host memory
};

class TransportLogic {
  public:
    explicit TransportLogic(const TransportConfig& config);
    /// Not owned; nullptr = nobody looks.
    void set_observer(TransportObserver* observer) { observer_ = observer; }

    // Inputs. Each is one decision of the hardware, at cycle `now`.
    void on_command(Cycle now, const Command& command, TransportActions& actions);
    void on_frame(Cycle now, const DrpHeader& header, TransportActions& actions);
    /// One expired timer of this entry; of several the first of request, data, release, idle.
    void on_timer(Cycle now, ConnectionTable::Index entry, TransportActions& actions);
    /// A data frame of this entry has left on the wire.
    void on_transmitted(Cycle now, ConnectionTable::Index entry, TransportActions& actions);
    /// A slot's payload has been moved to memory.
    void drained(IndirectBuffer::SlotIndex slot) { buffer_.release(slot); }

    /// The next data frame to send, round robin over the table; none when every window is closed.
    std::optional<DataJob> next_data(Cycle now);
    /// Would next_data() yield one?
    [[nodiscard]] bool has_data() const;

    /// No timer expires before this cycle (there may be none at it: timers are moved lazily).
    [[nodiscard]] Cycle next_deadline() const { return next_deadline_; }
    /// Makes next_deadline() exact.
    void refresh_deadline();

    struct Expiry {
        Cycle found = kNever;
        ConnectionTable::Index entry = 0;
    };
    /// What a scanner finds first that looks at one entry a cycle: at `from` at entry `position`, then at the next one,
    /// and after the last at the first again.
    [[nodiscard]] Expiry next_expiry(Cycle from, ConnectionTable::Index position) const;

    [[nodiscard]] std::uint64_t count(TransportCount c) const { return counts_[static_cast<std::size_t>(c)]; }
    [[nodiscard]] const ConnectionTable& table() const { return table_; }
    [[nodiscard]] const IndirectBuffer& buffer() const { return buffer_; }
    /// One line for each transfer in the table: what it waits for. For the watchdog.
    [[nodiscard]] std::vector<std::string> waiting(Cycle now) const;

  private:
    // Initiator (transport_initiator.cpp).
    void start(Cycle now, const Command& command, TransportActions& actions);
    void on_request_ack(Cycle now, const DrpHeader& header, TransportActions& actions);
    void on_release_ack(const DrpHeader& header, TransportActions& actions);
    void request_expired(Cycle now, Transfer& t, TransportActions& actions);
    void go_indirect(Transfer& t, TransportActions& actions);
    void release_expired(Cycle now, Transfer& t, TransportActions& actions);
    void release_when_done(Cycle now, Transfer& t, TransportActions& actions);
    void send_request(Cycle now, Transfer& t, TransportActions& actions);
    void tell_request_ack(Transfer& t, bool simulated, TransportActions& actions);

    // Responder (transport_responder.cpp).
    void on_request(Cycle now, const DrpHeader& header, TransportActions& actions);
    void on_verdict(Cycle now, const Command& command, TransportActions& actions);
    void on_release(const DrpHeader& header, TransportActions& actions);
    void issue_valid(Cycle now, Transfer& t, TransportActions& actions);
    void drain_buffer(Transfer& t, TransportActions& actions);
    void request_ack_expired(Cycle now, Transfer& t, TransportActions& actions);
    void forget(Transfer& t, TransportActions& actions);
    [[nodiscard]] bool ended_lately(Tid tid) const;

    // Data phase, either role (transport_data.cpp).
    void on_data(Cycle now, const DrpHeader& header, TransportActions& actions);
    void on_ack(Cycle now, const DrpHeader& header, TransportActions& actions);
    void accept_data(Transfer& t, const DrpHeader& header, TransportActions& actions);
    void keep_indirect(Cycle now, Transfer* t, const DrpHeader& header, TransportActions& actions);
    void data_expired(Cycle now, Transfer& t, TransportActions& actions);
    void start_sending(Transfer& t, bool indirect);

    // Common.
    void reply(const Transfer& t, DrpType type, bool valid, TransportActions& actions);
    void acknowledge(const Transfer& t, TransportActions& actions);
    void close(Transfer& t, TransferError error, TransportActions& actions);
    void finish(Transfer& t, TransportActions& actions);
    void notify(const Transfer& t, EventCode code, std::uint8_t status, TransportActions& actions) const;
    void arm(Cycle& deadline, Cycle at);
    void note(TransportCount c, Role role, Tid tid) {
        ++counts_[static_cast<std::size_t>(c)];
        if (observer_ != nullptr) observer_->noted(c, role, tid);
    }
    [[nodiscard]] static bool has_data(const Transfer& t);
    [[nodiscard]] bool dynamic() const { return config_.method == Method::dynamic; }

    TransportConfig config_;
    ConnectionTable table_;
    IndirectBuffer buffer_;
    std::vector<Tid> ended_;  // TIDs released lately at this responder, a ring
    std::size_t ended_next_ = 0;
    TransportObserver* observer_ = nullptr;  // not owned
    ConnectionTable::Index turn_ = 0;        // round robin: entry served last
    Cycle next_deadline_ = kNever;
    std::array<std::uint64_t, static_cast<std::size_t>(TransportCount::count)> counts_{};
};

}  // namespace rnicsim
