// SPDX-License-Identifier: Apache-2.0
// The QPs of all hosts with a RoCEv2 RNIC, as their cards have them at this moment.
#pragma once

#include "model/rnic/rc/names/qp_directory.h"

#include <vector>

namespace rnicsim {

struct RunConfig;
class System;

class EndQps final : public QpDirectory {
  public:
    /// `system`: not owned; its hosts may be built later.
    EndQps(const RunConfig& run, const System& system);
    [[nodiscard]] std::optional<Requester> requester(unsigned host, roce::Qpn qp, bool is_self) const override;

  private:
    /// What names of packets need of a QP.
    struct Qp {
        bool connected = false;
        std::uint32_t ordinal = 0;  // at its host, in order of creation, from 0
        unsigned peer = 0;          // the host that it is connected to, and the QP there
        roce::Qpn dest;
        std::uint32_t dest_ordinal = 0;
        roce::Psn sends_from, gets_from;  // PSN of its first request, and of its peer's
        roce::Psn settled;                // as in Requester
    };
    /// Nothing: this host has no QP of this number.
    [[nodiscard]] std::optional<Qp> qp(unsigned host, roce::Qpn number) const;

    const System& system_;
    std::vector<bool> speaks_;  // by host: it has a RoCEv2 RNIC
};

}  // namespace rnicsim
