// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/pcapng_file.h"

#include <algorithm>
#include <utility>

namespace rnicsim {
namespace {

constexpr std::uint32_t kSectionHeaderBlock = 0x0A0D0D0A, kInterfaceBlock = 1, kEnhancedPacketBlock = 6;
constexpr std::uint32_t kByteOrderMagic = 0x1A2B3C4D;

// Options. The codes from 2 on have a meaning of their own in each block.
constexpr std::uint16_t kComment = 1;
constexpr std::uint16_t kShbUserAppl = 4;
constexpr std::uint16_t kIfName = 2, kIfDescription = 3, kIfTsResol = 9, kIfFcsLen = 13;
constexpr std::uint16_t kEpbFlags = 2;

constexpr std::size_t kLengthOffset = 4;  // of a block's total length
constexpr std::uint64_t kNanoseconds = 9;

}  // namespace

PcapngFile::PcapngFile(std::string name) : file_(std::move(name)) {
    begin(kSectionHeaderBlock);
    put(kByteOrderMagic, 4);
    put(1, 2);  // version 1.0
    put(0, 2);
    put(~std::uint64_t{0}, 8);  // the section's length is not known
    option(kShbUserAppl, "rnicsim");
    end_of_options();
    end();
}

void PcapngFile::add_interface(LinkType type, std::string_view name, std::string_view description) {
    begin(kInterfaceBlock);
    put(static_cast<std::uint16_t>(type), 2);
    put(0, 2);
    put(0, 4);  // no limit to what is captured of a packet
    option(kIfName, name);
    option(kIfDescription, description);
    option(kIfTsResol, kNanoseconds, 1);
    if (type == LinkType::ethernet) option(kIfFcsLen, 0, 1);  // frames end before their FCS
    end_of_options();
    end();
}

void PcapngFile::write(const Packet& packet) {
    begin(kEnhancedPacketBlock);
    put(packet.interface, 4);
    const auto ns = static_cast<std::uint64_t>(packet.ns);
    put(ns >> 32, 4);
    put(ns, 4);
    put(packet.bytes.size(), 4);
    put(packet.bytes_on_wire, 4);
    put_padded(std::as_bytes(std::span(packet.bytes)));
    if (!packet.comment.empty()) option(kComment, packet.comment);
    option(kEpbFlags, packet.flags, 4);
    end_of_options();
    end();
}

void PcapngFile::begin(std::uint32_t type) {
    block_.clear();
    put(type, 4);
    put(0, 4);  // total length, when it is known
}

void PcapngFile::end() {
    const std::size_t length = block_.size() + 4;
    put(length, 4);
    std::copy_n(block_.end() - 4, 4, block_.begin() + kLengthOffset);
    file_.write(block_);
}

void PcapngFile::put(std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) block_.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void PcapngFile::put_padded(std::span<const std::byte> bytes) {
    block_.insert(block_.end(), bytes.begin(), bytes.end());
    block_.resize((block_.size() + 3) / 4 * 4);
}

void PcapngFile::option(std::uint16_t code, std::span<const std::byte> value) {
    put(code, 2);
    put(value.size(), 2);
    put_padded(value);
}

void PcapngFile::option(std::uint16_t code, std::uint64_t value, unsigned bytes) {
    put(code, 2);
    put(bytes, 2);
    put(value, bytes);
    put_padded({});
}

}  // namespace rnicsim
