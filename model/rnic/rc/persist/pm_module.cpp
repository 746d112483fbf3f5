// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/persist/pm_module.h"

#include <bit>
#include <cassert>

namespace rnicsim::rc {

PmModule::PmModule(PmConfig config) : config_(config), slots_(config.capacity) {
    assert(config.capacity >= 1 && config.outstanding >= 1 && config.outstanding <= kMostReads);
}

void PmModule::accept(const PersistRequest& request) {
    assert(has_room());
    slots_[next_] = {request, State::accepted, 0};
    next_ = after(next_);
}

void PmModule::posted() {
    Slot& slot = slots_[unposted_];
    assert(slot.state == State::accepted || slot.state == State::forgotten);
    unposted_ = after(unposted_);
    if (slot.state == State::forgotten) {
        slot.state = State::free;
    } else {
        slot.state = State::waiting;
        ++waiting_;
    }
}

std::optional<FlushRead> PmModule::next_read() {
    const auto tag = static_cast<std::uint32_t>(std::countr_one(busy_));
    if (waiting_ == 0 || tag == config_.outstanding) return {};
    FlushRead read{tag, 0};
    by_age(slots_, next_, [&](Slot& slot) {
        if (slot.state != State::waiting) return true;
        slot.state = State::reading;
        slot.tag = tag;
        read.address = slot.request.address;
        --waiting_;
        return config_.coalesce;
    });
    busy_ |= 1U << tag;
    return read;
}

void PmModule::completed(std::uint32_t tag) {
    assert((busy_ >> tag & 1U) != 0);
    busy_ &= ~(1U << tag);
    for (Slot& slot : slots_) {
        if (slot.state == State::reading && slot.tag == tag) slot.state = State::persisted;
    }
    may_pack_ = true;
}

/// The last persist of the QP that is persisted like all before it; of those that are held.
const PmModule::Slot* PmModule::last_in_order(Qpn qp) const {
    const Slot* last = nullptr;
    by_age(slots_, next_, [&](const Slot& slot) {
        if (slot.request.qp != qp || slot.state == State::free || slot.state == State::forgotten) return true;
        if (slot.state != State::persisted) return false;
        last = &slot;
        return true;
    });
    return last;
}

std::optional<Pack> PmModule::next_pack() {
    if (!may_pack_) return {};
    const Slot* last = nullptr;
    by_age(slots_, next_, [&](const Slot& slot) {
        if (slot.state == State::persisted) last = last_in_order(slot.request.qp);
        return last == nullptr;
    });
    if (last == nullptr) {
        may_pack_ = false;
        return {};
    }
    const Pack pack{last->request.qp, last->request.psn};
    by_age(slots_, next_, [&](Slot& slot) {
        if (slot.request.qp == pack.qp && slot.state == State::persisted) slot.state = State::free;
        return &slot != last;
    });
    if (told_.size() <= pack.qp.n) told_.resize(pack.qp.n + 1);
    told_[pack.qp.n] = pack.psn;
    return pack;
}

std::optional<Psn> PmModule::persisted(Qpn qp) const {
    if (const Slot* const last = last_in_order(qp)) return last->request.psn;
    return qp.n < told_.size() ? told_[qp.n] : std::nullopt;
}

void PmModule::drop(Qpn qp) {
    for (Slot& slot : slots_) {
        if (slot.request.qp != qp || slot.state == State::free || slot.state == State::forgotten) continue;
        if (slot.state == State::waiting) --waiting_;
        slot.state = slot.state == State::accepted ? State::forgotten : State::free;
    }
    if (qp.n < told_.size()) told_[qp.n].reset();
}

}  // namespace rnicsim::rc
