// SPDX-License-Identifier: Apache-2.0
// Each key sets the member that it is bound to, and no other. Two keys of one member, or a key that sets a neighbour's,
// would be seen nowhere else.
#include "model/host/persistence/fields.h"
#include "model/network/link/fields.h"
#include "model/network/switch/fields.h"
#include "model/ntb/fields.h"
#include "model/rnic/drp/end/fields.h"
#include "model/rnic/plain/fields.h"
#include "model/rnic/rc/end/fields.h"
#include "testbench/scenario/applications.h"
#include "testbench/scenario/run_fields.h"
#include "testbench/scenario/schema.h"
#include "testbench/scenario/traffic_fields.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace rnicsim {
namespace {

/// Values of keys, without a scenario. Times are converted to cycles of 8 ns, whatever the clock: else a clock would
/// change the members that are kept in its cycles.
class Given final : public Values {
  public:
    template <typename Config>
    explicit Given(const Fields<Config>& fields) {
        for (const Field<Config>& field : fields.all()) values_.emplace(field.key.path, field.initial);
    }
    void give(const std::string& path, Value value) { values_.at(path) = std::move(value); }
    Value get(const std::string& path) override { return values_.at(path); }
    Cycle cycles(const std::string& path, const Clock& /*clock*/) override {
        return {values_.at(path).number / kGmiiClock.period().ps};
    }

  private:
    std::map<std::string, Value> values_;
};

std::int64_t number_of(std::string_view text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// A legal value that is not the default.
Value other_value(const Key& key, const Value& initial) {
    Value value;
    if (is_list(key.kind)) {
        value.list = {static_cast<std::uint32_t>(initial.list.empty() ? key.least : key.most)};
    } else if (key.kind == Kind::probability) {
        value.fraction = initial.fraction == 0.5 ? 0.25 : 0.5;
    } else if (key.kind == Kind::choice) {
        value.number = initial.number == 0 ? 1 : 0;
    } else if (!key.choices.empty()) {
        const std::int64_t first = number_of(key.choices.front());
        value.number = initial.number == first ? number_of(key.choices.back()) : first;
    } else {
        value.number = initial.number == key.most ? key.least : key.most;
    }
    return value;
}

bool is_legal(const Key& key, const Value& value) {
    if (is_list(key.kind)) return value.list.front() >= key.least && value.list.front() <= key.most;
    if (key.kind == Kind::choice) return static_cast<std::size_t>(value.number) < key.choices.size();
    Value read;
    std::string expected;
    return read_value(key, write_value(key, value), read, expected) && read.number == value.number &&
           read.fraction == value.fraction;
}

/// Sets each key in turn. `seen`: takes the keys' paths.
template <typename Config>
void check_members(const Fields<Config>& fields, std::set<std::string>& seen) {
    Given defaults(fields);
    const Config before = fields.read(defaults);
    for (const Field<Config>& field : fields.all()) {
        const std::string& path = field.key.path;
        INFO(path);
        seen.insert(path);
        const Value other = other_value(field.key, field.initial);
        REQUIRE(is_legal(field.key, other));
        Given given(fields);
        given.give(path, other);
        const Config after = fields.read(given);
        if (field.same) {
            CHECK_FALSE(field.same(before, after));
        } else {
            std::cout << path << ": a function reads it; only that it changes no other key's member is checked\n";
        }
        for (const Field<Config>& neighbour : fields.all()) {
            if (!neighbour.same || neighbour.key.path == path) continue;
            INFO("member of " << neighbour.key.path);
            CHECK(neighbour.same(before, after));
        }
    }
}

/// Keys that are no member of a configuration, and who reads them.
bool has_no_member(const Key& key) {
    static const std::map<std::string_view, std::string_view> kWhy{
        {"run.direction", "becomes the hosts of an item"},
        {"run.repetitions", "counts runs, and is of none of them"},
        {"system.hosts.*.count", "becomes hosts"},
        {"system.rnic.personality", "chooses the type of the configuration"},
        {"system.rnic.profile", "says what other keys are"},
        {"system.rnic.rc.dcqcn.parameters", "says what other keys are"},
        {"system.host.cpu.profile", "says what other keys are"}};
    // testbench/tests/applications and keys_of_applications.py have them.
    if (is_of_an_application(key.path)) return true;
    const auto found = kWhy.find(key.path);
    if (found == kWhy.end() && !key.path.starts_with("simulation.")) return false;
    std::cout << key.path << ": no member; it " << (found == kWhy.end() ? "names who simulates a block" : found->second)
              << '\n';
    return true;
}

TEST_CASE("each key sets the member that it is bound to, and no other", "[scenario]") {
    std::set<std::string> seen;
    check_members(drp_end_fields(), seen);
    check_members(plain_fields(), seen);
    check_members(verbs_end_fields(), seen);
    check_members(persistence_fields(), seen);
    check_members(link_fields(), seen);
    check_members(switch_fields(), seen);
    check_members(ntb::fields(), seen);
    check_members(traffic_fields(), seen);
    check_members(run_fields(), seen);
    for (const Key& key : all_keys()) {
        INFO(key.path);
        CHECK((seen.contains(key.path) || has_no_member(key)));
    }
}

struct Pair {
    std::uint32_t first = 1, second = 2;
};

TEST_CASE("a key bound to its neighbour's member is found", "[scenario]") {
    Fields<Pair> fields("x");
    fields.number("first", &Pair::first, 0, 9, "", "");
    fields.number("second", &Pair::first, 0, 9, "", "");
    Given given(fields);
    const Pair before = fields.read(given);
    given.give("x.second", other_value(fields.all()[1].key, fields.all()[1].initial));
    CHECK_FALSE(fields.all()[0].same(before, fields.read(given)));
}

}  // namespace
}  // namespace rnicsim
