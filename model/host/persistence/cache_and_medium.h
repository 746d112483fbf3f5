// SPDX-License-Identifier: Apache-2.0
// What is behind the IIOs of a host: the LLC or not, the iMC's write queue, SCM; and processors. It books times, in the
// order in which it is asked.
#pragma once

#include "model/host/persistence/bookings.h"
#include "model/host/persistence/config.h"
#include "model/host/persistence/last_level_cache.h"
#include "model/host/persistence/line_observer.h"
#include "model/host/persistence/scm_queue.h"
#include "model/random.h"
#include "tlm/pcie/tlp_attributes.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace rnicsim {

class CacheAndMedium {
  public:
    /// `random`, `host`: for the draws of random evictions.
    CacheAndMedium(const PersistenceConfig& config, const RandomSource& random, unsigned host);

    /// What lies there is SCM's; all else is DRAM's.
    void add_scm(std::uint64_t address, std::uint64_t bytes);
    [[nodiscard]] bool is_scm(std::uint64_t address) const { return part_at(address).scm; }
    /// Not owned; nullptr = none.
    void set_observer(LineObserver* observer) { observer_ = observer; }
    [[nodiscard]] LineObserver* observer() const { return observer_; }

    /// The lines of a write, with numbers of their own. They stay until the next ones. Bytes > 0.
    [[nodiscard]] std::span<LineWrite> lines_of(std::uint64_t address, std::uint64_t bytes);
    /// When the next stage has a place for a line that leaves an IIO, from `from` on; of the iMC's queue this one.
    [[nodiscard]] ScmQueue::Place room(const LineWrite& write, TlpAttributes attributes, Time from) const;
    /// How many of the lines, at least one, have room when they leave one behind the other.
    [[nodiscard]] std::size_t together(std::span<const LineWrite> lines, TlpAttributes attributes,
                                       const ScmQueue::Place& place) const;
    /// They have left an IIO so.
    void enter(std::span<LineWrite> lines, TlpAttributes attributes, const ScmQueue::Place& place);
    /// The observer hears of what has been booked.
    void tell() {
        if (!booked_.empty()) tell_booked();
    }

    /// As PersistencePath has them.
    Time read_scm(Time from, std::uint64_t address, std::int64_t bytes) { return scm_.read(from, address, bytes); }
    [[nodiscard]] bool passes_llc(TlpAttributes attributes) const {
        return !config_.ddio || (config_.no_snoop_write && attributes.no_snoop);
    }
    Time flush(Time now, std::uint64_t address, std::uint64_t bytes);
    void store(Time now, std::uint64_t address, std::uint64_t bytes);
    void pass(Time now) {
        passed_ = now;
        scm_.forget(now);
        if (written_back_.size() >= many_) forget_written_back(now);
    }
    [[nodiscard]] std::uint64_t last_number() const { return numbers_; }
    [[nodiscard]] std::size_t cached_lines() const { return llc_.lines(); }

  private:
    struct Range {
        std::uint64_t begin, end;
    };
    struct Part {  // of memory
        bool scm = false;
        std::uint64_t end = 0;  // up to which it is all the same
    };

    [[nodiscard]] Part part_at(std::uint64_t address) const;
    [[nodiscard]] ScmQueue::Place room_in_llc(const LineWrite& write, Time from) const;
    [[nodiscard]] ScmQueue::Place room_in_imc(bool scm, Time from, Time way, std::uint64_t line) const;
    void enter_llc(LineWrite& write, const ScmQueue::Place& place);
    void enter_imc(LineWrite& write, Time scm_done);
    void invalidate(const LineWrite& write);
    Time write_back(std::uint64_t line, bool scm, std::uint64_t number, const ScmQueue::Place& place, Time way);
    void tell_booked();
    void forget_written_back(Time now);
    void tell_written_back(std::uint64_t number, Time adr, Time scm_done);

    const PersistenceConfig config_;
    const Time slot_;  // of a line on its way out of an IIO
    std::vector<Range> scm_ranges_;
    LineObserver* observer_ = nullptr;  // not owned
    std::vector<LineWrite> lines_;      // of a TLP, or what a processor writes
    std::vector<LineWrite> booked_;     // of which the observer has not been told
    LastLevelCache llc_;
    ScmQueue scm_;
    std::unordered_map<std::uint64_t, Time> written_back_;  // by line: on its way to the iMC until then
    static constexpr std::size_t kMany = 1024;
    std::size_t many_ = kMany;  // so many are worth a look for those that are over
    std::uint64_t numbers_ = 0;
    Time passed_;
};

}  // namespace rnicsim
