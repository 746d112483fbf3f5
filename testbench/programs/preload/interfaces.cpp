// SPDX-License-Identifier: Apache-2.0
// The card's own address among those of the machine: programs (libfabric) look for one that the connection manager
// binds. It is one that TCP of the machine has as well.
#include "testbench/programs/preload/connection.h"
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/paths.h"
#include "testbench/programs/protocol/addresses.h"
#include "tlm/ethernet/host_address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <cerrno>
#include <cstdlib>
#include <new>

using namespace rnicsim::programs;

namespace {

Next<int(ifaddrs**)> g_getifaddrs("getifaddrs");
Next<void(ifaddrs*)> g_freeifaddrs("freeifaddrs");

// The label of an address of lo, as Linux writes them: it is the interface that the card has in sysfs. It also tells
// the entry here from those of libc.
char g_label[] = "lo:rnicsim0";

struct Entry {
    ifaddrs list{};
    sockaddr_in address{}, mask{};
};

sockaddr_in ipv4(std::uint32_t address) {
    sockaddr_in made{};
    made.sin_family = AF_INET;
    made.sin_addr.s_addr = htonl(address);
    return made;
}

/// Null: there is no memory.
ifaddrs* card_address(unsigned host) {
    void* const place = std::malloc(sizeof(Entry));
    if (place == nullptr) return nullptr;
    auto* const made = new (place) Entry;
    made->address = ipv4(kTwins | rnicsim::host_number(host));
    made->mask = ipv4(kUpperHalf);
    made->list.ifa_name = g_label;
    // Not IFF_LOOPBACK: libfabric passes those over, and other hosts reach the address.
    made->list.ifa_flags = IFF_UP | IFF_RUNNING;
    made->list.ifa_addr = reinterpret_cast<sockaddr*>(&made->address);
    made->list.ifa_netmask = reinterpret_cast<sockaddr*>(&made->mask);
    return &made->list;
}

/// Where the list ends, or has the entry of the card.
ifaddrs** end_of(ifaddrs** list) {
    while (*list != nullptr && (*list)->ifa_name != g_label) list = &(*list)->ifa_next;
    return list;
}

}  // namespace

extern "C" {

int getifaddrs(ifaddrs** to) noexcept {
    if (g_getifaddrs(to) != 0) return -1;
    const Connection& connection = thread_connection();
    if (!has_simulator() || connect_thread(thread_connection(), Complaints::none) != 0) return 0;
    ifaddrs* const made = card_address(connection.welcome.host);
    if (made != nullptr) {
        *end_of(to) = made;
        return 0;
    }
    ::freeifaddrs(*to);
    errno = ENOMEM;
    return -1;
}

void freeifaddrs(ifaddrs* list) noexcept {
    ifaddrs** const last = end_of(&list);
    std::free(*last);
    *last = nullptr;
    g_freeifaddrs(list);
}
}
