// Profiles: what the keys of a host are that are not written, all at once.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace rnicsim {

/// The first one, none, has the defaults of the keys.
std::vector<std::string_view> profile_names();
/// The profile's value of a key, as it would be written; nothing if the key's own default holds.
std::optional<std::string_view> profile_value(std::string_view profile, std::string_view path);

}  // namespace rnicsim
