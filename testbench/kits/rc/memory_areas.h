// SPDX-License-Identifier: Apache-2.0
// The pieces of hosts' memories that RoCEv2 RNICs may touch: rings, what is sent, and where messages land.
#pragma once

#include "model/config.h"
#include "testbench/kits/rc/verbs_layout.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rnicsim {

struct MemoryArea {
    enum class What : std::uint8_t {
        ring,
        out,    ///< what is sent or lets itself be read
        word,   ///< what atomics change; of a scheme what SENDs carry
        in,     ///< messages land there by their number
        sends,  ///< SENDs, by the number of the receive
        shared  ///< SENDs to any QP of the host
    } what = What::ring;
    std::uint64_t address = 0, bytes = 0;
    std::size_t connection = 0;  ///< of those without a scheme, or of those with one: a host has one kind
    unsigned side = 0;
};

class MemoryAreas {
  public:
    MemoryAreas(const RunConfig& config, const VerbsLayout& layout);
    /// The one that has all these bytes, if one does.
    [[nodiscard]] const MemoryArea* find(unsigned host, std::uint64_t address, std::uint64_t bytes) const;

  private:
    void add(const VerbsTraffic& item, const VerbsLayout::End& end, std::size_t connection, unsigned side);
    void add(const rc::ReceiveRing& ring, unsigned host, std::size_t connection, unsigned side);

    std::vector<std::vector<MemoryArea>> areas_;  // by host, sorted
};

}  // namespace rnicsim
