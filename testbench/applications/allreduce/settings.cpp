// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/allreduce/settings.h"

namespace rnicsim::applications {

const Fields<AllreduceSettings>& allreduce_fields() {
    static const Fields<AllreduceSettings> kAll = [] {
        Fields<AllreduceSettings> k("run.allreduce");
        k.time("reduce", &AllreduceSettings::reduce, Time{}, kMillisecond,
               "what a host's thread takes to add a KiB; 0: a GPU does, while the thread goes on", "this page's own")
            .in_networks();
        k.flag("wait", &AllreduceSettings::wait,
               "a chunk goes on when it has been added to; false, a fault: as soon as there is a slot", "article 4.3")
            .in_networks();
        k.flag("unsafe", &AllreduceSettings::unsafe,
               "the fault of `wait` is run, to see what it does: sums are wrong, exit code 1", "this page's own")
            .in_networks();
        return k;
    }();
    return kAll;
}

}  // namespace rnicsim::applications
