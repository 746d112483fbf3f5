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
    /// When an MRd that arrives then, or a completion, has no write before it any more that it must not pass.
    /// `link_bytes`: of it.
    virtual Time read_may_start(Time arrives, TlpAttributes attributes, std::uint32_t link_bytes) = 0;

    /// Where several links lead into the buffers of a host nobody knows what comes up the others until then: what is
    /// put on a link is only noted, and the port asks when it should have come.
    struct Arrived {
        Time at;                   ///< its last TLP has a place; later than `now`: it has not come, ask again then
        Time left;                 ///< as in Taken; of an MRd or a completion: when it may go on
        std::uint64_t number = 0;  ///< as in Taken
    };
    /// Of the next transaction of this link, of so many TLPs that were told: one by one if they write, else one for
    /// all. Precondition: several links.
    virtual Arrived arrived(Time now, std::uint32_t told) = 0;
};

}  // namespace rnicsim
