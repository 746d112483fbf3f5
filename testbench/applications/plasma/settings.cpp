// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/plasma/settings.h"

namespace rnicsim::applications {

const Fields<PlasmaSettings>& plasma_fields() {
    static const Fields<PlasmaSettings> kAll = [] {
        constexpr std::int64_t kMost = 16 << 20;
        Fields<PlasmaSettings> k("run.plasma");
        k.choice<Method>("protocol", &PlasmaSettings::method,
                         {{"socket", Method::socket},
                          {"sendrecv", Method::sendrecv},
                          {"read", Method::read},
                          {"hybrid", Method::hybrid}},
                         "how an object is carried: by TCP, in chunks by SEND, by one READ; hybrid: below `threshold` "
                         "in chunks, else by READ",
                         "thesis 3.2 to 3.4")
            .in_networks();
        k.bytes("threshold", &PlasmaSettings::threshold, 1, kMost, "hybrid: bytes from which on an object is read",
                "thesis 4.3: between 16 and 32 KiB")
            .in_networks();
        k.bytes("chunk", &PlasmaSettings::chunk, 1, kMost, "bytes of a SEND, and of its slot", "thesis 2.3: 4 KB")
            .in_networks();
        k.number("window", &PlasmaSettings::window, 1, 4096,
                 "chunks to an ACK: the sender waits for it before it sends more",
                 "thesis 3.2: each ACK starts the next round; 100 in its published code")
            .in_networks();
        k.number("recv_wrs", &PlasmaSettings::recv_wrs, 1, 4096, "receive WQEs of each end", "thesis' published code")
            .in_networks();
        k.bytes("write", &PlasmaSettings::write, 1, kMost, "socket: bytes of a call that sends", "thesis 2.3: 4 KB")
            .in_networks();
        k.picoseconds("lease", &PlasmaSettings::lease, kMicrosecond, kSecond * 1000,
                      "READ: the owner gives the object's memory up so long after INFO, if no FIN has come",
                      "decision: seven timeouts of 67 ms twice")
            .in_networks();
        k.choice<Order>(
             "order", &PlasmaSettings::order, {{"each", Order::each}, {"turn", Order::turn}, {"drawn", Order::drawn}},
             "gets of a user over all its connections: each connection by itself; one at a time, in turn, or "
             "in a drawn order",
             "thesis 4.3: one host fetches the objects of all others in random order")
            .in_networks();
        k.flag("lookup", &PlasmaSettings::lookup,
               "before each get the user asks where the object is: a message and its answer, from the owner's host",
               "thesis 2.2: of a Redis server")
            .in_networks();
        k.picoseconds("setup", &PlasmaSettings::setup, Time{}, kSecond * 100,
                      "what each of two hosts works to set up their RDMA connection, before the first object; 0: they "
                      "are connected before the run",
                      "thesis 3.1: about 300 ms")
            .in_networks();
        k.flag("reuse", &PlasmaSettings::reuse,
               "two hosts set up once, for all their connections of the item; false: each connection for itself",
               "thesis 3.1")
            .in_networks();
        k.flag("ack", &PlasmaSettings::ack,
               "sendrecv: the sender waits for an ACK after each window; false, a fault: it does not, and one comes at "
               "the end",
               "thesis 3.2")
            .in_networks();
        k.choice<bool>("slots", &PlasmaSettings::shared_slot, {{"own", false}, {"shared", true}},
                       "sendrecv: chunks of a window have a slot each; shared, a fault: one for all", "thesis 3.2")
            .in_networks();
        k.flag("unsafe", &PlasmaSettings::unsafe,
               "a fault of `ack` or `slots` is run, to see what it does; if bytes differ the run ends with exit code 1",
               "this page's own")
            .in_networks();
        return k;
    }();
    return kAll;
}

bool has_several_connections(const TrafficConfig& item) {
    if (item.verbs.connections > 1) return true;
    return std::ranges::any_of(item.from, [&](unsigned from) {
        if (std::ranges::find(item.to, from) == item.to.end()) return false;  // nobody asks it
        return std::ranges::any_of(item.responders(from), [&](unsigned to) {
            return item.initiates(to) && std::ranges::count(item.responders(to), from) != 0;
        });
    });
}

}  // namespace rnicsim::applications
