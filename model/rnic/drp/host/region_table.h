// SPDX-License-Identifier: Apache-2.0
// Which memory a device may touch at this moment: RDMA regions, registered and released by software, and the rings.
#pragma once

#include "model/transfer_key.h"
#include "tlm/drp/ids.h"

#include <cstdint>
#include <vector>

namespace rnicsim {

struct Region {
    std::uint64_t base = 0;
    std::uint64_t bytes = 0;
    bool writable = false;    ///< the device may write; it may always read
    TransferKey of{};         ///< for which transfer
    Generation generation{};  ///< of a peer's transfer
    bool ring = false;        ///< set up at start, never released

    [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t length) const {
        return address >= base && address - base <= bytes && length <= bytes - (address - base);
    }
};

class RegionTable {
  public:
    void add(const Region& region) { regions_.push_back(region); }

    /// Returns whether it was there.
    bool remove(const TransferKey& of, Generation generation) {
        return std::erase_if(regions_,
                             [=](const Region& r) { return !r.ring && r.of == of && r.generation == generation; }) != 0;
    }

    /// The region that covers an access, or nullptr.
    [[nodiscard]] const Region* covering(std::uint64_t address, std::uint64_t length, bool write) const {
        for (auto r = regions_.rbegin(); r != regions_.rend(); ++r) {  // newest first: used most
            if (r->contains(address, length) && (!write || r->writable)) return &*r;
        }
        return nullptr;
    }

    /// RDMA regions still registered.
    [[nodiscard]] std::size_t registered() const {
        std::size_t count = 0;
        for (const Region& r : regions_) count += r.ring ? 0U : 1U;
        return count;
    }

  private:
    std::vector<Region> regions_;
};

}  // namespace rnicsim
