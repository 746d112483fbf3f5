// SPDX-License-Identifier: Apache-2.0
// The memory of a host's streams, and its side of the rings that it shares with the Ethernet port of its card.
#pragma once

#include "model/host/tcp/config.h"
#include "model/host/tcp/tcp_host.h"
#include "model/rnic/rc/ethernet_rings.h"
#include "tlm/inbox.h"

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

namespace rnicsim {

class TcpRings {
  public:
    /// `address`: of bytes(config, streams) in the host's memory.
    TcpRings(TcpHost& host, const TcpConfig& config, std::uint64_t address, std::uint32_t streams);
    [[nodiscard]] static std::uint64_t bytes(const TcpConfig& config, std::uint32_t streams);
    [[nodiscard]] const rc::EthernetRings& layout() const { return rings_; }
    /// Bytes of a stream that are in its socket, `window` of them from here on.
    [[nodiscard]] std::uint64_t send_buffer(std::uint32_t stream) const { return buffer(2 * stream); }
    [[nodiscard]] std::uint64_t receive_buffer(std::uint32_t stream) const { return buffer(2 * stream + 1); }
    [[nodiscard]] std::uint32_t streams() const { return streams_; }

    /// The card is told of it, now or when the ring has room.
    void post(Cycle now, const rc::TxDescriptor& descriptor);
    /// The next frame that has come; nothing: there is none. Its bytes are there until give_back().
    [[nodiscard]] std::optional<std::span<const std::uint8_t>> next_arrival(Cycle now);
    [[nodiscard]] bool has_arrival(Cycle now) const { return visible_.ready(now); }
    [[nodiscard]] Cycle next_arrival_at() const { return visible_.next_due(); }
    /// The buffers of all frames that were taken.
    void give_back(Cycle now);
    /// An interrupt is wanted for the next frame.
    void arm(Cycle now);

    /// A device has written to memory. True: to these rings.
    bool written(std::uint64_t address, Cycle visible);
    void run(Cycle now);
    [[nodiscard]] Cycle next_due() const { return record_at_; }
    [[nodiscard]] bool idle() const { return visible_.empty() && waiting_.empty() && record_at_ == kNever; }

  private:
    [[nodiscard]] std::uint64_t buffer(std::uint32_t number) const {
        return sockets_ + std::uint64_t{number} * config_.window;
    }
    [[nodiscard]] bool has_room() const { return posted_ - carried_out_ < rings_.tx_entries; }
    void write(const rc::TxDescriptor& descriptor);
    void ring(Cycle now);

    TcpHost& host_;
    const TcpConfig config_;
    const std::uint32_t streams_;
    rc::EthernetRings rings_;
    std::uint64_t sockets_ = 0;
    std::uint32_t posted_ = 0, carried_out_ = 0;  // descriptors, counted on
    Ring<rc::TxDescriptor> waiting_;              // for room
    Cycle record_at_ = kNever;                    // the card's record is read then
    Inbox<std::monostate> visible_;               // arrivals
    Cycle last_visible_;
    std::uint32_t taken_ = 0;
};

}  // namespace rnicsim
