// SPDX-License-Identifier: Apache-2.0
// Names TCP frames on one direction of a link: by the host and the stream that they are from, where their bytes are in
// it, and which transmission of these; ACKs without data by what they acknowledge.
#pragma once

#include "model/faults/frame_name.h"
#include "tlm/ethernet/frame.h"

#include <cstdint>
#include <map>
#include <utility>

namespace rnicsim {

class TcpNames {
  public:
    /// False: it is none of a stream.
    bool name(const Frame& frame, FrameName& name);

  private:
    struct Stream {
        std::uint32_t next = 0;                        // all before it have been sent
        std::map<std::uint32_t, std::uint32_t> again;  // how often those have that began there
        std::uint32_t acknowledged = 0;
        std::uint64_t acks = 0;  // that have said so
        [[nodiscard]] std::uint64_t transmission(std::uint32_t sequence, std::uint32_t bytes);
    };
    std::map<std::pair<unsigned, std::uint32_t>, Stream> streams_;  // by host and number there
};

}  // namespace rnicsim
