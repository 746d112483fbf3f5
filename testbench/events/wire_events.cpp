// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/wire_events.h"

#include "testbench/events/frame_text.h"

#include <fmt/format.h>

namespace rnicsim {
namespace {

std::string bytes_hash(std::uint64_t hash) { return hash == 0 ? "" : fmt::format("  [bytes {:x}]", hash); }

}  // namespace

std::string access_text(std::string_view what, std::uint32_t bytes, std::uint64_t address) {
    return fmt::format("{} {} B at 0x{:x}", what, bytes, address);
}

std::string text(const WireFrame& frame) {
    const std::string name =
        frame.tcp ? frame_text(frame.from, *frame.tcp) : frame_text(frame.header, frame.bth, frame.bytes);
    switch (frame.step) {
        case WireFrame::Step::sent: return fmt::format("sends {}, {} B{}", name, frame.bytes, bytes_hash(frame.hash));
        case WireFrame::Step::lost: return "loses on the link " + name;
        case WireFrame::Step::damaged: return "damages on the link " + name + bytes_hash(frame.hash);
        case WireFrame::Step::arrives: return "reaches the other end with " + name;
        case WireFrame::Step::dropped: return "drops " + name;
    }
    return {};
}

std::string text(const MemoryAccess& memory) {
    return access_text(memory.write ? "memory is written:" : "memory is read:", memory.bytes, memory.address) +
           bytes_hash(memory.hash);
}

std::string text(const DmaRequest& dma) {
    if (dma.kind == TlpKind::message_signalled_interrupt) return "interrupt";
    return access_text(dma.kind == TlpKind::memory_write ? "DMA write" : "DMA read", dma.bytes, dma.address);
}

EventPlace place_of(const WireFrame& frame) {
    switch (frame.step) {
        case WireFrame::Step::sent: return {"mac", "sent"};
        case WireFrame::Step::lost: return {"link", "lost"};
        case WireFrame::Step::damaged: return {"link", "damaged"};
        case WireFrame::Step::arrives: return {"link", "arrives"};
        case WireFrame::Step::dropped: return {"switch", "dropped"};
    }
    return {};
}

EventPlace place_of(const MemoryAccess& memory) { return {"memory", memory.write ? "write" : "read"}; }

EventPlace place_of(const DmaRequest& dma) {
    constexpr std::array<std::string_view, 3> kEvents{"dma_write", "dma_read", "interrupt"};
    return {"pcie", kEvents.at(static_cast<std::size_t>(dma.kind))};
}

EventColumns columns_of(const WireFrame& frame, const HostNames& hosts) {
    EventColumns columns{.bth = frame.bth, .bytes = frame.bytes};
    if (!frame.tcp) return columns;
    const TcpSeen& of = *frame.tcp;
    columns.message = hosts.stream(frame.from, of.stream);
    columns.tcp = {.type = tcp_kind(of),
                   .sequence = of.sequence,
                   .acknowledged = of.acknowledged,
                   .payload = of.payload,
                   .flags = fmt::format("{} #{}", tcp_flags(of), of.transmission + 1)};
    return columns;
}

EventColumns columns_of(const MemoryAccess& memory, const HostNames& /*hosts*/) {
    return {.bytes = memory.bytes, .address = memory.address};
}

EventColumns columns_of(const DmaRequest& dma, const HostNames& /*hosts*/) {
    return {.bytes = dma.bytes, .address = dma.address};
}

}  // namespace rnicsim
