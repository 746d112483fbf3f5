// SPDX-License-Identifier: Apache-2.0
// Keys of what every RNIC has.
#pragma once

#include "model/keys/fields.h"
#include "model/rnic/common/config.h"
#include "tlm/ethernet/frame.h"

namespace rnicsim {

/// "mtu", in the section of the MAC.
template <typename Config, typename Member>
void declare_mtu(Fields<Config>& k, Member member) {
    k.bytes("mtu", member, 46, kJumboMtu, "largest MAC client data; a DRP RNIC has at most 1500 B", "IEEE 802.3 3.2.7");
}
/// "pause_reaction", likewise.
template <typename Config, typename Member>
void declare_pause_reaction(Fields<Config>& k, Member member) {
    k.picoseconds("pause_reaction", member, Time{}, kMillisecond,
                  "of a plain host or a RoCEv2 RNIC: from a pause frame until no frame of the class begins; "
                  "0 ns = the longest that the rate allows",
                  "IEEE 802.3 31B.3.7")
        .in_networks();
}

/// The latencies and the MTU.
const Fields<GmacConfig>& gmac_fields();
const Fields<PcieConfig>& pcie_fields();

}  // namespace rnicsim
