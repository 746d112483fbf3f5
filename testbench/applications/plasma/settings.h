// SPDX-License-Identifier: Apache-2.0
// How Plasma's managers carry an object from one host to another.
#pragma once

#include "model/keys/fields.h"
#include "model/traffic.h"
#include "testbench/applications/application.h"
#include "tlm/time/time.h"

#include <algorithm>
#include <cstdint>

namespace rnicsim::applications {

enum class Method : std::uint8_t {
    socket,    ///< by the stream
    sendrecv,  ///< in chunks, by SEND from and to registered slots
    read,      ///< by one READ from object to object, which are registered for it
    hybrid     ///< sendrecv below the threshold, else read
};

struct PlasmaSettings {
    Method method = Method::hybrid;
    std::uint32_t threshold = 32 << 10;  ///< bytes
    std::uint32_t chunk = 4 << 10;       ///< bytes of a SEND
    std::uint32_t window = 1;            ///< chunks to an ACK
    std::uint32_t recv_wrs = 100;        ///< receive WQEs of each end
    std::uint32_t write = 4 << 10;       ///< bytes of a call that sends, with `socket`
    Time lease = kSecond;                ///< of registered memory, from INFO on: then its owner takes it back
    Order order = Order::each;
    bool lookup = false;  ///< the user asks first where the object is
    Time setup;           ///< of a connection, at each host; 0: they are connected before the run
    bool reuse = true;    ///< it is done once for two hosts; else for each of their connections
    // Faults, to see what they do: `unsafe` lets them be run.
    bool ack = true;           ///< the sender waits for each ACK; else one comes behind the last chunk
    bool shared_slot = false;  ///< one slot for all chunks of a window
    bool unsafe = false;

    [[nodiscard]] Method method_of(std::uint32_t bytes) const {
        if (method != Method::hybrid) return method;
        return bytes < threshold ? Method::sendrecv : Method::read;
    }
    [[nodiscard]] std::uint32_t chunks_of(std::uint32_t bytes) const { return (bytes + chunk - 1) / chunk; }
    /// Chunks of an object that are sent before an ACK is waited for.
    [[nodiscard]] std::uint32_t round_of(std::uint32_t bytes) const { return ack ? window : chunks_of(bytes); }
    [[nodiscard]] std::uint32_t acks_of(std::uint32_t bytes) const {
        return (chunks_of(bytes) + round_of(bytes) - 1) / round_of(bytes);
    }
};

const Fields<PlasmaSettings>& plasma_fields();
[[nodiscard]] inline const PlasmaSettings& plasma_of(const TrafficConfig& item) {
    return item.settings.of<PlasmaSettings>();
}
/// An object of the item goes by this one.
[[nodiscard]] inline bool carries_by(const TrafficConfig& item, Method one) {
    return std::ranges::any_of(sizes_of(item),
                               [&](std::uint32_t bytes) { return plasma_of(item).method_of(bytes) == one; });
}
/// Hosts set up their RDMA connection while the run goes on.
[[nodiscard]] inline bool sets_up(const PlasmaSettings& of) {
    return of.setup != Time{} && of.method != Method::socket;
}
/// Two hosts have several connections of the item: of one direction, or of both.
[[nodiscard]] bool has_several_connections(const TrafficConfig& item);
/// The ends of a host know what it has set up.
[[nodiscard]] inline bool shares_setup(const TrafficConfig& item) {
    const PlasmaSettings& of = plasma_of(item);
    return sets_up(of) && of.reuse && has_several_connections(item);
}
/// Chunks of the longest object that goes in such; 0: none does.
[[nodiscard]] inline std::uint32_t most_chunks(const TrafficConfig& item, const PlasmaSettings& of) {
    std::uint32_t most = 0;
    for (const std::uint32_t bytes : sizes_of(item))
        if (of.method_of(bytes) == Method::sendrecv) most = std::max(most, of.chunks_of(bytes));
    return most;
}

}  // namespace rnicsim::applications
