// SPDX-License-Identifier: Apache-2.0
// Names RoCEv2 packets on one direction of a link: by the QP that asks, kind, PSN, and which transmission of it. TCP
// frames of the same hosts: tcp_names.h.
#pragma once

#include "model/network/link/frame_namer.h"
#include "model/rnic/rc/names/end_qps.h"
#include "model/rnic/rc/names/tcp_names.h"
#include "model/rnic/rc/names/transmissions.h"
#include "tlm/roce/header.h"

#include <array>
#include <cstdint>
#include <map>
#include <utility>

namespace rnicsim {

/// What a packet with this opcode is called on a tape and in a ladder.
FrameKind roce_kind(roce::Opcode opcode);

class PacketNamer final : public FrameNamer {
  public:
    explicit PacketNamer(EndQps qps) : qps_(std::move(qps)) {}

    bool name(const Frame& frame, FrameName& name) override;

  private:
    EndQps qps_;
    TcpNames tcp_;
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::array<Transmissions, kRoceKinds>> of_;  // by host and QP
};

}  // namespace rnicsim
