// SPDX-License-Identifier: Apache-2.0
// Resolved parameters of a host's root ports, beside those of their links.
#pragma once

#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim {

struct RootPortConfig {
    /// A core's access -> its TLP leaves the port, if the link is free; and a completion at the port -> the core has
    /// the data. Assumed. What the driver writes to the card's registers has it in its own costs.
    Time down{40'000};
    /// A load leaves the port -> it is given up, and reads all ones. The specification allows 50 us to 64 s (PCI
    /// Express Base Specification 2.8, 7.5.3.16); its default range ends at 50 ms.
    Time completion_timeout = kMillisecond * 50;
    /// Loads of a port on their way at once: 5 bits without extended tags (2.2.6.2). Others wait, and writes pass them.
    std::uint32_t tags = 32;
    /// Stores of cores that a port keeps from when it takes them until they begin to leave: TLPs, a line of 64 bytes
    /// each at most. Assumed: more than are on their way for `down`, so that the link does not run dry.
    std::uint32_t posted = 32;
};

}  // namespace rnicsim
