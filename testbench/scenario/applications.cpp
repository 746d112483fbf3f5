// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/applications.h"

namespace rnicsim {

const std::vector<std::string_view>& applications() {
    static const std::vector<std::string_view> kAll{
        // a word each
    };
    return kAll;
}

}  // namespace rnicsim
