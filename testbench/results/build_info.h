// SPDX-License-Identifier: Apache-2.0
// What this program was built from, for manifests, `rnicsim version`, and to know results of other sources apart.
#pragma once

#include <string_view>

namespace rnicsim::runner {

struct BuildInfo {
    std::string_view version;
    std::string_view git_revision;  ///< "-dirty" is appended if sources differed from it; "unknown" outside git
    std::string_view source_hash;   ///< of every source that can change a simulated number, one's own blocks among them
    std::string_view compiler;
    std::string_view build_type;
    std::string_view systemc;
};

const BuildInfo& build_info();

}  // namespace rnicsim::runner
