// SPDX-License-Identifier: Apache-2.0
// The persist module of a responder: for each message that is to be persistent it reads memory behind the message's
// last write, and says so to the sender when that read has come back (PACK). No time: rtl/rc/pm_module.sv has the same
// decisions, a cycle later each.
#pragma once

#include "model/rnic/rc/persist/persist_engine.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rnicsim::rc {

class PmModule : public PersistEngine {
  public:
    explicit PmModule(PmConfig config);

    [[nodiscard]] bool has_room() const override { return slots_[next_].state == State::free; }
    void accept(const PersistRequest& request) override;
    void posted() override;
    std::optional<FlushRead> next_read() override;
    void completed(std::uint32_t tag) override;
    std::optional<Pack> next_pack() override;
    void drop(Qpn qp) override;
    /// What next_pack() says, of this QP, whether it has been told or not: for duplicates.
    [[nodiscard]] std::optional<Psn> persisted(Qpn qp) const;

    /// All that can matter later, in numbers, to compare states: add(number).
    template <typename Add>
    void each_number(Add&& add) const;

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
