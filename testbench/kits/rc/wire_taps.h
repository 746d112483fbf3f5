// SPDX-License-Identifier: Apache-2.0
// What hosts with RoCEv2 RNICs send and get goes to the judge of frames.
#pragma once

#include "testbench/kits/rc/wire_judge.h"
#include "tlm/taps.h"

namespace rnicsim {

class WireTaps : public Observer {
  public:
    explicit WireTaps(WireJudge& wire) : wire_(wire) {}
    void upstream_tlp(unsigned /*end*/, tlm::tlm_generic_payload& /*transaction*/, Time /*due*/) override {}
    void frame_sent(unsigned end, const Frame& frame, Time left) override { wire_.sent(end, frame, left); }
    void frame_carried(const Hop& hop, const Frame& frame, Time /*arrived*/) override { wire_.arrived(hop.to, frame); }

  private:
    WireJudge& wire_;
};

/// Hands a device's access to memory to who judges it.
template <typename Judge>
void judge_access(Judge& judge, unsigned host, const tlm::tlm_generic_payload& access) {
    const std::uint64_t address = access.get_address();
    const std::uint64_t bytes = access.get_data_length();
    if (access.is_read()) return judge.device_reads(host, address, bytes);
    judge.device_writes(host, address, {access.get_data_ptr(), bytes});
}

}  // namespace rnicsim
