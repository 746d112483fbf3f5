// SPDX-License-Identifier: Apache-2.0
// An IIO: a root port's, or one for several ports. Its places and its way out are for all that come; order is among the
// requests of a port, as PCIe has it.
#pragma once

#include "model/host/persistence/bookings.h"
#include "model/host/persistence/cache_and_medium.h"
#include "model/host/persistence/config.h"
#include "model/host/persistence/held_bytes_target.h"
#include "tlm/pcie/posted_buffer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

namespace rnicsim {

class IioStage {
  public:
    using Taken = PostedBuffer::Taken;

    /// `rest`: what is behind it; not owned.
    IioStage(const PersistenceConfig& config, CacheAndMedium& rest, std::size_t ports);

    void set_held_bytes_target(HeldBytesTarget* target) { target_ = target; }

    /// As a PostedBuffer, of the port `of`.
    Taken write(std::size_t of, Time arrives, std::uint64_t address, std::uint32_t bytes, TlpAttributes attributes);
    Taken interrupt(std::size_t of, Time arrives, TlpAttributes attributes);
    Time read_may_start(std::size_t of, Time arrives, TlpAttributes attributes);

    /// As PersistencePath has them.
    Time left(std::size_t of, std::uint64_t number, std::uint64_t address, std::uint64_t bytes);
    void pass(Time now) {
        places_.forget(now);
        out_.forget(now);
    }
    [[nodiscard]] Time oldest_untold() const;
    [[nodiscard]] bool holds(std::uint64_t up_to) const {
        return !held_.empty() && held_.front().write.number <= up_to;
    }
    void tell_held(LineObserver& observer) const;
    void end();

    /// May left() be asked of the line? It is of this port, and held, or was.
    [[nodiscard]] bool knows(std::size_t of, std::uint64_t number) const;

  private:
    static constexpr std::size_t kClasses = 8;
    struct Entry {
        LineWrite write;
        TlpAttributes attributes;
        std::size_t of = 0;
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
    Some take(std::size_t of, Time arrives, std::span<LineWrite> lines, TlpAttributes attributes);
    Time place(Time arrives);
    void push(Time at, std::size_t of, std::size_t traffic_class);
    void push_all(Time at);
    std::size_t leave(std::size_t of, std::span<LineWrite> lines, TlpAttributes attributes, Time from);
    [[nodiscard]] std::size_t together(std::span<const LineWrite> lines, TlpAttributes attributes,
                                       const ScmQueue::Place& place) const;
    void tell_left(const Entry& entry);

    const IioConfig config_;
    const Time slot_;  // of a line on its way out
    CacheAndMedium& rest_;
    HeldBytesTarget* target_ = nullptr;  // not owned
    Places places_;
    BusyTimes out_;
    Time last_posted_;
    std::vector<std::array<Order, kClasses>> orders_;  // by port
    std::deque<Entry> held_;                           // until pushed, in order
    std::vector<std::map<std::uint64_t, Time>> left_;  // by port: of what was held, until it is asked for
    std::vector<Asked> asked_;
};

}  // namespace rnicsim
