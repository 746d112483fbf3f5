// SPDX-License-Identifier: Apache-2.0
// Power cuts of the hosts at which items with a scheme are made durable: what their paths tell of lines, and what the
// initiators are told, goes into a ledger a host.
#pragma once

#include "model/config.h"
#include "model/host/persistence/persistence_path.h"
#include "model/system.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/workloads/persistence/persist_observer.h"
#include "testbench/workloads/persistence/power_cut_ledger.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace rnicsim {

class PersistCuts final : public PersistObserver {
  public:
    /// All must outlive it. `rows`: hears those of the responder `host`; may be nullptr.
    PersistCuts(const RunConfig& config, const VerbsLayout& layout, unsigned host = 0, CutObserver* rows = nullptr);
    void attach(System& system);
    /// By host: who hears of its lines; nullptr: nobody.
    [[nodiscard]] std::vector<LineObserver*> lines() const;

    // PersistObserver
    void posted(std::size_t connection, std::uint32_t item, Time begins) override;
    void told_written(std::size_t connection, std::uint32_t item, Time now) override;
    void told_persisted(std::size_t connection, std::uint32_t item, Time now) override;

    /// Nothing happens before `now` any more.
    void advance(Time now);
    /// The run is over: at `end`, or where it has been gone through to, if connections have failed.
    [[nodiscard]] std::vector<HostCuts> finish(Time end);

  private:
    struct Posted;
    class OfHost final : public LineObserver {
      public:
        OfHost(PersistCuts& all, unsigned number, Domain domain, CutObserver* rows)
            : host(number), ledger(domain, rows), all_(all) {}
        void lines_written(std::span<const LineWrite> writes) override;
        void line_written_back(std::uint64_t number, Time adr, Time scm_done) override {
            ledger.line_written_back({number, adr, scm_done});
        }
        const unsigned host;
        PersistencePath* path = nullptr;  // not owned
        PowerCutLedger ledger;
        std::uint64_t messages = 0;
        std::vector<std::size_t> connections;  ///< to it, by where their data go

      private:
        void written_again(const LineWrite& write, Posted& of);

        PersistCuts& all_;
    };
    struct Posted {
        std::uint64_t id = 0;      ///< of the message in the ledger
        std::uint64_t behind = 0;  ///< its line writes have higher numbers
        /// Where a message may begin anew: its bytes that have been written, by line.
        std::unordered_map<std::uint64_t, std::uint64_t> written = {};
    };
    /// Items that are posted, and of which all has not been told, or whose slot has not been used again.
    struct Connection {
        const VerbsLayout::Connection* plan = nullptr;  // not owned
        OfHost* there = nullptr;                        // not owned
        bool begins_anew = false;                       // its messages may: go_back_0
        std::uint32_t first = 0;                        // of `posted`
        std::deque<Posted> posted;                      // by item
    };
    static std::uint64_t first_byte_of(const LineWrite& write) {
        return write.line * kLineBytes + static_cast<std::uint64_t>(std::countr_zero(write.mask));
    }
    static void advance(OfHost& of, Time now);
    /// The slot of a message; 0: of none. Line writes up to a number are its own.
    struct Place {
        std::uint64_t message = 0, begin = 0, end = 0, last = 0;
        Posted* begins_anew = nullptr;  ///< it may; not owned
        [[nodiscard]] bool has(const LineWrite& write) const {
            const std::uint64_t address = first_byte_of(write);
            return begin <= address && address < end && write.number <= last;
        }
    };
    [[nodiscard]] Place place_of(const OfHost& of, const LineWrite& write);
    [[nodiscard]] const VerbsLayout::Buffer& place(std::size_t connection) const {
        return connections_[connection].plan->ends[1].in;
    }
    /// Of a connection: an item by its order.
    static std::uint32_t item_of(const FalseExample& example) { return static_cast<std::uint32_t>(example.order - 1); }
    [[nodiscard]] std::string in_words(const OfHost& of, const FalseExample& example) const;

    const RunConfig& config_;
    std::vector<std::unique_ptr<OfHost>> hosts_;  // the responders
    std::vector<Connection> connections_;
    Time advanced_;
};

}  // namespace rnicsim
