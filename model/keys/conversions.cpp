// SPDX-License-Identifier: Apache-2.0
#include "model/keys/conversions.h"

namespace rnicsim {
namespace {

Time time_at(Values& in, const std::string& path, Kind kind) {
    const std::int64_t number = in.get(path).number;
    return kind == Kind::picoseconds ? Time{number} : kGmiiClock.time(Cycle{number});
}

Value number_of(std::int64_t number) {
    Value value;
    value.number = number;
    return value;
}

}  // namespace

void put(bool& to, Values& in, const std::string& path, Kind /*kind*/, const Clock& /*clock*/) {
    to = in.get(path).number != 0;
}
void put(double& to, Values& in, const std::string& path, Kind /*kind*/, const Clock& /*clock*/) {
    to = in.get(path).fraction;
}
void put(Time& to, Values& in, const std::string& path, Kind kind, const Clock& /*clock*/) {
    to = time_at(in, path, kind);
}
void put(Cycle& to, Values& in, const std::string& path, Kind kind, const Clock& clock) {
    to = kind == Kind::picoseconds ? in.cycles(path, clock) : Cycle{in.get(path).number};
}
void put(Clock& to, Values& in, const std::string& path, Kind kind, const Clock& /*clock*/) {
    to = Clock(time_at(in, path, kind));
}
void put(std::vector<std::uint32_t>& to, Values& in, const std::string& path, Kind /*kind*/, const Clock& /*clock*/) {
    to = in.get(path).list;
}

Value value_of(bool of, Kind /*kind*/) { return number_of(of ? 1 : 0); }
Value value_of(double of, Kind /*kind*/) {
    Value value;
    value.fraction = of;
    return value;
}
Value value_of(Time of, Kind kind) { return number_of(kind == Kind::picoseconds ? of.ps : kGmiiClock.cycle(of).n); }
Value value_of(Cycle of, Kind kind) { return number_of(kind == Kind::picoseconds ? kGmiiClock.time(of).ps : of.n); }
Value value_of(const Clock& of, Kind /*kind*/) { return number_of(of.period().ps); }
Value value_of(const std::vector<std::uint32_t>& of, Kind /*kind*/) {
    Value value;
    value.text = "[]";
    value.list = of;
    return value;
}

}  // namespace rnicsim
