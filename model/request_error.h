// SPDX-License-Identifier: Apache-2.0
// A request to look inside a run that cannot be granted.
#pragma once

#include <stdexcept>

namespace rnicsim {

struct RequestError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace rnicsim
