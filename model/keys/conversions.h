// SPDX-License-Identifier: Apache-2.0
// Between values of keys and the types of configurations.
#pragma once

#include "model/keys/key.h"
#include "model/keys/values.h"
#include "tlm/time/clock.h"
#include "tlm/time/cycle.h"
#include "tlm/time/time.h"

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace rnicsim {

// Puts the value at `path` into a member. `clock`: of a time in cycles whose key is in picoseconds.
void put(bool& to, Values& in, const std::string& path, Kind kind, const Clock& clock);
void put(double& to, Values& in, const std::string& path, Kind kind, const Clock& clock);
void put(Time& to, Values& in, const std::string& path, Kind kind, const Clock& clock);
void put(Cycle& to, Values& in, const std::string& path, Kind kind, const Clock& clock);
/// Its period.
void put(Clock& to, Values& in, const std::string& path, Kind kind, const Clock& clock);
void put(std::vector<std::uint32_t>& to, Values& in, const std::string& path, Kind kind, const Clock& clock);
template <std::integral T>
void put(T& to, Values& in, const std::string& path, Kind /*kind*/, const Clock& /*clock*/) {
    to = static_cast<T>(in.get(path).number);  // in the key's range
}

// What a member's value is as that of a key; a time in cycles: of 8 ns, which all default clocks have.
Value value_of(bool of, Kind kind);
Value value_of(double of, Kind kind);
Value value_of(Time of, Kind kind);
Value value_of(Cycle of, Kind kind);
Value value_of(const Clock& of, Kind kind);
Value value_of(const std::vector<std::uint32_t>& of, Kind kind);
template <std::integral T>
Value value_of(T of, Kind /*kind*/) {
    Value value;
    value.number = static_cast<std::int64_t>(of);
    return value;
}

}  // namespace rnicsim
