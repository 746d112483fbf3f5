// Waiting for descriptors in simulated time, in strict mode: events of the simulator come with that, all else does not.
#pragma once

namespace rnicsim::programs {

/// A descriptor on which the simulator sends events.
void watch_descriptor(int descriptor);

}  // namespace rnicsim::programs
