// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/coverage.h"

#if VM_COVERAGE
#include <unistd.h>
#include <verilated.h>
#include <verilated_cov.h>

#include <cstdlib>
#include <string>

namespace rnicsim {

void write_coverage(VerilatedContext& context, const char* block) {
    static int files = 0;
    const char* const folder = std::getenv("RNICSIM_RTL_COVERAGE");
    if (folder == nullptr) return;
    const std::string name = std::string(block) + "-" + std::to_string(getpid()) + "-" + std::to_string(++files);
    context.coveragep()->write((std::string(folder) + "/" + name + ".dat").c_str());
}

}  // namespace rnicsim
#endif
