// SPDX-License-Identifier: Apache-2.0
// Programs on two hosts, which say what the other needs to know over TCP of the machine.
#pragma once

#include "testbench/tests/programs/calls.h"

#include <cstdint>

namespace calls {

struct Peer {
    std::uint32_t qpn, rkey;
    std::uint64_t address;
};

/// Both sides say what they have over TCP of the machine; also how they wait for one another.
class Line {
  public:
    Line(std::uint16_t port, bool listens);
    [[nodiscard]] Peer exchange(const Peer& mine) const;
    void meet() const { (void)exchange({}); }

  private:
    int socket_ = -1;
};

/// To a QP on host number `host`, from 1. `more`: access flags, beside kAll.
void connect_to(ibv_qp* qp, unsigned host, const Peer& peer, unsigned more = 0);

}  // namespace calls
