// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/rings.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <cassert>

namespace rnicsim::rc {
namespace {

using boost::endian::load_little_u16;
using boost::endian::load_little_u32;
using boost::endian::load_little_u64;
using boost::endian::store_little_u16;
using boost::endian::store_little_u32;
using boost::endian::store_little_u64;

// Byte offsets in a send WQE.
constexpr std::size_t kVerb = 0, kFlags = 1, kSges = 2, kBlocks = 3, kImmediate = 4, kRemote = 8, kRemoteKey = 16,
                      kInlineLength = 20, kFlowLabel = 22, kNumber = 24, kQp = 28, kSgesAt = 32;
constexpr std::size_t kCompare = 32, kSwap = 40, kAtomicSge = 48;
constexpr std::size_t kPlacement = 32, kSelectivity = 33, kFlushLength = 36;
constexpr std::size_t kSgeBytes = 16;
constexpr std::uint8_t kSignaled = 1, kSolicited = 2, kFence = 4, kInline = 8;
constexpr std::size_t kVerbs = kVerbNames.size();

void write_sge(std::span<std::uint8_t> out, const Sge& sge) {
    store_little_u64(out.data(), sge.address);
    store_little_u32(&out[8], sge.length);
    store_little_u32(&out[12], sge.lkey);
}

Sge read_sge(std::span<const std::uint8_t> bytes) {
    return {load_little_u64(bytes.data()), load_little_u32(&bytes[8]), load_little_u32(&bytes[12])};
}

// Byte offsets in a CQE.
constexpr std::size_t kCqeStatus = 1, kCqeFlags = 3, kCqeLength = 4, kCqeImmediate = 8, kCqeQp = 12, kCqeIndex = 16,
                      kCqeQueue = 20, kCqeTime = 24, kCqeFrom = 32, kCqeAddress = 40, kCqePhase = 63;
constexpr std::uint8_t kCqeReceive = 1, kCqeSolicited = 2, kCqeGrh = 4;

/// One that fails: an atomic of no bytes.
SendWqe malformed() {
    SendWqe wqe;
    wqe.verb = Verb::fetch_add;
    return wqe;
}

}  // namespace

std::uint32_t wqe_bytes(const SendWqe& wqe) {
    const std::size_t at = is_atomic(wqe.verb) ? kAtomicSge : kSgesAt;
    const std::size_t behind = wqe.inline_data ? wqe.inline_length : wqe.sges.size() * kSgeBytes;
    const auto bytes = static_cast<std::uint32_t>(at + behind);
    return (bytes + kWqeBlock - 1) / kWqeBlock * kWqeBlock;
}

void write_wqe(std::span<std::uint8_t> out, const SendWqe& wqe, Qpn qp, std::uint32_t number,
               std::span<const std::uint8_t> payload) {
    const std::uint32_t bytes = wqe_bytes(wqe);
    assert(out.size() >= bytes && bytes <= kMostWqeBytes);
    std::ranges::fill(out.first(bytes), std::uint8_t{0});
    out[kVerb] = static_cast<std::uint8_t>(wqe.verb);
    out[kFlags] = static_cast<std::uint8_t>((wqe.signaled ? kSignaled : 0) | (wqe.solicited ? kSolicited : 0) |
                                            (wqe.fence ? kFence : 0) | (wqe.inline_data ? kInline : 0));
    out[kSges] = static_cast<std::uint8_t>(wqe.sges.size());
    out[kBlocks] = static_cast<std::uint8_t>(bytes / kWqeBlock);
    store_little_u32(&out[kImmediate], wqe.immediate_or_key);
    store_little_u64(&out[kRemote], wqe.remote_address);
    store_little_u32(&out[kRemoteKey], wqe.remote_key);
    store_little_u16(&out[kInlineLength], static_cast<std::uint16_t>(wqe.inline_length));
    store_little_u16(&out[kFlowLabel], wqe.flow_label);
    store_little_u32(&out[kNumber], number);
    store_little_u32(&out[kQp], qp.n);
    if (wqe.inline_data) {
        assert(payload.size() == wqe.inline_length);
        std::ranges::copy(payload, out.begin() + kInlineAt);
        return;
    }
    if (wqe.verb == Verb::flush) {
        out[kPlacement] = static_cast<std::uint8_t>(wqe.flush.placement);
        out[kSelectivity] = static_cast<std::uint8_t>(wqe.flush.selectivity);
        store_little_u32(&out[kFlushLength], wqe.flush_length);
        return;
    }
    std::size_t at = kSgesAt;
    if (is_atomic(wqe.verb)) {
        store_little_u64(&out[kCompare], wqe.compare);
        store_little_u64(&out[kSwap], wqe.swap_or_add);
        at = kAtomicSge;
    }
    for (const Sge& sge : wqe.sges) {
        write_sge(out.subspan(at, kSgeBytes), sge);
        at += kSgeBytes;
    }
}

WrittenWqe read_wqe(std::span<const std::uint8_t> bytes) {
    WrittenWqe read;
    read.number = load_little_u32(&bytes[kNumber]);
    read.qp = Qpn{load_little_u32(&bytes[kQp]) & 0xFF'FFFFU};
    read.bytes = bytes[kBlocks] * kWqeBlock;
    SendWqe& wqe = read.wqe;
    const std::size_t at = bytes[kVerb] < kVerbs && is_atomic(static_cast<Verb>(bytes[kVerb])) ? kAtomicSge : kSgesAt;
    const bool has_inline = (bytes[kFlags] & kInline) != 0;
    const std::size_t needs = at + (has_inline ? load_little_u16(&bytes[kInlineLength]) : bytes[kSges] * kSgeBytes);
    if (bytes[kVerb] >= kVerbs || read.bytes < kWqeBlock || read.bytes > bytes.size() || needs > read.bytes ||
        (!has_inline && bytes[kSges] > SendSges::capacity())) {
        wqe = malformed();
        return read;
    }
    wqe.verb = static_cast<Verb>(bytes[kVerb]);
    wqe.signaled = (bytes[kFlags] & kSignaled) != 0;
    wqe.solicited = (bytes[kFlags] & kSolicited) != 0;
    wqe.fence = (bytes[kFlags] & kFence) != 0;
    wqe.inline_data = has_inline;
    wqe.immediate_or_key = load_little_u32(&bytes[kImmediate]);
    wqe.remote_address = load_little_u64(&bytes[kRemote]);
    wqe.remote_key = load_little_u32(&bytes[kRemoteKey]);
    wqe.flow_label = load_little_u16(&bytes[kFlowLabel]);
    if (has_inline) {
        wqe.inline_length = load_little_u16(&bytes[kInlineLength]);
        return read;
    }
    if (wqe.verb == Verb::flush) {
        wqe.flush = {roce::FlushPlacement{bytes[kPlacement]}, roce::FlushSelectivity{bytes[kSelectivity]}};
        wqe.flush_length = load_little_u32(&bytes[kFlushLength]);
        return read;
    }
    if (is_atomic(wqe.verb)) {
        wqe.compare = load_little_u64(&bytes[kCompare]);
        wqe.swap_or_add = load_little_u64(&bytes[kSwap]);
    }
    for (std::size_t i = 0; i < bytes[kSges]; ++i) {
        wqe.sges.push(read_sge(bytes.subspan(at + i * kSgeBytes, kSgeBytes)));
    }
    return read;
}

void write_receive(std::span<std::uint8_t> out, const ReceiveSges& sges) {
    std::ranges::fill(out, std::uint8_t{0});
    std::size_t at = 0;
    for (const Sge& sge : sges) {
        write_sge(out.subspan(at, kSgeBytes), sge);
        at += kSgeBytes;
    }
}

ReceiveSges read_receive(std::span<const std::uint8_t> bytes) {
    ReceiveSges sges;
    for (std::size_t i = 0; i < bytes.size() / kSgeBytes; ++i) {
        const Sge sge = read_sge(bytes.subspan(i * kSgeBytes, kSgeBytes));
        if (sge.lkey == 0) break;  // ends the list
        sges.push(sge);
    }
    return sges;
}

void write_cqe(std::span<std::uint8_t> out, const Completion& c, bool phase, Time at) {
    std::ranges::fill(out.first(kCqeBytes), std::uint8_t{0});
    out[kVerb] = static_cast<std::uint8_t>(c.verb);
    out[kCqeStatus] = static_cast<std::uint8_t>(c.status);
    out[kCqeFlags] = static_cast<std::uint8_t>((c.receive ? kCqeReceive : 0) | (c.solicited ? kCqeSolicited : 0) |
                                               (c.grh ? kCqeGrh : 0));
    store_little_u32(&out[kCqeLength], c.bytes);
    store_little_u32(&out[kCqeImmediate], c.immediate_or_key);
    store_little_u32(&out[kCqeQp], c.qp.n);
    store_little_u32(&out[kCqeIndex], c.index);
    store_little_u32(&out[kCqeQueue], static_cast<std::uint32_t>(c.cq));
    store_little_u64(&out[kCqeTime], static_cast<std::uint64_t>(at.ps));
    store_little_u32(&out[kCqeFrom], c.from.n);
    store_little_u64(&out[kCqeAddress], c.address);
    out[kCqePhase] = phase ? 1 : 0;
}

Completion read_cqe(std::span<const std::uint8_t> bytes) {
    Completion c;
    c.verb = static_cast<Verb>(bytes[kVerb]);
    c.status = static_cast<Status>(bytes[kCqeStatus]);
    c.receive = (bytes[kCqeFlags] & kCqeReceive) != 0;
    c.solicited = (bytes[kCqeFlags] & kCqeSolicited) != 0;
    c.grh = (bytes[kCqeFlags] & kCqeGrh) != 0;
    c.from = Qpn{load_little_u32(&bytes[kCqeFrom])};
    c.address = load_little_u64(&bytes[kCqeAddress]);
    c.bytes = load_little_u32(&bytes[kCqeLength]);
    c.immediate_or_key = load_little_u32(&bytes[kCqeImmediate]);
    c.qp = Qpn{load_little_u32(&bytes[kCqeQp])};
    c.index = load_little_u32(&bytes[kCqeIndex]);
    c.cq = Cqn{load_little_u32(&bytes[kCqeQueue])};
    return c;
}

bool cqe_phase(std::span<const std::uint8_t> bytes) { return bytes[kCqePhase] != 0; }

}  // namespace rnicsim::rc
