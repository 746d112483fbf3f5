// SPDX-License-Identifier: Apache-2.0
// The persist module of a responder: for each message that is to be persistent it reads memory behind the message's
// last write, and says so to the sender when that read has come back (PACK). No time: rtl/rc/pm_module.sv has the same
// decisions, a cycle later each.
#pragma once

#include "tlm/roce/psn.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rnicsim::rc {

using roce::Psn;
using roce::Qpn;

struct PmConfig {
    std::uint32_t outstanding = 1;  ///< flush reads under way, 1 .. PmModule::kMostReads
    bool coalesce = false;          ///< one flush read for all whose last write has been posted
    std::uint32_t capacity = 64;    ///< persists held, from 1 on
};

struct PersistRequest {
    Qpn qp;
    Psn psn;                    ///< of the last packet
    std::uint64_t address = 0;  ///< that the flush read is to read: the line of the last byte
};

struct FlushRead {
    std::uint32_t tag = 0;  ///< below PmConfig::outstanding
    std::uint64_t address = 0;
    friend constexpr bool operator==(const FlushRead&, const FlushRead&) = default;
};

/// The QP's persists are persistent up to here.
struct Pack {
    Qpn qp;
    Psn psn;
    friend constexpr bool operator==(const Pack&, const Pack&) = default;
};

class PmModule {
  public:
    static constexpr std::uint32_t kMostReads = 16;

    explicit PmModule(PmConfig config);

    /// A persist is held until its PACK is taken, or its QP is dropped. Places are given out in a ring, so that one
    /// that is held keeps the places behind it from their next use.
    [[nodiscard]] bool has_room() const { return slots_[next_].state == State::free; }
    /// The last packet has been taken, its writes are asked for. Precondition: has_room(); each QP's PSNs go up.
    void accept(const PersistRequest& request);
    /// The last write of the oldest persist for which this has not been said yet. Dropped ones count: they were asked
    /// for. Precondition: there is one.
    void posted();

    /// To be issued now: for the oldest persist whose last write has been posted, with the lowest free tag. With
    /// `coalesce` it is for all of those, and reads the line of the youngest.
    std::optional<FlushRead> next_read();
    /// In any order. Precondition: the tag is under way.
    void completed(std::uint32_t tag);

    /// Of the QP with the oldest persist that can be told of: PACK of the last one that is persistent like all before
    /// it.
    std::optional<Pack> next_pack();
    /// The same of this QP whether it has been told or not: for duplicates.
    [[nodiscard]] std::optional<Psn> persisted(Qpn qp) const;

    /// All that can matter later, in numbers, to compare states: add(number).
    template <typename Add>
    void each_number(Add&& add) const;

    /// Error or RESET: what the QP had asked for is forgotten. Tags under way stay taken until they come back.
    void drop(Qpn qp);

  private:
    enum class State : std::uint8_t {
        free,
        accepted,
        forgotten,  // dropped, and its last write is still to be posted
        waiting,    // for a flush read
        reading,
        persisted
    };
    struct Slot {
        PersistRequest request;
        State state = State::free;
        std::uint32_t tag = 0;  // of its flush read
    };

    [[nodiscard]] std::uint32_t after(std::uint32_t place) const { return place + 1 == slots_.size() ? 0 : place + 1; }
    /// Of those held the oldest first; `what` says whether to go on.
    template <typename Slots, typename F>
    static void by_age(Slots& slots, std::uint32_t next, F&& what);
    [[nodiscard]] const Slot* last_in_order(Qpn qp) const;

    PmConfig config_;
    std::vector<Slot> slots_;  // a ring: the place for the next persist is that of the oldest, or free
    std::uint32_t next_ = 0, unposted_ = 0;
    std::uint32_t waiting_ = 0;  // slots in this state
    std::uint32_t busy_ = 0;     // tags, a bit each
    bool may_pack_ = false;      // something has been persisted since there was no PACK to send
    std::vector<std::optional<Psn>>
        told_;  // by number of QP: the last PACK. Grows where one persists for the first time
};

template <typename Slots, typename F>
void PmModule::by_age(Slots& slots, std::uint32_t next, F&& what) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const std::size_t place = next + i;
        if (!what(slots[place < slots.size() ? place : place - slots.size()])) return;
    }
}

template <typename Add>
void PmModule::each_number(Add&& add) const {
    by_age(slots_, next_, [&](const Slot& slot) {
        add(slot.state);
        if (slot.state == State::free || slot.state == State::forgotten) return true;
        add(slot.request.qp.n);
        add(slot.request.psn.n);
        add(slot.state == State::reading ? slot.tag : 0);
        return true;
    });
    add(busy_);
    add(may_pack_);
    add(told_.size());
    for (const std::optional<Psn>& told : told_) add(told ? told->n + 1 : 0);
}

}  // namespace rnicsim::rc
