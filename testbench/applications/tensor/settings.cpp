// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/tensor/settings.h"

namespace rnicsim::applications {

const Fields<TensorSettings>& tensor_fields() {
    static const Fields<TensorSettings> kAll = [] {
        Fields<TensorSettings> k("run.tensor");
        k.number("tensors", &TensorSettings::tensors, 1, 4096, "of a connection, asked for in turn", "this page's own")
            .in_networks();
        k.number("change_every", &TensorSettings::change_every, 0, 1'000'000,
                 "of the times that a tensor is asked for, one finds other meta-data; 0: they never change",
                 "article 4.1: they seldom change")
            .in_networks();
        k.choice<TensorPath>(
             "path", &TensorSettings::path,
             {{"direct", TensorPath::direct}, {"proxy", TensorPath::proxy}, {"proto", TensorPath::proto}},
             "direct: from tensor to tensor; proxy: who asks copies it from a buffer; proto: by protobuf, at both ends",
             "article 4.1")
            .in_networks();
        k.rate("serialize", &TensorSettings::serialize, 1'000'000, 1'000'000'000'000,
               "proto: what protobuf does at each end, on top of a copy", "this page's own")
            .in_networks();
        k.flag("ack", &TensorSettings::ack,
               "a message waits for the ACK of the one before; false, a fault: it is written over that", "article 4.1")
            .in_networks();
        k.flag("unsafe", &TensorSettings::unsafe,
               "the fault of `ack` is run, to see what it does; if a message is lost the run ends with exit code 1",
               "this page's own")
            .in_networks();
        return k;
    }();
    return kAll;
}

}  // namespace rnicsim::applications
