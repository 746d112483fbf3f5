// SPDX-License-Identifier: Apache-2.0
// What DRP numbers and names: transfers, frames of one, peers, operations. Strong types that must not be mixed.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

namespace rnicsim {

/// Id of a transfer, chosen by its initiator (DRP header, PROTOCOL.md 2.2). Wraps at 65536.
enum class Tid : std::uint16_t {};

/// Index of a data frame inside its transfer, from 0.
struct Sn {
    std::uint32_t n = 0;
    friend constexpr auto operator<=>(Sn, Sn) = default;
    friend constexpr Sn operator+(Sn a, std::uint32_t k) { return {a.n + k}; }
    friend constexpr std::uint32_t operator-(Sn a, Sn b) { return a.n - b.n; }
    constexpr Sn& operator++() {
        ++n;
        return *this;
    }
};

/// The other end of a transfer, by its place in an RNIC's table of peers (model/rnic/drp/peer_table.h). 0 where there
/// is one.
enum class Peer : std::uint16_t {};

constexpr std::uint16_t raw(Peer p) { return static_cast<std::uint16_t>(p); }

constexpr std::uint16_t raw(Tid t) { return static_cast<std::uint16_t>(t); }

/// Which use of a TID at its responder: an RNIC may forget a transfer and later see it as a new one. Then the host's
/// verdict on the first must not count for the second. Between an RNIC and its host only; 0: none.
enum class Generation : std::uint16_t {};

constexpr std::uint16_t raw(Generation g) { return static_cast<std::uint16_t>(g); }

/// The two RDMA operations of DRP (RW bit).
enum class Operation : std::uint8_t { write, read };

/// The method under test: `traditional` is direct only; `dynamic` may go indirect (PROTOCOL.md 1.6).
enum class Method : std::uint8_t { traditional, dynamic };

constexpr std::string_view method_name(Method method) { return method == Method::dynamic ? "dynamic" : "traditional"; }

}  // namespace rnicsim
