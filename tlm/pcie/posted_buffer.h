// SPDX-License-Identifier: Apache-2.0
// The buffer of posted requests at the host's end of a PCIe link (Intel: IIO), as the device's end sees it: it is told
// of each TLP as that is put on the link, in the order of the link.
#pragma once

#include "tlm/pcie/tlp_attributes.h"
#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim {

class PostedBuffer {
  public:
    virtual ~PostedBuffer() = default;

    struct Taken {
        Time accepted;             ///< all of the TLP has a place; later than it would arrive: credits have stopped it
        Time left;                 ///< it leaves the buffer, to be seen by all; kEndOfTime: not known yet
        std::uint64_t number = 0;  ///< of the last line written
    };
    /// A MWr of at least one byte, whose last byte would arrive at `arrives`.
    virtual Taken write(Time arrives, std::uint64_t address, std::uint32_t bytes, TlpAttributes attributes) = 0;
    /// The MWr of an MSI.
    virtual Taken interrupt(Time arrives, TlpAttributes attributes) = 0;
    /// When an MRd that arrives then has no write before it any more that it must not pass.
    virtual Time read_may_start(Time arrives, TlpAttributes attributes) = 0;
};

}  // namespace rnicsim
