// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/smc/settings.h"

namespace rnicsim::applications {

const Fields<SmcSettings>& smc_fields() {
    static const Fields<SmcSettings> kAll = [] {
        Fields<SmcSettings> k("run.smc");
        k.bytes("rmb", &SmcSettings::rmb, 16 << 10, 512 << 10,
                "ring that the other end writes to, and the ring of who sends: 16 KiB times a power of two; memory of "
                "both",
                "RFC 7609 4.4; 64 KiB in Linux")
            .in_networks();
        k.bytes("read", &SmcSettings::read, 1 << 10, 16 << 20, "bytes of a recv(), at most", "this page's own")
            .in_networks();
        k.flag("refused", &SmcSettings::refused, "the other end declines SMC-R: all goes by TCP",
               "article 4.4; RFC 7609 3.3")
            .in_networks();
        k.flag("wait", &SmcSettings::wait,
               "who sends waits for room in the ring; false, a fault: it writes over what is not read", "RFC 7609 4.5")
            .in_networks();
        k.flag("update", &SmcSettings::update,
               "who reads says so when much is read or the other end waits; false, a fault: only with data of its own",
               "RFC 7609 4.5")
            .in_networks();
        k.flag("unsafe", &SmcSettings::unsafe,
               "a fault of `wait` or `update` is run, to see what it does; if bytes differ or both ends wait the run "
               "ends with exit code 1",
               "this page's own")
            .in_networks();
        return k;
    }();
    return kAll;
}

}  // namespace rnicsim::applications
