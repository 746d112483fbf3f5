// SPDX-License-Identifier: Apache-2.0
#include "model/host/tcp/tcp_rings.h"

#include "model/rnic/rc/rings.h"
#include "tlm/ethernet/frame.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace rnicsim {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint32_t kDescriptors = 1024;                        // as many as Linux drivers have
constexpr std::uint32_t kLeastBuffers = 1024, kMostBuffers = 8192;  // the same: their number, and the most

std::uint64_t take(std::uint64_t& next, std::uint64_t bytes) {
    const std::uint64_t at = next;
    next = (next + bytes + kPage - 1) / kPage * kPage;
    return at;
}

/// From `next` on.
rc::EthernetRings lay_out(const TcpConfig& config, std::uint32_t streams, std::uint64_t& next) {
    rc::EthernetRings rings;
    rings.tx_entries = kDescriptors;
    const std::uint64_t frames = std::uint64_t{streams} * (config.window / segment_of(config) + 1);
    rings.rx_entries =
        static_cast<std::uint32_t>(std::bit_ceil(std::clamp<std::uint64_t>(frames, kLeastBuffers, kMostBuffers)));
    rings.buffer_bytes = std::bit_ceil(config.mtu + static_cast<std::uint32_t>(kEthernetHeaderBytes));
    rings.descriptors = take(next, std::uint64_t{rings.tx_entries} * rc::kDescriptorBytes);
    rings.record = take(next, rc::kRecordBytes);
    rings.arrivals = take(next, std::uint64_t{rings.rx_entries} * rc::kArrivalBytes);
    rings.buffers = take(next, std::uint64_t{rings.rx_entries} * rings.buffer_bytes);
    return rings;
}

}  // namespace

TcpRings::TcpRings(TcpHost& host, const TcpConfig& config, std::uint64_t address, std::uint32_t streams)
    : host_(host), config_(config), streams_(streams) {
    rings_ = lay_out(config, streams, address);
    sockets_ = address;
}

std::uint64_t TcpRings::bytes(const TcpConfig& config, std::uint32_t streams) {
    std::uint64_t next = 0;
    static_cast<void>(lay_out(config, streams, next));
    static_cast<void>(take(next, std::uint64_t{2} * streams * config.window));
    return next;
}

void TcpRings::post(Cycle now, const rc::TxDescriptor& descriptor) {
    if (!has_room() || !waiting_.empty()) return waiting_.push(descriptor);
    write(descriptor);
    ring(now);
}

void TcpRings::write(const rc::TxDescriptor& descriptor) {
    const std::uint64_t slot = posted_ & (rings_.tx_entries - 1);
    rc::write_descriptor(host_.memory(rings_.descriptors + slot * rc::kDescriptorBytes, rc::kDescriptorBytes),
                         descriptor);
    ++posted_;
}

void TcpRings::ring(Cycle now) { host_.write_register(now, rc::page::kEthernetSend, posted_); }

std::optional<std::span<const std::uint8_t>> TcpRings::next_arrival(Cycle now) {
    if (!visible_.ready(now)) return {};
    static_cast<void>(visible_.pop());
    const std::uint64_t slot = taken_ & (rings_.rx_entries - 1);
    ++taken_;
    const std::span<const std::uint8_t> entry =
        host_.memory(rings_.arrivals + slot * rc::kArrivalBytes, rc::kArrivalBytes);
    if (boost::endian::load_little_u32(entry.data()) != taken_) throw std::logic_error("an arrival has another number");
    const std::uint32_t bytes = boost::endian::load_little_u32(&entry[4]);
    return host_.memory(rings_.buffers + slot * rings_.buffer_bytes, bytes);
}

void TcpRings::give_back(Cycle now) {
    host_.write_register(now, rc::page::kEthernetReceive, taken_ + rings_.rx_entries);
}

void TcpRings::arm(Cycle now) { host_.write_register(now, rc::page::kEthernetArm, taken_); }

bool TcpRings::written(std::uint64_t address, Cycle visible) {
    if (address - rings_.arrivals < std::uint64_t{rings_.rx_entries} * rc::kArrivalBytes) {
        last_visible_ = std::max(last_visible_, visible);
        visible_.push({}, last_visible_);
        return true;
    }
    if (address == rings_.record) {
        record_at_ = std::min(record_at_, visible);
        host_.run_at(visible);
        return true;
    }
    return address - rings_.buffers < std::uint64_t{rings_.rx_entries} * rings_.buffer_bytes;
}

void TcpRings::run(Cycle now) {
    if (now < record_at_) return;
    record_at_ = kNever;
    carried_out_ = boost::endian::load_little_u32(host_.memory(rings_.record, 4).data());
    if (waiting_.empty()) return;
    while (!waiting_.empty() && has_room()) write(waiting_.pop());
    ring(now);
}

}  // namespace rnicsim
