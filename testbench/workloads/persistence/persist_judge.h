// SPDX-License-Identifier: Apache-2.0
// Judges hosts whose items have a scheme, in every run: their cards touch nothing but what they were given, write what
// was sent, and data that the initiator is told of are in the responder's memory.
#pragma once

#include "model/config.h"
#include "model/system.h"
#include "testbench/kits/rc/memory_areas.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/workloads/persistence/persist_observer.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {

class PersistJudge final : public PersistObserver {
  public:
    /// All must outlive it. `next`: gets each report afterwards.
    PersistJudge(const RunConfig& config, const VerbsLayout& layout, PersistObserver& next);
    void attach(System& system) { system_ = &system; }

    /// Is it a host of such an item?
    [[nodiscard]] bool judges(unsigned host) const { return is_of_scheme_[host]; }
    /// A device of this host is about to write.
    void device_writes(unsigned host, std::uint64_t address, std::span<const std::uint8_t> bytes);
    void device_reads(unsigned host, std::uint64_t address, std::uint64_t bytes);

    // PersistObserver
    void posted(std::size_t connection, std::uint32_t item, Time begins) override;
    void table_posted(std::size_t connection, std::span<const std::uint8_t> bytes) override;
    void told_written(std::size_t connection, std::uint32_t item, Time now) override;
    void told_persisted(std::size_t connection, std::uint32_t item, Time now) override;

    [[nodiscard]] const std::string& violation() const { return violation_; }
    /// Data have come to memory that had not before.
    [[nodiscard]] Time last_progress() const { return last_progress_; }

  private:
    struct Connection {
        std::uint32_t posted = 0, written = 0, persisted = 0;  ///< items
        std::vector<std::uint8_t> table;                       ///< that is on its way, or has been
        std::pair<std::uint32_t, std::uint64_t> reached;  ///< the last item that has come, and how many bytes of it
    };
    void table_comes(unsigned host, std::size_t connection, std::uint64_t address, std::span<const std::uint8_t> bytes);
    void read_back(unsigned host, std::size_t connection, std::uint64_t address, std::span<const std::uint8_t> bytes);
    void check_memory(std::size_t connection, std::uint32_t item, Time now);
    void violate(Time at, const std::string& what);

    const RunConfig& config_;
    const VerbsLayout& layout_;
    PersistObserver& next_;
    System* system_ = nullptr;  // not owned
    const MemoryAreas areas_;
    std::vector<bool> is_of_scheme_;  // by host
    std::vector<Connection> connections_;
    Time last_progress_;
    std::string violation_;
};

}  // namespace rnicsim
