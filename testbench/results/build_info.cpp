// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/build_info.h"

#include "build_info_values.h"

namespace rnicsim::runner {

const BuildInfo& build_info() {
    static constexpr BuildInfo kInfo{kVersion, kGitRevision, kSourceHash, kCompiler, kBuildType, kSystemc};
    return kInfo;
}

}  // namespace rnicsim::runner
