// SPDX-License-Identifier: Apache-2.0
// All keys of scenarios, collected from the components that declare them (model/keys/fields.h). The parser's checks,
// the reference (`rnicsim describe --keys`), the JSON Schema and the resolved listing are all made from this list.
#pragma once

#include "model/keys/key.h"
#include "model/rnic/rc/verbs.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {

/// Where the persistence path of a host is.
inline constexpr std::string_view kPersistence = "system.host.persistence";

constexpr bool is_persistence_key(std::string_view common) {
    return common.size() > kPersistence.size() && common.starts_with(kPersistence) &&
           common[kPersistence.size()] == '.';
}

/// Written, it gives its host a persistence path. Not so what counts only beside something else: the cost of a
/// processor's flush, and what becomes of TLPs with an attribute.
constexpr bool gives_persistence(std::string_view common) {
    if (!is_persistence_key(common)) return false;
    const std::string_view key = common.substr(kPersistence.size() + 1);
    return !key.starts_with("flush.") && key != "no_snoop" && key != "no_snoop_write";
}

std::span<const Key> all_keys();

/// Whose key it is; of none: of the run.
Owner owner_of(std::string_view common);

/// A path of one item of a network: "system.links.client-s0.loss" is ".loss" of "client-s0".
struct ItemPath {
    Owner owner = Owner::host;
    std::string_view level;  ///< up to the name: "system.links.client-s0"
    std::string_view name;
    std::string_view rest;  ///< with its dot, or empty
};
std::optional<ItemPath> item_path(std::string_view path);
/// The key of all items, as one level has it: "system.link.loss" in "system.links.client-s0", or for an end in "a". As
/// it is, if that level has no such key.
std::string path_in(std::string_view level, std::string_view common);

/// The key of a path, of one item or of all; nullptr if there is none.
const Key* find_key(std::string_view path);
/// `system.a.rnic.pcie.lanes` or `system.hosts.client.rnic.pcie.lanes` -> `system.rnic.pcie.lanes`; other paths stay as
/// they are.
std::string common_path(std::string_view path);
/// The other way round, for "a" or "b"; a path that both ends share stays as it is.
std::string path_of_end(std::string_view common, std::string_view end);
bool may_differ_by_end(std::string_view common);
/// "run.mix.write"
std::string mix_key(rc::Verb verb);
/// Is there a key below this path, so that a mapping may stand there?
bool is_section(std::string_view path);
/// The known key, section or word nearest to a misspelt one, or empty if nothing is near.
std::string nearest(std::string_view wrong, std::span<const std::string> candidates);
/// All keys and sections that may stand directly in this section, by their last part.
std::vector<std::string> members_of(std::string_view section);

/// Reads a value. On failure returns false and says in `expected` what would have been right.
bool read_value(const Key& key, const std::string& text, Value& value, std::string& expected);
/// A list: on failure `value.list` has the items before the wrong one.
bool read_list(const Key& key, const std::vector<std::string>& items, Value& value, std::string& expected);

/// How a value is written canonically: "2.4 ms", "48 KiB", "5 %".
std::string write_value(const Key& key, const Value& value);
std::string write_limit(const Key& key, std::int64_t limit);

}  // namespace rnicsim
