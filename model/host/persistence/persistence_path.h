// SPDX-License-Identifier: Apache-2.0
// The way of a device's writes from PCIe into storage class memory: IIO, LLC or not, the iMC's write queue, SCM. It
// books times; the bytes are in the host's memory (README.md).
#pragma once

#include "model/host/persistence/bookings.h"
#include "model/host/persistence/config.h"
#include "model/host/persistence/last_level_cache.h"
#include "model/host/persistence/line_observer.h"
#include "model/host/persistence/scm_queue.h"
#include "model/random.h"
#include "tlm/pcie/posted_buffer.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace rnicsim {

/// Hears when bytes can be seen that the IIO has held.
class HeldBytesTarget {
  public:
    virtual ~HeldBytesTarget() = default;
    virtual void seen(std::uint64_t address, std::uint64_t bytes, Time at) = 0;
};

class PersistencePath final : public PostedBuffer {
  public:
    /// `random`, `host`: for the draws of random evictions.
    explicit PersistencePath(const PersistenceConfig& config, const RandomSource& random = {}, unsigned host = 0);

    /// What lies there is SCM's; all else is DRAM's.
    void add_scm(std::uint64_t address, std::uint64_t bytes);
    [[nodiscard]] bool is_scm(std::uint64_t address) const { return part_at(address).scm; }
    /// Not owned; nullptr = none.
    void set_observer(LineObserver* observer) { observer_ = observer; }
    void set_held_bytes_target(HeldBytesTarget* target) { target_ = target; }

    // PostedBuffer: of the device.
    Taken write(Time arrives, std::uint64_t address, std::uint32_t bytes, TlpAttributes attributes) override;
    Taken interrupt(Time arrives, TlpAttributes attributes) override;
    Time read_may_start(Time arrives, TlpAttributes attributes) override;

    /// When the write up to line `number` has left the IIO that was not known to leave it when it was taken. If it is
    /// not known yet, kEndOfTime, and the target hears of these bytes later. To be asked once, in the order of the
    /// numbers.
    Time left(std::uint64_t number, std::uint64_t address, std::uint64_t bytes);

    /// A read of SCM that may start at `from`: when its last byte is there. Bytes > 0.
    Time read_scm(Time from, std::uint64_t address, std::int64_t bytes) { return scm_.read(from, address, bytes); }
    /// Do writes go to the memory's controller at once?
    [[nodiscard]] bool passes_llc(TlpAttributes attributes) const {
        return !config_.ddio || (config_.no_snoop_write && attributes.no_snoop);
    }

    /// A processor flushes these lines from the LLC (CLWB, then a fence): when it may go on, as the last one has
    /// entered the iMC's queue. Bytes > 0.
    Time flush(Time now, std::uint64_t address, std::uint64_t bytes);

    /// A processor has written these lines by `now`: they are dirty in the LLC. Nobody else has done anything before.
    /// Bytes > 0.
    void store(Time now, std::uint64_t address, std::uint64_t bytes);

    /// Nothing arrives, is read or flushed before `now` any more: what is over is forgotten.
    void pass(Time now);

    /// The observer will not be told of a write that entered the IIO before this; kEndOfTime: of none.
    [[nodiscard]] Time oldest_untold() const;
    /// Is there one with at most this number?
    [[nodiscard]] bool holds(std::uint64_t up_to) const {
        return !held_.empty() && held_.front().write.number <= up_to;
    }
    /// Of what the IIO holds until it is pushed, as if it was never.
    void tell_held(LineObserver& observer) const;
    /// The run is over: the observer hears of what the IIO still holds.
    void end();

    [[nodiscard]] Domain domain() const { return config_.domain; }
    /// Number of the last line write that has been booked, or is held.
    [[nodiscard]] std::uint64_t last_number() const { return numbers_; }
    [[nodiscard]] std::size_t cached_lines() const { return llc_.lines(); }

  private:
    static constexpr std::size_t kClasses = 8;
    struct Entry {
        LineWrite write;
        TlpAttributes attributes;
    };
    struct Range {
        std::uint64_t begin, end;
    };
    struct Part {  // of memory
        bool scm = false;
        std::uint64_t end = 0;  // up to which it is all the same
    };
    struct Some {  // of the lines of a TLP
        Taken taken;
        std::size_t lines = 0;
    };
    struct Order {      // of a traffic class
        Time go, left;  // the latest of all its writes so far
    };
    struct Asked {
        std::uint64_t number, address, bytes;
    };

    static bool is_line(const LineWrite& write) { return write.number != 0; }  // else an MSI
    [[nodiscard]] Part part_at(std::uint64_t address) const;
    [[nodiscard]] std::span<LineWrite> lines_of(std::uint64_t address, std::uint64_t bytes);
    Some take(Time arrives, std::span<LineWrite> lines, TlpAttributes attributes);
    Time place(Time arrives);
    void push(Time at, std::size_t traffic_class);
    void push_all(Time at);
    std::size_t leave(std::span<LineWrite> lines, TlpAttributes attributes, Time from);
    [[nodiscard]] std::size_t together(std::span<const LineWrite> lines, TlpAttributes attributes,
                                       const ScmQueue::Place& place) const;
    void enter(std::span<LineWrite> lines, TlpAttributes attributes, const ScmQueue::Place& place);
    [[nodiscard]] ScmQueue::Place room(const LineWrite& write, TlpAttributes attributes, Time from) const;
    [[nodiscard]] ScmQueue::Place room_in_llc(const LineWrite& write, Time from) const;
    [[nodiscard]] ScmQueue::Place room_in_imc(bool scm, Time from, Time way, std::uint64_t line) const;
    void enter_llc(LineWrite& write, const ScmQueue::Place& place);
    void enter_imc(LineWrite& write, Time scm_done);
    void invalidate(const LineWrite& write);
    Time write_back(std::uint64_t line, bool scm, std::uint64_t number, const ScmQueue::Place& place, Time way);
    void tell_left(const Entry& entry);
    void tell();
    void tell_written_back(std::uint64_t number, Time adr, Time scm_done);

    const PersistenceConfig config_;
    const Time slot_;  // of a line on its way out of the IIO
    std::vector<Range> scm_ranges_;
    LineObserver* observer_ = nullptr;   // not owned
    HeldBytesTarget* target_ = nullptr;  // not owned
    std::vector<LineWrite> lines_;       // of a TLP, or what a processor writes
    std::vector<LineWrite> booked_;      // of which the observer has not been told

    Places places_;  // of the IIO
    BusyTimes out_;
    Time last_posted_;
    std::array<Order, kClasses> orders_{};
    std::deque<Entry> held_;              // until pushed, in order
    std::map<std::uint64_t, Time> left_;  // of what was held, until it is asked for
    std::vector<Asked> asked_;
    LastLevelCache llc_;
    ScmQueue scm_;
    std::unordered_map<std::uint64_t, Time> written_back_;  // by line: on its way to the iMC until then
    static constexpr std::size_t kMany = 1024;
    std::size_t many_ = kMany;  // so many are worth a look for those that are over
    std::uint64_t numbers_ = 0;
    Time passed_;
};

}  // namespace rnicsim
