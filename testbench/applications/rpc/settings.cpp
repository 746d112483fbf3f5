// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/rpc/settings.h"

namespace rnicsim::applications {

const Fields<RpcSettings>& rpc_fields() {
    static const Fields<RpcSettings> kAll = [] {
        Fields<RpcSettings> k("run.rpc");
        k.bytes("answer", &RpcSettings::answer, 1, 16 << 20, "bytes of an answer; `size` is those of a request",
                "this page's own")
            .in_networks();
        k.bytes("block", &RpcSettings::block, 64, 64 << 10,
                "bytes of the memory of a receive WQE, of which a message has 32 fewer", "article 4.2: 8 KB")
            .in_networks();
        k.number("queue", &RpcSettings::queue, 6, 4096,
                 "receive WQEs of each end: 3 are kept for ACKs, the others are the window", "brpc's published code")
            .in_networks();
        k.choice<Solicit>(
             "solicit", &RpcSettings::solicit,
             {{"some", Solicit::some}, {"all", Solicit::all}, {"none", Solicit::none}},
             "messages that wake a host that waits for events: those of which it has to hear at once, all; "
             "none, a fault: ACKs alone",
             "article 4.2")
            .in_networks();
        k.flag("window", &RpcSettings::window,
               "no message is sent for which the other end has no receive WQE; false, a fault: all are sent at once",
               "article 4.2")
            .in_networks();
        k.flag("unsafe", &RpcSettings::unsafe,
               "a fault of `window` or `solicit` is run, to see what it does: connections die, or a run ends with exit "
               "code 1",
               "this page's own")
            .in_networks();
        return k;
    }();
    return kAll;
}

}  // namespace rnicsim::applications
