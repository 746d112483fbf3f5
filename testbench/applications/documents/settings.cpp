// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/documents/settings.h"

namespace rnicsim::applications {
namespace {

void declare_log(Fields<DocumentSettings>& k) {
    k.number("news", &DocumentSettings::news, 1, 1'000'000, "oplog: of so many rounds one finds new entries",
             "this page's own")
        .in_networks();
    k.picoseconds("timeout", &DocumentSettings::timeout, Time{}, kSecond * 100,
                  "oplog: a secondary that is up to date waits so long before it asks again",
                  "thesis 3.4, algorithm 3: no value")
        .in_networks();
    k.bytes("history", &DocumentSettings::history, 1, 16 << 20, "oplog: bytes of the log when a secondary begins",
            "this page's own")
        .in_networks();
    k.number("heartbeat", &DocumentSettings::heartbeat, 0, 1'000'000,
             "oplog: with one of so many rounds the primary asks how far the secondary is; 0: never",
             "thesis 3.4: no value")
        .in_networks();
    k.choice<bool>("initial_sync", &DocumentSettings::sync_once, {{"once", true}, {"always", false}},
                   "oplog: the first round pulls the whole log; always, a fault: as printed, the mark that says so is "
                   "never cleared, and each round does",
                   "thesis 3.4, algorithm 3")
        .in_networks();
}

void declare_pool(Fields<DocumentSettings>& k) {
    k.choice<DataBuffers>(
         "buffers", &DocumentSettings::buffers, {{"pool", DataBuffers::pool}, {"each", DataBuffers::each}},
         "query: buffers of answers are registered when a connection begins, or for each query", "thesis 3.3")
        .in_networks();
    k.choice<PoolSizing>(
         "sizing", &DocumentSettings::sizing,
         {{"slots", PoolSizing::slots}, {"equation", PoolSizing::equation}, {"printed", PoolSizing::printed}},
         "bytes that a connection registers for data: a buffer for each slot; by equation 3.1; printed, "
         "a fault: by algorithm 2, where a full host registers 50 MB",
         "thesis 3.3")
        .in_networks();
    k.probability("memory_load", at(&DocumentSettings::load, &HostLoad::memory),
                  "of each host's memory, what is in use when a connection begins", "thesis 3.3, equation 3.1: U / T")
        .in_networks();
    k.probability("network_load", at(&DocumentSettings::load, &HostLoad::network), "of its link's rate, likewise",
                  "thesis 3.3, equation 3.1: THR / B")
        .in_networks();
    k.probability("overload", &DocumentSettings::overload,
                  "printed: free memory times free rate, from which on a host registers 50 MB",
                  "thesis 3.3, algorithm 2: no value")
        .in_networks();
}

}  // namespace

const Fields<DocumentSettings>& document_fields() {
    static const Fields<DocumentSettings> kAll = [] {
        Fields<DocumentSettings> k("run.documents");
        k.choice<DocumentOperation>("operation", &DocumentSettings::operation,
                                    {{"write", DocumentOperation::write},
                                     {"query", DocumentOperation::query},
                                     {"oplog", DocumentOperation::oplog}},
                                    "write: insert, update or delete, `size` bytes go with the request; query: they "
                                    "come back; oplog: a secondary asks the primary for new entries",
                                    "thesis 3.4")
            .in_networks();
        k.choice<Support>("support", &DocumentSettings::support,
                          {{"both", Support::both},
                           {"client", Support::client},
                           {"server", Support::server},
                           {"neither", Support::neither}},
                          "which hosts have RDMA, as they tell each other by TCP; unless both do, all goes by TCP",
                          "thesis 3.3, algorithm 1")
            .in_networks();
        k.choice<MessageFlow>("flow", &DocumentSettings::flow,
                              {{"slots", MessageFlow::slots}, {"turns", MessageFlow::turns}},
                              "a slot for each operation under way, which its answer frees; or one message at a time "
                              "each way, and an empty WRITE says that it has been read",
                              "thesis 3.4: free and busy buffers; TensorFlow's published code")
            .in_networks();
        k.number("slots", &DocumentSettings::slots, 1, 4096, "of messages, for a connection and a direction",
                 "thesis 3.4: no value")
            .in_networks();
        declare_pool(k);
        k.time("work", &DocumentSettings::work, Time{}, kSecond,
               "the server's computing for an operation; oplog: the secondary's, to apply what is new",
               "thesis 3.5: 68 to 213 us an operation in all")
            .in_networks();
        declare_log(k);
        k.flag("repost", &DocumentSettings::repost,
               "a receive WQE that has been used is posted again; false, a fault: as printed, it is not",
               "thesis 3.4, algorithm 4")
            .in_networks();
        k.flag("unsafe", &DocumentSettings::unsafe,
               "a fault of `sizing`, `initial_sync` or `repost` is run, to see what it does", "this page's own")
            .in_networks();
        return k;
    }();
    return kAll;
}

}  // namespace rnicsim::applications
