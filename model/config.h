// The resolved scenario of one run: the system and its workload.
#pragma once

#include "model/faults/config.h"
#include "model/faults/tape.h"
#include "model/host/config.h"
#include "model/host/verbs/config.h"
#include "model/host_names.h"
#include "model/network/link/config.h"
#include "model/network/routes.h"
#include "model/network/station/config.h"
#include "model/network/switch/config.h"
#include "model/rnic/drp/config.h"
#include "model/rnic/rc/card_config.h"
#include "model/rnic/rc/qp_attributes.h"
#include "model/traffic.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rnicsim {

/// A host with a RoCEv2 RNIC.
struct VerbsEndConfig {
    VerbsHostConfig host;
    rc::CardConfig card;
    rc::QpAttributes attributes;  ///< of its QPs, but for who the other end is
};

/// A host with a DRP RNIC.
struct EndSystemConfig {
    HostConfig host;
    RnicConfig rnic;
};

/// One simulation run: one variant, one point of the sweep, one repetition.
struct RunConfig {
    HostNames names;
    std::vector<std::string> groups;  ///< by host: under which name it is counted; empty: each under its own
    std::vector<EndSystemConfig> ends = std::vector<EndSystemConfig>(2);  ///< by host: those with a DRP RNIC
    std::vector<VerbsEndConfig> verbs;                                    ///< the hosts behind them
    std::vector<StationConfig> stations;                                  ///< the hosts behind those
    std::vector<SwitchConfig> switches;
    std::vector<LinkConfig> links = std::vector<LinkConfig>(1);
    std::vector<TrafficConfig> traffic = std::vector<TrafficConfig>(1);
    bool network = false;  ///< written with `hosts`: results name hosts and items of traffic
    std::uint64_t seed = 1;
    std::uint32_t repetition = 0;
    std::string variant;                    ///< its name, for messages; empty: of none
    Cycle watchdog;                         ///< no transfer ends for this long: the run is stopped
    std::shared_ptr<const FaultTape> tape;  ///< decides all faults, in place of the probabilities; nullptr = none
};

/// With whom each end has transfers, by Peer, in the order of hosts: what its RNIC's table of peers is made from.
std::vector<unsigned> peers_of(const RunConfig& run, unsigned host);

/// Is the host a station?
inline bool is_station(const RunConfig& run, unsigned host) { return host >= run.ends.size() + run.verbs.size(); }
/// Has it a DRP RNIC?
inline bool is_drp_host(const RunConfig& run, unsigned host) { return host < run.ends.size(); }
/// Has it a RoCEv2 RNIC?
inline bool is_verbs(const RunConfig& run, unsigned host) {
    return host >= run.ends.size() && host < run.ends.size() + run.verbs.size();
}
/// Precondition of each: it is one.
inline const StationConfig& station_of(const RunConfig& run, unsigned host) {
    return run.stations[host - run.ends.size() - run.verbs.size()];
}
inline const VerbsEndConfig& verbs_of(const RunConfig& run, unsigned host) { return run.verbs[host - run.ends.size()]; }

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
inline FaultConfig fault_config(const RunConfig& run) {
    const auto of_host = [](const RegistrationConfig& registration) {
        return HostFaultConfig{registration.failure, registration.pool.hold_time, registration.pool.rest_time};
    };
    FaultConfig config{{run.links.begin(), run.links.end()}, {}, run.seed, run.repetition};
    for (const EndSystemConfig& end : run.ends) config.hosts.push_back(of_host(end.host.registration));
    return config;
}

}  // namespace rnicsim
