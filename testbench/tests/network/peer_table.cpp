// SPDX-License-Identifier: Apache-2.0
// Whom an RNIC knows by address.
#include "model/rnic/drp/peer_table.h"
#include "tlm/ethernet/host_address.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

TEST_CASE("a peer is found by its address, in whatever order the table was made; a stranger is not", "[network]") {
    const PeerTable table({mac_address(300), mac_address(2), mac_address(41)});
    CHECK(table.find(mac_address(300)) == Peer{0});
    CHECK(table.find(mac_address(2)) == Peer{1});
    CHECK(table.find(mac_address(41)) == Peer{2});
    for (const unsigned stranger : {0U, 3U, 42U, 299U, 301U}) CHECK_FALSE(table.find(mac_address(stranger)));
    CHECK_FALSE(PeerTable({}).find(mac_address(0)));
}

}  // namespace
}  // namespace rnicsim
