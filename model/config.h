// The resolved scenario of one run: the system and its workload.
#pragma once

#include "model/faults/config.h"
#include "model/faults/tape.h"
#include "model/host/config.h"
#include "model/host_names.h"
#include "model/network/link/config.h"
#include "model/rnic/config.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace rnicsim {

struct EndSystemConfig {
    HostConfig host;
    RnicConfig rnic;
};

enum class Direction : std::uint8_t { a_to_b, b_to_a, both };
enum class OperationMix : std::uint8_t { write, read, alternate };

/// The transfers that the upper layers issue.
struct WorkloadConfig {
    OperationMix operation = OperationMix::write;
    Direction direction = Direction::a_to_b;  ///< which end initiates
    std::uint32_t size = 128 * 1024;          ///< bytes per transfer, 1 B .. 16 MiB
    std::uint32_t transfers = 800;            ///< issued by each initiating end
    std::uint32_t in_flight = 1;              ///< transfers of one initiator at once
};

/// One simulation run: one method, one point of the sweep, one repetition.
struct RunConfig {
    HostNames names;
    std::vector<EndSystemConfig> ends = std::vector<EndSystemConfig>(2);  ///< by host
    LinkConfig link;
    WorkloadConfig workload;
    std::uint64_t seed = 1;
    std::uint32_t repetition = 0;
    Cycle watchdog;                         ///< no transfer ends for this long: the run is stopped
    std::shared_ptr<const FaultTape> tape;  ///< decides all faults, in place of the probabilities; nullptr = none
};

/// What RandomFaults draws from.
inline FaultConfig fault_config(const RunConfig& run) {
    const auto of_host = [](const RegistrationConfig& registration) {
        return HostFaultConfig{registration.failure, registration.pool.hold_time, registration.pool.rest_time};
    };
    const LinkFaultConfig& link = run.link;
    FaultConfig config{link, {}, run.seed, run.repetition};
    for (const EndSystemConfig& end : run.ends) config.hosts.push_back(of_host(end.host.registration));
    return config;
}

}  // namespace rnicsim
