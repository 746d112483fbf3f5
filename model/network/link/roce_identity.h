// SPDX-License-Identifier: Apache-2.0
// Names RoCEv2 packets on one direction of a link: by the QP that asks, kind, PSN, and which transmission of it.
#pragma once

#include "model/faults/frame_name.h"
#include "model/network/link/qp_directory.h"
#include "model/network/link/transmissions.h"
#include "tlm/ethernet/frame.h"
#include "tlm/roce/header.h"

#include <array>
#include <cstdint>
#include <map>
#include <utility>

namespace rnicsim {

/// What a packet with this opcode is called on a tape and in a ladder.
FrameKind roce_kind(roce::Opcode opcode);

class RoceIdentity {
  public:
    /// `qps`: not owned.
    explicit RoceIdentity(const QpDirectory& qps) : qps_(qps) {}

    /// Completes the name of a packet. False: it is none, or of no connection.
    bool identify(const Frame& frame, FrameName& name);

  private:
    const QpDirectory& qps_;
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::array<Transmissions, kRoceKinds>> of_;  // by host and QP
};

}  // namespace rnicsim
