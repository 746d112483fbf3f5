// SPDX-License-Identifier: Apache-2.0
// A network of this run's own for its programs, so that those of another run may use the same ports.
#pragma once

namespace rnicsim::runner {

/// For this process, and those that it starts from here on: nothing but the loopback interface. Precondition: it has
/// one thread. False: the kernel does not allow it, and all stays as it was.
bool take_own_network();

}  // namespace rnicsim::runner
