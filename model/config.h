// SPDX-License-Identifier: Apache-2.0
// The resolved scenario of one run: the system and its workload.
#pragma once

#include "model/end_config.h"
#include "model/faults/config.h"
#include "model/faults/tape.h"
#include "model/host_names.h"
#include "model/network/link/config.h"
#include "model/network/routes.h"
#include "model/network/switch/config.h"
#include "model/ntb/config.h"
#include "model/traffic.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rnicsim {

/// One simulation run: one variant, one point of the sweep, one repetition.
struct RunConfig {
    HostNames names;
    std::vector<std::string> groups;  ///< by host: under which name it is counted; empty: each under its own
    std::vector<AnyEnd> hosts;        ///< each of its personality
    std::vector<SwitchConfig> switches;
    std::vector<LinkConfig> links = std::vector<LinkConfig>(1);
    std::vector<ntb::Config> bridges;
    std::vector<TrafficConfig> traffic = std::vector<TrafficConfig>(1);
    bool network = false;  ///< written with `hosts`: results name hosts and items of traffic
    std::uint64_t seed = 1;
    std::uint32_t repetition = 0;
    std::string variant;                    ///< its name, for messages; empty: of none
    std::uint64_t settings = 0;             ///< a hash of all settings of its scenario
    Time watchdog = kSecond;                ///< no transfer ends for this long: the run is stopped
    std::shared_ptr<const FaultTape> tape;  ///< decides all faults, in place of the probabilities; nullptr = none
};

/// Is any host of this personality?
template <typename Config>
[[nodiscard]] bool has_host(const RunConfig& run) {
    return std::ranges::any_of(run.hosts, [](const AnyEnd& host) { return host.is<Config>(); });
}

/// Bytes of the largest frame of the run, FCS included.
std::size_t largest_frame(const RunConfig& run);

/// Does every link deliver each frame once, and in their order?
bool frames_keep_order(const RunConfig& run);

/// How long the sender at the other end of a switch's port takes from a pause frame until it begins no frame.
Time reaction_at(const RunConfig& run, const Routes::Port& port);

/// By port of a switch, which are given: the headroom of each lossless class, as set or as much as may be needed.
std::vector<std::int64_t> headroom_of(const RunConfig& run, unsigned number, const std::vector<Routes::Port>& ports);

/// Of a host or a switch.
const std::string& name_of(const RunConfig& run, const Node& node);

/// Of all nodes by their numbers: hosts, then switches.
HostNames node_names(const RunConfig& run);

/// How many transfers of a host are in progress at once, at most: that it asks for, and that it is asked for.
struct AtOnce {
    std::int64_t asked = 0, answered = 0;
    [[nodiscard]] std::int64_t all() const { return asked + answered; }
};
AtOnce transfers_at_once(const RunConfig& run, unsigned host);

/// What RandomFaults draws from.
FaultConfig fault_config(const RunConfig& run);

}  // namespace rnicsim
