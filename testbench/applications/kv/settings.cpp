// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/kv/settings.h"

namespace rnicsim::applications {

const Fields<KvSettings>& kv_fields() {
    static const Fields<KvSettings> kAll = [] {
        Fields<KvSettings> k("run.kv");
        k.choice<KvTransport>(
             "transport", &KvSettings::transport,
             {{"tcp", KvTransport::tcp}, {"rdma", KvTransport::rdma}, {"nts", KvTransport::nts}},
             "commands and answers go by TCP, by WRITE_IMM into the other end's memory, or through rings of run.nts",
             "article 2; nts: thesis 004, 5.6")
            .in_networks();
        k.choice<KvOperation>("operation", &KvSettings::operation,
                              {{"get", KvOperation::get}, {"set", KvOperation::set}},
                              "get: the answer has the value; set: the command has it", "article 2")
            .in_networks();
        k.bytes("key", &KvSettings::key, 16, 1024, "bytes of a key", "valkey-benchmark").in_networks();
        k.bytes(
             "rx_size", &KvSettings::rx_size, 64, 16 << 20,
             "bytes that the other end may write before it is told to begin again: two such areas a connection and end",
             "valkey: 64 KiB to 16 MiB")
            .in_networks();
        k.number("receives", &KvSettings::receives, 4, 4096, "receive WQEs of an end", "valkey").in_networks();
        k.number("signal_every", &KvSettings::signal_every, 1, 1024,
                 "one of so many WRITEs asks for a completion: the send queue has room for them",
                 "valkey: half of its send queue")
            .in_networks();
        k.time("server_work", &KvSettings::server_work, Time{}, kMillisecond, "the server's computing for a command",
               "assumed")
            .in_networks();
        k.time("client_work", &KvSettings::client_work, Time{}, kMillisecond, "the client's, for one and its answer",
               "assumed")
            .in_networks();
        k.choice<bool>("room", &KvSettings::waits_for_room, {{"waited_for", true}, {"taken", false}},
                       "who has filled the other end's memory waits until that has been read; taken, a fault: it "
                       "begins again at once",
                       "valkey")
            .in_networks();
        k.flag("unsafe", &KvSettings::unsafe, "the fault of `room` is run, to see what it does", "this page's own")
            .in_networks();
        return k;
    }();
    return kAll;
}

}  // namespace rnicsim::applications
