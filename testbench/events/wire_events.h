// SPDX-License-Identifier: Apache-2.0
// What happens on links, in switches, on PCIe and in memory, whatever the hosts have.
//
// A kind of event has a text, a place and columns for files of events, and kOfHost if the host reports it, not its
// card.
#pragma once

#include "testbench/events/event_row.h"
#include "tlm/pcie/pcie_tlp.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace rnicsim {

/// The bytes of a frame up to the end of a DRP header.
using FrameHead = std::array<std::uint8_t, 46>;

/// A TCP frame by the stream that it is from, as tapes name it.
struct TcpSeen {
    std::uint32_t stream = 0, to_stream = 0;  ///< at its sender, at its receiver
    std::uint32_t sequence = 0, acknowledged = 0, payload = 0;
    std::uint32_t transmission = 0;  ///< on this way of this link, from 0; of a copy the next one
    bool syn = false, ack = false, fin = false, reset = false, push = false;
    /// Has it a place in the stream? Else it only acknowledges.
    [[nodiscard]] bool has_place() const { return payload != 0 || syn || fin; }

    friend bool operator==(const TcpSeen&, const TcpSeen&) = default;
};

/// A frame that the node has sent: leaves its RNIC, or meets its fate on a link or in a switch.
struct WireFrame {
    enum class Step : std::uint8_t {
        sent,     ///< `at`: the end of its last byte
        lost,     ///< on the link
        damaged,  ///< arrives with a wrong bit; `at` as for arrives
        arrives,  ///< `at`: the end of its last byte, at the other end
        dropped,  ///< by the node itself, a switch
    };
    Step step = Step::sent;
    std::uint16_t from = 0, to = 0;  ///< hosts, by its addresses
    std::uint16_t next = 0;          ///< the node at the other end of the link
    std::uint32_t bytes = 0;         ///< FCS included
    std::uint64_t hash = 0;          ///< of all bytes, where they are new: sent, damaged
    FrameHead head{};
    std::optional<DrpHeader> header{};  ///< decoded once, here; none of an ordinary frame, or if the FCS is wrong
    std::optional<roce::Bth> bth{};     ///< the same of a RoCEv2 packet
    std::optional<TcpSeen> tcp{};       ///< ... and of a frame of a stream

    friend bool operator==(const WireFrame&, const WireFrame&) = default;
};

/// A device's access to host memory.
struct MemoryAccess {
    static constexpr bool kOfHost = true;
    bool write = false;
    std::uint32_t bytes = 0;
    std::uint64_t address = 0;
    std::uint64_t hash = 0;  ///< of what is written

    friend bool operator==(const MemoryAccess&, const MemoryAccess&) = default;
};

/// An RNIC hands a DMA transaction or an interrupt to its link; `at`: when the root complex acts upon it.
struct DmaRequest {
    TlpKind kind = TlpKind::memory_write;
    std::uint32_t bytes = 0;
    std::uint64_t address = 0;

    friend bool operator==(const DmaRequest&, const DmaRequest&) = default;
};

std::string text(const WireFrame& frame);
EventPlace place_of(const WireFrame& frame);
EventColumns columns_of(const WireFrame& frame, const HostNames& hosts);
std::string text(const MemoryAccess& memory);
EventPlace place_of(const MemoryAccess& memory);
EventColumns columns_of(const MemoryAccess& memory, const HostNames& hosts);
std::string text(const DmaRequest& dma);
EventPlace place_of(const DmaRequest& dma);
EventColumns columns_of(const DmaRequest& dma, const HostNames& hosts);

/// "write 64 B at 0x1000"
std::string access_text(std::string_view what, std::uint32_t bytes, std::uint64_t address);

}  // namespace rnicsim
