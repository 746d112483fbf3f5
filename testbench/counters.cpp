#include "testbench/counters.h"

namespace rnicsim {
namespace {

class Collector {
  public:
    void add(const std::string& name, std::uint64_t value) { counters.emplace_back(prefix + name, value); }

    std::string prefix;
    std::vector<std::pair<std::string, std::uint64_t>> counters;
};

void collect_end(const EndSystem& system, const std::string& end, Collector& out) {
    out.prefix = end + ".gmac.";
    const Gmac::Counters& mac = system.rnic.gmac.counters();
    out.add("tx_frames", mac.tx_frames);
    out.add("tx_bytes", mac.tx_bytes);
    out.add("rx_frames", mac.rx_frames);
    out.add("rx_bytes", mac.rx_bytes);
    out.add("rx_bad_fcs", mac.rx_bad_fcs);
    out.add("rx_runt", mac.rx_runt);
    out.add("rx_oversize", mac.rx_oversize);

    out.prefix = end + ".filter.";
    const FrameFilter::Counters& filter = system.rnic.filter.counters();
    out.add("drp", filter.drp);
    out.add("ordinary", filter.ordinary);
    out.add("other_destination", filter.other_destination);
    for (std::size_t i = 1; i < kDrpErrorNames.size(); ++i) {
        out.add("malformed_" + std::string(kDrpErrorNames[i]), filter.malformed[i]);
    }

    out.prefix = end + ".transport.";
    const TransportController& transport = system.rnic.transport;
    for (std::size_t i = 0; i < kTransportCountNames.size(); ++i) {
        out.add(std::string(kTransportCountNames[i]), transport.engine().count(static_cast<TransportCount>(i)));
    }
    out.add("drained_frames", transport.counters().drained_frames);
    out.add("rx_overruns", transport.counters().rx_overruns);
    out.add("indirect_buffer_high_water", transport.counters().buffer_high_water);

    out.prefix = end + ".pcie.";
    const PcieEndpoint::Counters& pcie = system.rnic.pcie.counters();
    out.add("write_requests", pcie.write_requests);
    out.add("write_tlps", pcie.write_tlps);
    out.add("write_bytes", pcie.write_bytes);
    out.add("read_requests", pcie.read_requests);
    out.add("read_tlps", pcie.read_tlps);
    out.add("read_bytes", pcie.read_bytes);
    out.add("interrupts", pcie.interrupts);
    out.add("doorbells", pcie.doorbells);
    out.add("tag_stalls", pcie.tag_stalls);

    out.prefix = end + ".queues.";
    const HostInterface::Counters& queues = system.rnic.host_interface.counters();
    out.add("commands", queues.commands);
    out.add("events", queues.events);
    out.add("status_writes", queues.status_writes);
    out.add("frames_sent", queues.frames_sent);
    out.add("frames_received", queues.frames_received);
    out.add("no_receive_buffer", queues.no_receive_buffer);

    out.prefix = end + ".host.";
    const Processor::Counters& host = system.host.processor.counters();
    out.add("interrupts", host.interrupts);
    out.add("events", host.events);
    out.add("commands", host.commands);
    const Registrar::Counters& registrar = system.host.processor.registrar().counters();
    out.add("registrations", registrar.registrations);
    out.add("registration_failures", registrar.failures);
    out.add("registration_no_memory", registrar.no_memory);
    out.add("registration_refusals", registrar.refusals);
    const PciBridge* const bridge = system.host.bridge();
    out.add("bridge_requests", bridge == nullptr ? 0 : bridge->requests());
    out.add("pings_sent", host.pings_sent);
    out.add("pings_answered", host.pings_answered);
    out.add("ping_replies", host.ping_replies);
    out.add("frames_dropped", host.frames_dropped);
}

void collect_lane(const Link::Lane& lane, const std::string& prefix, Collector& out) {
    out.prefix = prefix;
    const Link::Lane::Counters& counters = lane.counters();
    out.add("carried", counters.carried);
    out.add("lost", counters.lost);
    out.add("corrupted", counters.damaged);
    out.add("duplicated", counters.copied);
    out.add("delayed", counters.delayed);
    out.add("overtaken", counters.overtaken);
}

}  // namespace

std::vector<std::pair<std::string, std::uint64_t>> collect_counters(const System& system, const HostNames& names) {
    Collector out;
    for (unsigned end = 0; end < system.hosts(); ++end) collect_end(system.end(end), names[end], out);
    for (unsigned side = 0; side < 2; ++side) {
        collect_lane(system.link().from(side), "link." + names[side] + "_to_" + names[1 - side] + '_', out);
    }
    return std::move(out.counters);
}

std::uint64_t count_data_frames(const System& system) {
    std::uint64_t all = 0;
    for (unsigned end = 0; end < system.hosts(); ++end) {
        all += system.end(end).rnic.transport.engine().count(TransportCount::data_sent);
    }
    return all;
}

}  // namespace rnicsim
