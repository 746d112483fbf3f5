// SPDX-License-Identifier: Apache-2.0
// What a responder tells an initiator of the region to which its data go: with `region_table: sent`, by a SEND.
#pragma once

#include "testbench/kits/rc/verbs_layout.h"

#include <boost/endian/conversion.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace rnicsim {

struct ToldRegion {
    std::uint64_t address = 0, length = 0;
    std::uint32_t key = 0;
    std::uint32_t access = 0;  ///< rc::Access
};

using ToldRegionBytes = std::array<std::uint8_t, kRegionTable>;

inline ToldRegionBytes bytes_of(const ToldRegion& table) {
    ToldRegionBytes bytes{};
    boost::endian::store_little_u64(bytes.data(), table.address);
    boost::endian::store_little_u64(&bytes[8], table.length);
    boost::endian::store_little_u32(&bytes[16], table.key);
    boost::endian::store_little_u32(&bytes[20], table.access);
    return bytes;
}

/// Precondition: kRegionTable bytes.
inline ToldRegion told_region(std::span<const std::uint8_t> bytes) {
    return {boost::endian::load_little_u64(bytes.data()), boost::endian::load_little_u64(&bytes[8]),
            boost::endian::load_little_u32(&bytes[16]), boost::endian::load_little_u32(&bytes[20])};
}

}  // namespace rnicsim
