// SPDX-License-Identifier: Apache-2.0
// Messages to the other end of a connection, and from it, through rings behind a bridge: each comes whole, where the
// program works on it.
#pragma once

#include "testbench/applications/application.h"
#include "testbench/applications/kv/pipe.h"
#include "testbench/applications/nts/message_pipe.h"

namespace rnicsim::applications::kv {

static_assert(kOut == nts::kUser, "what is to be sent lies where rings look for it");

class RingPipe {
  public:
    RingPipe(const TrafficConfig& item, const Seat& seat);
    void start(Actions& actions) { pipe_.start(actions); }
    void on(const Event& event, Actions& actions, Query& query, PipeReader& reader);
    /// The place is free when the other end has it.
    void send(Place from, std::uint32_t bytes, Actions& actions) { pipe_.send({from.offset, bytes}, actions); }
    void read(Actions& /*actions*/, const Query& /*query*/) {}
    void close(Actions& /*actions*/) {}
    void state(std::vector<std::uint64_t>& words) const { pipe_.state(words); }

  private:
    nts::MessagePipe pipe_;
};

}  // namespace rnicsim::applications::kv
