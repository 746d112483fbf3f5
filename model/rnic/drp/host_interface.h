// SPDX-License-Identifier: Apache-2.0
// The RNIC's side of the queues in host memory: fetches commands, posts events, and carries ordinary frames between the
// host's buffers and the wire.
#pragma once

#include "model/rnic/common/pcie_endpoint.h"
#include "model/rnic/common/tx_arbiter.h"
#include "model/rnic/drp/core_observer.h"
#include "tlm/drp/host_queues.h"
#include "tlm/inbox.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <systemc>

namespace rnicsim {

/// Takes the host's commands for transfers.
class CommandTarget {
  public:
    virtual ~CommandTarget() = default;
    virtual void command(Cycle now, const Command& command) = 0;
};

class HostInterface : public sc_core::sc_module, private DmaClient {
  public:
    HostInterface(sc_core::sc_module_name name, std::uint32_t receive_ring, Cycle latency, PcieEndpoint& pcie,
                  CommandTarget& commands, TxArbiter& tx, FramePool& frames);

    /// The host writes to a register.
    void register_write(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    /// Queues an entry for the event ring; it leaves as soon as the ring has room, followed by an interrupt.
    void post(Cycle at, const Event& event);
    /// An ordinary frame from the filter.
    void put(FrameRef frame, Cycle due) { received_.push(std::move(frame), due); }

    void frame_transmitted() { ++tx_buffers_; }

    void set_core_observer(CoreObserver* observer) { core_observer_ = observer; }

    /// One cycle: received frames to memory, then events, then commands and frames to send.
    void run(Cycle now) {
        if (now >= next_due() || commands_wait() || frames_wait()) work(now);
    }

    [[nodiscard]] Cycle next_due() const {
        return std::min(
            {received_.next_due(), to_memory_.next_due(), events_ready() ? events_.next_due() : kNever, status_due_});
    }
    [[nodiscard]] bool idle() const;

    struct Counters {
        std::uint64_t commands = 0, events = 0, frames_sent = 0, frames_received = 0, no_receive_buffer = 0,
                      status_writes = 0;
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

  private:
    void work(Cycle now);
    [[nodiscard]] bool commands_wait() const { return fetching_ == 0 && command_producer_ != command_consumer_; }
    [[nodiscard]] bool frames_wait() const { return tx_buffers_ != 0 && !sends_.empty(); }
    void change_status(Cycle now);
    void write_status(Cycle now);
    void write(Cycle now, const DmaPiece& piece);
    void read(Cycle now, std::uint64_t address, std::uint8_t* into, std::uint32_t bytes, FrameRef frame);
    void read_done(Cycle now, std::uint64_t context, FrameRef frame) override;
    void commands_fetched(Cycle now);
    void frame_fetched(Cycle now, FrameRef frame);
    void fetch_commands(Cycle now);
    void fetch_frames(Cycle now);
    void write_events(Cycle now);
    void receive(Cycle now);
    [[nodiscard]] bool events_ready() const {
        return !events_.empty() && event_producer_ - event_consumer_ < kEventRing;
    }

    static constexpr std::uint32_t kCommandBatch = 8;  // descriptors fetched by one DMA read
    static constexpr std::uint32_t kTxBuffers = 4;     // ordinary frames between DMA and wire

    const std::uint32_t receive_ring_;
    const Cycle latency_;
    CoreObserver* core_observer_ = nullptr;  // not owned
    PcieEndpoint& pcie_;
    CommandTarget& target_;
    TxArbiter& tx_;
    FramePool& frames_;

    // Free-running counts, as in the doorbells.
    std::uint32_t command_producer_ = 0, command_consumer_ = 0, fetching_ = 0;
    std::uint32_t event_producer_ = 0, event_consumer_ = 0;
    std::uint32_t receive_producer_ = 0, receive_consumer_ = 0;
    std::uint32_t tx_buffers_ = kTxBuffers;

    Status status_;
    Cycle status_due_ = kNever;  // when it goes to memory
    std::uint32_t status_writes_ = 0;
    std::array<Status, 64> staged_status_{};  // what the DMA engine reads the status block from

    std::array<Command, kCommandBatch> fetched_{};
    std::array<Event, kEventRing> staged_{};  // what the DMA engine reads events from
    Inbox<Event> events_;                     // waiting for room in the ring
    Inbox<Command> sends_;                    // ordinary frames waiting for a transmit buffer
    struct ToMemory {
        FrameRef frame;
        std::uint64_t buffer = 0;
    };
    Inbox<FrameRef> received_;
    Inbox<ToMemory> to_memory_;  // ordinary frames for the DMA engine
    Counters counters_;
};

}  // namespace rnicsim
