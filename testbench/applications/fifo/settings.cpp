// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/fifo/settings.h"

namespace rnicsim::applications {

const Fields<FifoSettings>& fifo_fields() {
    static const Fields<FifoSettings> kAll = [] {
        Fields<FifoSettings> k("run.fifo");
        k.number(
             "slots", &FifoSettings::slots, 1, 256,
             "slots of the sender's FIFO: `depth` is at most this; the receiver has a completion for one in so many",
             "NCCL's published code: 8 requests of 8 receives")
            .in_networks();
        k.flag("adaptive_routing", &FifoSettings::adaptive_routing,
               "messages above the threshold are a WRITE, and a WRITE_IMM of no bytes behind it",
               "NCCL's published code")
            .in_networks();
        k.bytes("threshold", &FifoSettings::threshold, 0, 16 << 20,
                "adaptive_routing: bytes up to which a message is one WRITE_IMM", "NCCL_IB_AR_THRESHOLD: 8192")
            .in_networks();
        k.flag("wait", &FifoSettings::wait,
               "the sender waits until a slot says where its message goes; false, a fault: it takes what the slot has",
               "article 4.3")
            .in_networks();
        k.flag("data_first", &FifoSettings::data_first,
               "adaptive_routing: the WRITE_IMM is behind the WRITE; false, a fault: before it", "article 4.3")
            .in_networks();
        k.flag(
             "unsafe", &FifoSettings::unsafe,
             "a fault of `wait` or `data_first` is run, to see what it does: connections die, or a run ends with exit "
             "code 1",
             "this page's own")
            .in_networks();
        return k;
    }();
    return kAll;
}

}  // namespace rnicsim::applications
