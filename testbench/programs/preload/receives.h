// SPDX-License-Identifier: Apache-2.0
// Sockets with a timeout for receiving, in simulated time.
#pragma once

namespace rnicsim::programs {

/// A descriptor is being closed.
void leave_timeout(int descriptor);

}  // namespace rnicsim::programs
