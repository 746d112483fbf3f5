// SPDX-License-Identifier: Apache-2.0
// What each way of messages between a client and a server of keys and values needs of their hosts, refuses, and costs.
#pragma once

#include "testbench/applications/application.h"
#include "testbench/applications/kv/messages.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rnicsim::applications::kv {

/// Bytes of each, by the side that sends it.
using Messages = std::array<std::vector<std::uint32_t>, 2>;

class Transport {
  public:
    virtual ~Transport() = default;
    /// Which keys of transports have an effect with it: "run.kv.rx_size". nullptr: the key has one, or is none of
    /// those.
    [[nodiscard]] virtual const char* unread(const TrafficConfig& item, std::string_view key) const = 0;
    [[nodiscard]] virtual std::optional<Refusal> refused(const RunConfig& config, const TrafficConfig& item,
                                                         const Application& application) const = 0;
    [[nodiscard]] virtual Plan plan(const TrafficConfig& item) const = 0;
    virtual void count(const TrafficConfig& item, const Messages& messages, std::uint32_t pmtu,
                       Counts& counts) const = 0;
    [[nodiscard]] virtual bool is_bound(Count /*what*/) const { return false; }
    [[nodiscard]] virtual Holds when_down(const TrafficConfig& /*item*/, Count /*what*/) const {
        return Holds::exactly;
    }
};

[[nodiscard]] const Transport& by_stream();
[[nodiscard]] const Transport& by_writes();
[[nodiscard]] const Transport& by_rings();
[[nodiscard]] inline const Transport& transport_of(const TrafficConfig& item) {
    switch (kv_of(item).transport) {
        case KvTransport::tcp: return by_stream();
        case KvTransport::rdma: return by_writes();
        case KvTransport::nts: break;
    }
    return by_rings();
}

/// Bytes of the messages that an end has under way: areas kOut and kIn of those that join bytes to messages.
[[nodiscard]] std::vector<Plan::Area> areas_of_bytes(const TrafficConfig& item);
[[nodiscard]] inline bool is_of_writes(std::string_view key) {
    return key == "run.kv.rx_size" || key == "run.kv.receives" || key == "run.kv.signal_every" ||
           key == "run.kv.room" || key == "run.kv.unsafe";
}
[[nodiscard]] inline bool is_of_rings(std::string_view key) { return key.starts_with("run.nts."); }

}  // namespace rnicsim::applications::kv
