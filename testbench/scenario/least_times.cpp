#include "testbench/scenario/least_times.h"

#include "tlm/ethernet_frame.h"
#include "tlm/host_queues.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace rnicsim {
namespace {

/// Client data of a frame: the header of DRP is 32 bytes (PROTOCOL.md 2).
std::size_t client_bytes(std::uint32_t payload) { return std::size_t{32} + payload; }

/// A frame handed to the MAC of one end -> classified at the other.
Cycle one_way(const RunConfig& config, unsigned from, std::uint32_t payload = 0) {
    const RnicConfig& here = config.ends.at(from).rnic;
    const RnicConfig& there = config.ends.at(1 - from).rnic;
    return here.gmac.tx_latency + serialisation(frame_bytes(client_bytes(payload))) + config.link.delay +
           there.gmac.rx_latency + there.filter.latency;
}

/// Read from host memory: set-up of the DMA request, request and completion on the PCIe link, memory by its bandwidth.
Cycle memory_read(const EndSystemConfig& end, std::int64_t bytes) {
    constexpr std::int64_t kCyclesPerSecond = 125'000'000;
    const MemoryConfig& memory = end.host.memory;
    return end.rnic.pcie.request_overhead + end.rnic.pcie.latency * 2 + memory.latency +
           Cycle{bytes * kCyclesPerSecond / memory.bytes_per_second};
}

std::uint32_t first_payload(const RunConfig& config, unsigned sender) {
    return std::min(config.workload.size, config.ends.at(sender).rnic.transport.segment);
}

}  // namespace

Cycle least_connecting(const RunConfig& config, unsigned initiator) {
    const unsigned responder = 1 - initiator;
    const EndSystemConfig& there = config.ends.at(responder);
    const PcieConfig& pcie = there.rnic.pcie;
    const Cycle event = pcie.request_overhead + pcie.latency + there.host.software.event_cost;
    const Cycle command = there.host.software.command_cost + pcie.latency + memory_read(there, sizeof(Command));
    return one_way(config, initiator) + there.rnic.transport.decision + event +
           there.host.registration.time(config.workload.size) + command + there.rnic.transport.decision +
           one_way(config, responder);
}

Cycle least_release(const RunConfig& config, unsigned initiator) {
    const unsigned responder = 1 - initiator;
    return one_way(config, initiator) + config.ends.at(responder).rnic.transport.decision + one_way(config, responder);
}

Cycle least_acknowledgement(const RunConfig& config, unsigned sender) {
    const unsigned receiver = 1 - sender;
    const RnicConfig& there = config.ends.at(receiver).rnic;
    const std::uint32_t payload = first_payload(config, sender);
    return memory_read(config.ends.at(sender), payload) + one_way(config, sender, payload) + there.transport.decision +
           there.pcie.request_overhead + one_way(config, receiver);
}

Cycle least_first_data(const RunConfig& config, unsigned initiator) {
    const unsigned responder = 1 - initiator;
    const EndSystemConfig& there = config.ends.at(responder);
    const std::uint32_t payload = first_payload(config, responder);
    return one_way(config, initiator) + there.rnic.transport.decision + memory_read(there, payload) +
           one_way(config, responder, payload);
}

}  // namespace rnicsim
