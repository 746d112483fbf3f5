// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/qp_table.h"

#include <algorithm>

namespace rnicsim::rc {

std::optional<Qpn> QpTable::create(Time now, QpInit init) {
    if (places_.size() < max_) {
        const Qpn number{static_cast<std::uint32_t>(places_.size()) + kFirst};
        places_.push_back({Qp(number, init)});
        return number;
    }
    for (Place& place : places_) {
        if (place.used || now < place.free_from) continue;
        place.qp = Qp(place.qp.number, init);
        place.used = true;
        return place.qp.number;
    }
    return {};
}

bool QpTable::has_free(Time now) const {
    return places_.size() < max_ ||
           std::ranges::any_of(places_, [now](const Place& p) { return !p.used && now >= p.free_from; });
}

bool QpTable::destroy(Time now, Qpn number, Time rest) {
    if (find(number) == nullptr) return false;
    Place& place = places_[number.n - kFirst];
    place.used = false;
    place.free_from = now + rest;
    return true;
}

const Qp* QpTable::find(Qpn number) const {
    const std::uint32_t at = number.n - kFirst;  // 0 and 1 become large
    return at < places_.size() && places_[at].used ? &places_[at].qp : nullptr;
}

Qp* QpTable::find(Qpn number) {
    const std::uint32_t at = number.n - kFirst;
    return at < places_.size() && places_[at].used ? &places_[at].qp : nullptr;
}

}  // namespace rnicsim::rc
