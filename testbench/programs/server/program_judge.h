// SPDX-License-Identifier: Apache-2.0
// Judges what the cards of programs put on the wire (judge/wire_judge.h). Connections come and go: it knows one from
// when both ends are in RTS and expect what the other sends, until one of them is reset or destroyed.
#pragma once

#include "model/system.h"
#include "testbench/kits/rc/wire_judge.h"
#include "tlm/taps.h"

#include <string>

namespace rnicsim::programs {

class ProgramJudge final : public Observer {
  public:
    explicit ProgramJudge(const RunConfig& config) : config_(config), wire_(config.names) {}

    /// Not owned. Before the simulation starts.
    void attach(System& system) { system_ = &system; }
    /// A QP has been modified, and has not been used in its present state.
    void modified(unsigned host, rc::Qpn qp);
    /// It begins anew, or is gone.
    void gone(unsigned host, rc::Qpn qp) { wire_.forget(host, qp); }

    [[nodiscard]] const std::string& violation() const { return wire_.violation(); }
    /// Packets that it has seen leave.
    [[nodiscard]] std::uint64_t judged() const { return wire_.judged(); }

    void memory_access(unsigned /*end*/, const tlm::tlm_generic_payload& /*access*/) override {}
    void upstream_tlp(unsigned /*end*/, tlm::tlm_generic_payload& /*transaction*/, Time /*due*/) override {}
    void frame_sent(unsigned end, const Frame& frame, Time left) override { wire_.sent(end, frame, left); }
    void frame_looped(unsigned end, const Frame& frame, Time left) override {
        wire_.sent(end, frame, left);
        wire_.arrived(end, frame);
    }
    void frame_carried(const Hop& hop, const Frame& frame, Time /*arrived*/) override {
        if (hop.to < config_.names.size()) wire_.arrived(hop.to, frame);
    }

  private:
    const RunConfig& config_;
    System* system_ = nullptr;  // not owned
    WireJudge wire_;
};

}  // namespace rnicsim::programs
