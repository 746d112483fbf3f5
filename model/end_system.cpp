#include "model/end_system.h"

#include "tlm/ethernet/host_address.h"

namespace rnicsim {
namespace {

std::vector<MacAddress> addresses_of(const std::vector<unsigned>& hosts) {
    std::vector<MacAddress> addresses;
    addresses.reserve(hosts.size());
    for (const unsigned host : hosts) addresses.push_back(mac_address(host));
    return addresses;
}

}  // namespace

void EndSystem::join(Host& host, Rnic& rnic, unsigned end, Observer* observer) {
    wire_out_ = &rnic.gmac.wire_out;
    host.root_complex.downstream.bind(rnic.pcie.downstream);
    if (observer == nullptr) {
        rnic.pcie.upstream.bind(host.root_complex.upstream);
        host.root_complex.memory.bind(host.memory_port());
        return;
    }
    pcie_tap_ = std::make_unique<PcieTap>("pcie_tap", end, *observer);
    memory_tap_ = std::make_unique<MemoryTap>("memory_tap", end, *observer);
    frame_tap_ = std::make_unique<FrameTap>("frame_tap", end, *observer);
    rnic.pcie.upstream.bind(pcie_tap_->in);
    pcie_tap_->out.bind(host.root_complex.upstream);
    host.root_complex.memory.bind(memory_tap_->in);
    memory_tap_->out.bind(host.memory_port());
    rnic.gmac.wire_out.bind(frame_tap_->in);
}

DrpEnd::DrpEnd(sc_core::sc_module_name name, const EndSystemConfig& config, const Environment& environment)
    : EndSystem(name),
      host("host",
           {config.host, config.rnic.transport.method, environment.end, PeerHosts(environment.peers),
            environment.faults},
           config.rnic.pcie, environment.memory_bytes, environment.transactions, environment.ahead.horizon),
      rnic(
          "rnic", config.rnic,
          {mac_address(environment.end), addresses_of(environment.peers), config.host.receive_ring, environment.blocks},
          environment.ahead, environment.frames, environment.transactions) {
    join(host, rnic, environment.end, environment.observer);
}

VerbsEnd::VerbsEnd(sc_core::sc_module_name name, const VerbsEndConfig& config, const Environment& environment)
    : EndSystem(name),
      host("host", config.host, environment.memory_bytes, environment.transactions, environment.ahead.horizon,
           environment.random, environment.end),
      rnic("rnic", config.card, environment.end, environment.ahead, environment.frames, environment.transactions) {
    host.queues.attach(rnic);
    rnic.pcie.set_posted_buffer(host.persistence());
    join(host, rnic, environment.end, environment.observer);
    if (environment.observer == nullptr) return;
    loopback_tap_ = std::make_unique<LoopbackTap>(environment.end, *environment.observer);
    rnic.loopback().set_observer(loopback_tap_.get());
}

}  // namespace rnicsim
