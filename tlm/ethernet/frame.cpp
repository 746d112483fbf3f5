// SPDX-License-Identifier: Apache-2.0
#include "tlm/ethernet/frame.h"

#include <libdeflate.h>

#include <algorithm>
#include <cassert>
#include <cstring>

namespace rnicsim {

void Frame::format(const MacAddress& destination, const MacAddress& source, std::uint16_t ether_type,
                   std::size_t client_bytes) {
    std::memcpy(bytes_.data(), destination.data(), destination.size());
    std::memcpy(bytes_.data() + 6, source.data(), source.size());
    bytes_[12] = static_cast<std::uint8_t>(ether_type >> 8);
    bytes_[13] = static_cast<std::uint8_t>(ether_type);
    set_length_from_header(kEthernetHeaderBytes + client_bytes);
}

void Frame::set_length_from_header(std::size_t bytes_without_fcs) {
    assert(bytes_without_fcs >= kEthernetHeaderBytes && bytes_without_fcs + kFcsBytes <= bytes_.size());
    length_ = std::max(bytes_without_fcs + kFcsBytes, kMinFrameBytes);
    fcs_due_ = false;
    viewed_ = nullptr;
    trailer_ = nullptr;
    std::memset(bytes_.data() + bytes_without_fcs, 0, length_ - bytes_without_fcs);
}

std::uint32_t Frame::computed_fcs() const { return libdeflate_crc32(0, bytes_.data(), length_ - kFcsBytes); }

// The FCS is sent least significant byte first in the bit order of the CRC, which is memory order here.
void Frame::compute_fcs() const {
    write_trailer();
    fcs_due_ = false;
    const std::uint32_t fcs = computed_fcs();
    for (std::size_t i = 0; i < kFcsBytes; ++i) {
        bytes_[length_ - kFcsBytes + i] = static_cast<std::uint8_t>(fcs >> (8 * i));
    }
}

void Frame::compute_trailer() const {
    const Trailer write = std::exchange(trailer_, nullptr);
    write({bytes_.data(), length_ - kFcsBytes});
}

bool Frame::fcs_good() const {
    if (fcs_due_) return true;
    if (length_ < kFcsBytes) return false;
    std::uint32_t received = 0;
    for (std::size_t i = 0; i < kFcsBytes; ++i) {
        received |= static_cast<std::uint32_t>(bytes_[length_ - kFcsBytes + i]) << (8 * i);
    }
    return received == computed_fcs();
}

FrameRef FramePool::take() {
    if (free_.empty()) {
        all_.push_back(std::make_unique<Frame>(room_));
        all_.back()->pool_ = this;
        free_.push_back(all_.back().get());
    }
    Frame* const frame = free_.back();
    free_.pop_back();
    frame->fcs_due_ = false;
    frame->viewed_ = nullptr;
    frame->trailer_ = nullptr;
    return FrameRef{frame};
}

FrameRef FramePool::copy(const Frame& frame) {
    FrameRef copy = take();
    copy->truncate(frame.length());
    std::ranges::copy(frame.bytes(), copy->writable_bytes().begin());
    return copy;
}

}  // namespace rnicsim
