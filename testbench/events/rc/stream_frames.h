// SPDX-License-Identifier: Apache-2.0
// Names TCP frames in events as tapes do: on each way of each link by itself.
#pragma once

#include "model/rnic/rc/names/tcp_names.h"
#include "testbench/events/wire_events.h"
#include "tlm/ethernet/frame.h"

#include <map>
#include <optional>
#include <utility>

namespace rnicsim {

class StreamFrames {
  public:
    /// `from`, `to`: the nodes of the link, or a host twice: what it sends. Nothing: it is of no stream.
    std::optional<TcpSeen> seen(unsigned from, unsigned to, const Frame& frame);

  private:
    std::map<std::pair<unsigned, unsigned>, TcpNames> ways_;
};

}  // namespace rnicsim
