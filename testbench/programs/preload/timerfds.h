// SPDX-License-Identifier: Apache-2.0
// Descriptors of timerfd that are the simulator's.
#pragma once

namespace rnicsim::programs {

bool is_timerfd(int descriptor);
/// It is being closed.
void leave_timerfd(int descriptor);

}  // namespace rnicsim::programs
