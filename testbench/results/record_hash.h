// SPDX-License-Identifier: Apache-2.0
// A hash of the records of a run. Finds damage; not cryptographic.
#pragma once

#include "testbench/records/records.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace rnicsim::runner {

/// FNV-1a over words of 64 bits instead of bytes, with the high half of each product folded into the low one.
class RecordHash {
  public:
    void add(std::span<const std::byte> bytes);
    /// 16 hexadecimal digits.
    [[nodiscard]] std::string text() const;

  private:
    std::uint64_t state_ = 0xcbf2'9ce4'8422'2325;  // its offset basis
};

template <typename Record>
std::string record_hash(const Records<Record>& records) {
    RecordHash hash;
    records.each([&](const Record& record) { hash.add(std::as_bytes(std::span(&record, 1))); });
    return hash.text();
}

}  // namespace rnicsim::runner
