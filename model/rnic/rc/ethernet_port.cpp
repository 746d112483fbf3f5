// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/ethernet_port.h"

#include "model/rnic/rc/dma.h"
#include "model/rnic/rc/rings.h"
#include "tlm/ethernet/tcp.h"

#include <utility>

namespace rnicsim::rc {

void EthernetPort::doorbell(Cycle now, std::uint32_t producer) {
    producer_ = producer;
    fetch(now);
}

/// One read at a time: each brings as many as the wire needs long for.
void EthernetPort::fetch(Cycle now) {
    if (fetching_ || producer_ == fetched_ || ready_.size() >= kFetch) return;
    const std::uint32_t slot = fetched_ & (rings_.tx_entries - 1);
    const std::uint32_t count = std::min({producer_ - fetched_, kFetch, rings_.tx_entries - slot});
    const std::uint32_t bytes = count * kDescriptorBytes;
    FrameRef staged = staging(frames_, bytes);
    std::uint8_t* const into = staged->writable_bytes().data();
    fetching_ = true;
    pcie_.read(now, rings_.descriptors + std::uint64_t{slot} * kDescriptorBytes, bytes, dma_purpose::kWqe,
               {*this, into, count, std::move(staged)});
}

void EthernetPort::read_done(Cycle now, std::uint64_t context, FrameRef frame) {
    const auto count = static_cast<std::uint32_t>(context);
    for (std::uint32_t i = 0; i < count; ++i) {
        ready_.push(read_descriptor(
            frame->front(std::size_t{i + 1} * kDescriptorBytes).subspan(std::size_t{i} * kDescriptorBytes)));
    }
    fetched_ += count;
    fetching_ = false;
    fetch(now);
}

EthernetCut EthernetPort::next(Cycle now) {
    const TxDescriptor& of = ready_.front();
    EthernetCut cut;
    cut.header = of.header;
    cut.header_bytes = of.header_bytes;
    const std::uint32_t all = of.payload();
    std::uint32_t bytes = std::min<std::uint32_t>(all - offset_, of.segment), skip = offset_;
    const bool last = offset_ + bytes == all;
    cut_tcp(std::span(cut.header).first(cut.header_bytes), offset_, bytes, last);
    offset_ += bytes;
    for (std::size_t i = 0; i < of.pieces.size(); ++i) {
        const std::uint32_t before = std::min(skip, of.pieces[i].bytes);
        const std::uint32_t here = std::min(bytes, of.pieces[i].bytes - before);
        cut.pieces[i] = {of.pieces[i].address + before, here};
        skip -= before;
        bytes -= here;
    }
    ++counters_.frames;
    counters_.bytes += cut.header_bytes + cut.payload();
    if (!last) return cut;
    ready_.pop();
    offset_ = 0;
    ++carried_out_;
    ++counters_.descriptors;
    fetch(now);
    if (carried_out_ == producer_ || carried_out_ - told_ >= kTell) tell(now);
    return cut;
}

void EthernetPort::tell(Cycle now) {
    told_ = carried_out_;
    FrameRef staged = staging(frames_, 4);
    boost::endian::store_little_u32(staged->writable_bytes().data(), told_);
    const std::uint8_t* const data = staged->front(4).data();
    const DmaPiece piece{rings_.record, data, 4, std::move(staged)};
    pcie_.write(now, {&piece, 1}, dma_purpose::kCqe);
}

std::optional<Cycle> EthernetPort::receive(Cycle now, const FrameRef& frame, Time since) {
    const auto bytes = static_cast<std::uint32_t>(frame->length() - kFcsBytes);
    if (arrived_ == buffers_ || bytes > rings_.buffer_bytes) {
        ++counters_.no_buffer;
        return {};
    }
    const std::uint64_t slot = arrived_ & (rings_.rx_entries - 1);
    ++arrived_;
    FrameRef entry = staging(frames_, kArrivalBytes);
    std::uint8_t* const out = entry->writable_bytes().data();
    boost::endian::store_little_u32(out, arrived_);
    boost::endian::store_little_u32(out + 4, bytes);
    boost::endian::store_little_u64(out + 8, 0);
    // The TCP checksum is not computed for the copy in memory: the card has looked at it.
    const std::array<DmaPiece, 2> pieces{
        DmaPiece{rings_.buffers + slot * rings_.buffer_bytes, frame->front(bytes).data(), bytes, frame},
        DmaPiece{rings_.arrivals + slot * kArrivalBytes, out, kArrivalBytes, std::move(entry)}};
    const PcieEndpoint::Written written = pcie_.write_through(now, since, pieces, dma_purpose::kPayload, {});
    ++counters_.received;
    counters_.received_bytes += bytes;
    if (armed_ && tells_at_ == kNever) tells_at_ = now + moderation_;
    return written.left;
}

void EthernetPort::arm(Cycle now, std::uint32_t seen) {
    armed_ = true;
    if (seen != arrived_) tells_at_ = now + moderation_;
}

void EthernetPort::run(Cycle now) {
    if (now < tells_at_) return;
    tells_at_ = kNever;
    armed_ = false;
    ++counters_.interrupts;
    pcie_.interrupt(now, page::kEthernetVector);
}

}  // namespace rnicsim::rc
