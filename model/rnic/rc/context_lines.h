// SPDX-License-Identifier: Apache-2.0
// What the card knows of QPs, regions, pages and CQs beyond its cache lies in host memory: a line that is missing is
// read from there, and who needs it waits, alone (V-K4 to V-K7).
//
//   work_queues, receiver, sender, completion_queues -- at hand? --> context_cache
//             ^-- go on -- a queue of lines to read, so many at once ==> line_dma
#pragma once

#include "model/rnic/rc/cache_config.h"
#include "model/rnic/rc/context_cache.h"
#include "model/rnic/rc/counted_ring.h"
#include "model/rnic/rc/memory_use.h"
#include "tlm/time/cycle.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rnicsim::rc {

/// A piece of host memory that the driver has given to the card.
struct LineMemory {
    std::uint64_t address = 0, bytes = 0;
    std::uint64_t kept = 0;  ///< of them, for lines of anything but pages
};

/// Where something waits for a line: of a QP each by itself, or of a CQ.
enum class LineUser : std::uint8_t { work_queue, receiver, request_lane, answer_lane, cq };
inline constexpr std::uint32_t kLineUsersOfQp = 4;

class ContextLines {
  public:
    class Waiter {
      public:
        virtual ~Waiter() = default;
        /// The line has come that `user` of this QP or CQ waited for; it may ask for the next one.
        virtual void line_came(Cycle now, LineUser user, std::uint32_t of) = 0;
    };

    /// Carries lines between host memory and the card.
    class Port {
      public:
        virtual ~Port() = default;
        /// came() is to be called when it is there.
        virtual void read_line(Cycle now, LineId line, std::uint64_t address, std::uint32_t bytes) = 0;
        virtual void write_line(Cycle now, std::uint64_t address, std::uint32_t bytes) = 0;
    };

    ContextLines(const CacheConfig& config, const MrTable& regions, Port& port, Waiter& waiter)
        : cache_(config.bytes), most_(config.misses), regions_(regions), port_(port), waiter_(waiter) {}

    // The driver's set-up. A line takes the next piece of the memory, and one that has been another object's before is
    // written anew; std::logic_error: there is no memory left, which these say before.
    void set_memory(const LineMemory& memory) { memory_ = memory; }
    void add_qp(Qpn qp);
    void add_region(std::uint32_t key);
    void add_cq(std::uint32_t cq);
    [[nodiscard]] bool has_room(LineKind kind) const {
        return kLineBytes[static_cast<std::size_t>(kind)] <= memory_.bytes;
    }
    /// So many entries the MTT may have, with one region more.
    [[nodiscard]] std::uint64_t most_page_entries() const;

    /// Is all on the card that this user needs for its next step? If not, it waits: the first missing line is on its
    /// way, and line_came() tells. `uses`: a function that says which memory the step will touch.
    template <typename Uses>
    bool at_hand(Cycle now, LineUser user, Qpn qp, Uses&& uses) {
        if (!cache_.all_fit()) return look(now, user, qp, uses());
        ++counters_.hits;
        return true;
    }
    bool at_hand(Cycle now, LineUser user, Qpn qp) {
        return at_hand(now, user, qp, [] { return MemoryUses{}; });
    }
    bool cq_at_hand(Cycle now, std::uint32_t cq);

    /// A line has been read.
    void came(Cycle now, LineId line);

    [[nodiscard]] bool idle() const { return asked_.empty() && reading_ == 0; }

    struct Counters {
        std::uint64_t hits = 0;                          ///< steps that waited for no line
        std::array<std::uint64_t, kLineKinds> misses{};  ///< lines read, by kind
        std::uint64_t write_backs = 0;
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

  private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    /// A user of a QP or CQ.
    struct Wait {
        LineUser user = LineUser::cq;
        bool waits = false;
        std::uint32_t of = 0;
        std::uint32_t got = 0;       // lines of its step that have been waited for: they count as there (V-K6)
        std::uint32_t next = kNone;  // for the same line
    };
    struct Place {
        std::uint64_t address = 0;
        std::uint32_t first_waiter = kNone, last_waiter = kNone;
    };
    struct Owner {
        LineId line{};
        std::uint32_t first_wait = kNone;  // none: it has no line
    };

    LineId add(LineKind kind, std::uint32_t number);
    /// If nobody reads it just now.
    void renew(LineId line);
    static void begin_anew(Wait& wait);
    bool look(Cycle now, LineUser user, Qpn qp, const MemoryUses& uses);
    /// Goes through the lines of a step, in order.
    class Step;
    void wait_for(Cycle now, LineId line, std::uint32_t wait);
    void read_more(Cycle now);
    [[nodiscard]] Place& place(LineId line) { return places_[static_cast<std::uint32_t>(line)]; }
    [[nodiscard]] std::uint32_t bytes_of(LineId line) const {
        return kLineBytes[static_cast<std::size_t>(cache_.kind(line))];
    }

    ContextCache cache_;
    const std::uint32_t most_;
    const MrTable& regions_;
    Port& port_;
    Waiter& waiter_;
    LineMemory memory_;                         // what is left of it
    std::vector<Place> places_;                 // by line
    std::vector<Owner> qps_;                    // by QPN
    std::vector<LineId> of_region_, of_pages_;  // by index; by eighth entry
    std::vector<Owner> cqs_;
    std::vector<Wait> waits_;
    CountedRing<LineId> asked_;  // wait for their read
    std::uint32_t reading_ = 0;
    Counters counters_;
};

}  // namespace rnicsim::rc
