// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/blocks/settings.h"

namespace rnicsim::applications {

const Fields<BlockSettings>& block_fields() {
    static const Fields<BlockSettings> kAll = [] {
        Fields<BlockSettings> k("run.blocks");
        k.choice<BlockOperation>("operation", &BlockSettings::operation,
                                 {{"sync", BlockOperation::sync}, {"broadcast", BlockOperation::broadcast}},
                                 "sync: a node gets the blocks that it lacks from another one; broadcast: a producer "
                                 "sends its blocks to its peers, each of which tells its verdict",
                                 "thesis 4.3")
            .in_networks();
        k.number("window", &BlockSettings::window, 1, 4096,
                 "blocks that are sent before the first of them is acknowledged; 1, as printed: each ACK has the next "
                 "one sent",
                 "thesis 4.4, algorithm 5")
            .in_networks();
        k.number("irreversible", &BlockSettings::irreversible, 0, 16'000'000,
                 "sync: blocks that are asked for first, as irreversible; then those that can be reversed",
                 "thesis 4.4")
            .in_networks();
        k.number("history", &BlockSettings::history, 0, 16'000'000,
                 "sync: blocks that are there in the beginning; one more comes with each `interval`", "thesis 4.5")
            .in_networks();
        k.picoseconds("interval", &BlockSettings::interval, Time{}, kSecond * 1000,
                      "sync: time from one new block to the next; 0: all blocks are there in the beginning",
                      "thesis 4.2: EOS has 0.5 s")
            .in_networks();
        k.time("work", &BlockSettings::work, Time{}, kSecond * 10, "to verify a block", "assumed").in_networks();
        k.number("heartbeat", &BlockSettings::heartbeat, 0, 16'000'000,
                 "with one of so many blocks who asks sends a TIME; 0: never", "thesis 4.3: no value")
            .in_networks();
        return k;
    }();
    return kAll;
}

}  // namespace rnicsim::applications
