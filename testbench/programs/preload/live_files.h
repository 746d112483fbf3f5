// SPDX-License-Identifier: Apache-2.0
// Files of the card in /sys whose text changes: its counters and the state of its port.
#pragma once

namespace rnicsim::programs {

/// A descriptor of the text as of now, -1 and errno, or kNotLive: it is another file. `folder`: where a path that
/// begins without '/' begins, as in openat(2).
inline constexpr int kNotLive = -2;
int open_live(int folder, const char* path);

}  // namespace rnicsim::programs
