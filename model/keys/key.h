// SPDX-License-Identifier: Apache-2.0
// One key of a scenario: what it is called, which values it has, what they mean, and where the default comes from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {

enum class Kind : std::uint8_t {
    time,         ///< whole cycles of 8 ns: of RNICs and hosts
    picoseconds,  ///< of what keeps no clock of the DRP card: links, switches, hosts of RoCEv2 cards
    bytes,
    rate,
    bit_rate,
    probability,
    integer,
    boolean,
    choice,
    bytes_list,
    integer_list
};
constexpr bool is_list(Kind kind) { return kind == Kind::bytes_list || kind == Kind::integer_list; }

/// Whose key it is: of the run as a whole, or of something that there may be several of.
enum class Owner : std::uint8_t { run, host, network_switch, link, bridge, traffic };

/// One key. Limits are in the kind's own unit: cycles, picoseconds, bytes, bytes a second, bits a second, parts per
/// million, or plain.
struct Key {
    std::string path{};  ///< dotted; `system.host.*` and `system.rnic.*` also as `system.a.host.*`, ...;
                         ///< blocks of `simulation` also as `simulation.a.*`, ...; in a network as
                         ///< `system.hosts.NAME.host.*`, `system.switches.NAME.*`, `system.links.NAME.*`,
                         ///< `system.bridges.NAME.*`,
                         ///< `run.traffic.NAME.*`
    Kind kind{};
    std::string fallback{};  ///< default, as it would be written
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::vector<std::string_view> choices{};  ///< choice: the words; integer or bytes: the only legal numbers, if any
    std::string_view meaning{};
    std::string_view source{};  ///< of the default: where the number comes from
    bool network = false;       ///< only where `system.hosts` stands
    std::string_view word{};    ///< that may stand in place of a number; it is kWord then
    std::string_view whose{};   ///< choice: who has which of the words, where not everybody has all
    Owner owner = Owner::run;

    Key& in_networks() {
        network = true;
        return *this;
    }
};

/// The number of a key's word, which no number of its own is.
inline constexpr std::int64_t kWord = -1;

/// A value, checked against its key.
struct Value {
    std::string text{};       ///< as it was written
    std::int64_t number = 0;  ///< in the key's unit; integer, 0 or 1, index of the choice
    double fraction = 0;      ///< probability, 0..1
    std::vector<std::uint32_t> list{};
};

}  // namespace rnicsim
