// SPDX-License-Identifier: Apache-2.0
// Credits of one direction of a link for posted TLPs: a sender takes them, and they come back when the receiver's
// buffer has room again (PCI Express Base Specification 2.6.1). Plain logic; times are given.
#pragma once

#include "model/ntb/config.h"
#include "tlm/ring.h"
#include "tlm/time/time.h"

#include <algorithm>
#include <cstdint>

namespace rnicsim::ntb {

class Credits {
  public:
    static constexpr std::uint32_t kUnit = 16;  ///< bytes

    struct Amount {
        std::uint32_t headers = 0, data = 0;  ///< data in units
    };
    /// Of TLPs with so many bytes of payload in all; each but one a multiple of a unit.
    [[nodiscard]] static constexpr Amount of(std::uint32_t tlps, std::uint32_t bytes) {
        return {tlps, (bytes + kUnit - 1) / kUnit};
    }

    explicit Credits(const CreditConfig& config) : headers_(config.headers), data_(config.data), all_(config) {}

    /// Takes them, if there are so many by `now`.
    bool take(Time now, const Amount& amount) {
        collect(now);
        if (headers_ < amount.headers || data_ < amount.data) return false;
        headers_ -= amount.headers;
        data_ -= amount.data;
        return true;
    }
    /// They are back at `at`, or with those that were given before: updates keep their order.
    void give(Time at, const Amount& amount) {
        last_ = std::max(at, last_);
        coming_all_.headers += amount.headers;
        coming_all_.data += amount.data;
        coming_.push({last_, amount});
    }
    /// When the next ones are back; kEndOfTime: none is on its way.
    [[nodiscard]] Time next() const { return coming_.empty() ? kEndOfTime : coming_.front().at; }
    /// That are neither back nor on their way.
    [[nodiscard]] Amount out() const {
        return {all_.headers - headers_ - coming_all_.headers, all_.data - data_ - coming_all_.data};
    }

  private:
    struct Coming {
        Time at;
        Amount amount;
    };
    void collect(Time now) {
        while (!coming_.empty() && coming_.front().at <= now) {
            const Coming back = coming_.pop();
            headers_ += back.amount.headers;
            data_ += back.amount.data;
            coming_all_.headers -= back.amount.headers;
            coming_all_.data -= back.amount.data;
        }
    }

    std::uint32_t headers_, data_;
    Amount coming_all_;
    CreditConfig all_;
    Time last_{};
    Ring<Coming> coming_;
};

}  // namespace rnicsim::ntb
