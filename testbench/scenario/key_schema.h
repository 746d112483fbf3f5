// SPDX-License-Identifier: Apache-2.0
// What values a key takes, in words and as JSON Schema.
#pragma once

#include "model/keys/key.h"

#include <nlohmann/json.hpp>

#include <string>

namespace rnicsim {

/// What a profile of one's own may be called.
inline constexpr const char* kProfileName = "^[a-z0-9_]+$";

std::string range_text(const Key& key);
nlohmann::json key_schema(const Key& key);

}  // namespace rnicsim
