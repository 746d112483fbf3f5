// SPDX-License-Identifier: Apache-2.0
// The QPs of a card by their numbers.
#pragma once

#include "model/rnic/rc/qp.h"

#include <optional>
#include <vector>

namespace rnicsim::rc {

class QpTable {
  public:
    explicit QpTable(std::uint32_t places) : max_(places) {}

    /// Nothing: all places are used, or rest.
    std::optional<Qpn> create(Time now, QpInit init);
    [[nodiscard]] bool has_free(Time now) const;
    /// Its number rests for so long: frames to it may still be on the way (V-Q4).
    bool destroy(Time now, Qpn number, Time rest);
    [[nodiscard]] Qp* find(Qpn number);
    [[nodiscard]] const Qp* find(Qpn number) const;

    /// In order of creation, from 0. Precondition: the number of a QP.
    [[nodiscard]] static constexpr std::uint32_t ordinal(Qpn number) { return number.n - kFirst; }

    template <typename F>
    void for_each(F&& what) {
        for (Place& place : places_) {
            if (place.used) what(place.qp);
        }
    }
    template <typename F>
    void for_each(F&& what) const {
        for (const Place& place : places_) {
            if (place.used) what(place.qp);
        }
    }

  private:
    static constexpr std::uint32_t kFirst = 2;  // 0 and 1 are the management's (IBTA vol. 1, 3.5.10)
    struct Place {
        Qp qp;
        bool used = true;
        Time free_from{};
    };

    std::uint32_t max_;
    std::vector<Place> places_;
};

}  // namespace rnicsim::rc
