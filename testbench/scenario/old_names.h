// SPDX-License-Identifier: Apache-2.0
// Sections of keys that had another name in the last release: for one release that one still reads, with a warning.
#pragma once

#include <string>

namespace rnicsim {

/// The path as it is called now; the same if it has not changed.
std::string named_now(const std::string& path);

/// "FILE:3:9: system.rnic.transport is called system.rnic.drp now; ...". Precondition: it has changed.
std::string old_name_warning(const std::string& where, const std::string& path);

}  // namespace rnicsim
