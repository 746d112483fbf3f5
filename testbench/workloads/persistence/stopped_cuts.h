// SPDX-License-Identifier: Apache-2.0
// Power cuts for which a run really stops: the bytes of each write of a device to the responders' persistent memory are
// kept until then, with where they have come to. What would be there when the power is back is compared, byte by byte,
// with what the initiators had been told. The oracle of PersistCuts, which folds all instants of one run: the two share
// nothing but what the host's path and the programs say.
#pragma once

#include "model/config.h"
#include "model/host/persistence/persistence_path.h"
#include "model/system.h"
#include "testbench/kits/rc/memory_areas.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/records/cut_finding.h"
#include "testbench/workloads/persistence/cut_snapshot.h"
#include "testbench/workloads/persistence/persist_observer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace rnicsim {

class StoppedCuts final : public PersistObserver {
  public:
    /// Both must outlive it.
    StoppedCuts(const RunConfig& config, const VerbsLayout& layout);
    void attach(System& system);

    /// The card of this host puts a write on its link.
    void device_posts(unsigned host, std::uint64_t address, std::span<const std::uint8_t> bytes);

    // PersistObserver
    void posted(std::size_t connection, std::uint32_t item, Time begins) override;
    void told_written(std::size_t connection, std::uint32_t item, Time now) override;
    void told_persisted(std::size_t connection, std::uint32_t item, Time now) override;

    /// All that was due before `at` has happened, and nothing else: one finding a host. `initiator`: only of its items.
    [[nodiscard]] std::vector<CutFinding> look(Time at, std::optional<unsigned> initiator = {}) const;

  private:
    /// A write of (a part of) a line.
    struct Bytes {
        std::uint64_t line = 0, mask = 0;
        std::array<std::uint8_t, kLineBytes> at{};
        std::size_t connection = 0;
        std::uint32_t item = 0;
    };
    struct Item {
        Time told_written = kEndOfTime, told_persisted = kEndOfTime;
        std::vector<std::uint64_t> writes;  // numbers
    };
    /// Of persistent memory.
    struct Records final : LineObserver {
        void line_written(const LineWrite& write) override;
        void line_written_back(std::uint64_t number, Time adr, Time scm_done) override;

        CutRecords all;
        std::unordered_set<std::uint64_t> numbers;
    };
    struct OfHost {
        unsigned host = 0;
        PersistencePath* path = nullptr;  // not owned
        Records records;
        std::unordered_map<std::uint64_t, Bytes> bytes;  // by number: of items
    };
    struct Connection {
        const VerbsLayout::Connection* plan = nullptr;  // not owned
        OfHost* there = nullptr;                        // not owned
        std::vector<Item> items;                        // that are posted
    };
    /// What is in a slot when the power is back, and of each byte whose it is; nobody's: it was there before.
    struct Slot {
        std::vector<std::uint8_t> bytes;
        std::vector<std::int64_t> items;
    };

    void keep(OfHost& of, std::uint64_t number, std::uint64_t address, std::span<const std::uint8_t> bytes);
    void look_at(std::size_t connection, const CutSnapshot& snapshot, CutFinding& to) const;
    [[nodiscard]] Slot slot_of(std::size_t connection, std::uint32_t item, const CutSnapshot& snapshot) const;
    [[nodiscard]] CutFinding::Item judged(const Connection& c, std::uint32_t number, const Slot& slot,
                                          const CutSnapshot& snapshot) const;

    const RunConfig& config_;
    const MemoryAreas areas_;
    std::vector<std::unique_ptr<OfHost>> hosts_;
    std::vector<OfHost*> by_host_;  // null: of no responder
    std::vector<Connection> connections_;
};

}  // namespace rnicsim
