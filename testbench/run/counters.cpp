#include "testbench/run/counters.h"

#include <algorithm>
#include <unordered_map>

namespace rnicsim {
namespace {

/// Of several of one name the sum, of high-water marks the highest: so a group of hosts has one counter of each kind.
class Collector {
  public:
    void add(const std::string& name, std::uint64_t value) {
        const auto [place, fresh] = places_.try_emplace(prefix + name, counters.size());
        if (fresh) {
            counters.emplace_back(place->first, value);
            return;
        }
        std::uint64_t& all = counters[place->second].second;
        all = name.ends_with("high_water") ? std::max(all, value) : all + value;
    }

    std::string prefix;
    std::vector<std::pair<std::string, std::uint64_t>> counters;

  private:
    std::unordered_map<std::string, std::size_t> places_;
};

/// Under which name a host or a switch is counted.
const std::string& counted_as(const RunConfig& config, const Node& node) {
    const bool grouped = node.kind == Node::Kind::host && !config.groups.empty();
    return grouped ? config.groups[node.index] : name_of(config, node);
}

void collect_pcie(const PcieEndpoint& endpoint, const std::string& end, Collector& out) {
    out.prefix = end + ".pcie.";
    const PcieEndpoint::Counters& pcie = endpoint.counters();
    out.add("write_requests", pcie.write_requests);
    out.add("write_tlps", pcie.write_tlps);
    out.add("write_bytes", pcie.write_bytes);
    out.add("read_requests", pcie.read_requests);
    out.add("read_tlps", pcie.read_tlps);
    out.add("read_bytes", pcie.read_bytes);
    out.add("interrupts", pcie.interrupts);
    out.add("doorbells", pcie.doorbells);
    out.add("tag_stalls", pcie.tag_stalls);
}

void collect_end(const DrpEnd& system, const std::string& end, bool network, Collector& out) {
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
    if (network) out.add("unknown_source", filter.unknown_source);
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

    collect_pcie(system.rnic.pcie, end, out);

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

void collect_verbs(const VerbsEnd& end, const std::string& name, Collector& out) {
    const rc::RcRnic& card = end.rnic;
    out.prefix = name + ".gmac.";
    const Gmac::Counters& mac = card.gmac.counters();
    out.add("tx_frames", mac.tx_frames);
    out.add("tx_bytes", mac.tx_bytes);
    out.add("rx_frames", mac.rx_frames);
    out.add("rx_bytes", mac.rx_bytes);
    out.add("rx_bad_fcs", mac.rx_bad_fcs);
    out.add("rx_runt", mac.rx_runt);
    out.add("rx_oversize", mac.rx_oversize);
    out.add("pauses_heard", card.pauses_heard());

    out.prefix = name + ".rc.";
    const rc::PacketReceiver::Counters& in = card.receiver().counters();
    out.add("tx_packets", card.sender().counters().packets);
    out.add("tx_payload_packets", card.sender().counters().payload_packets);
    out.add("rx_packets", in.packets);
    out.add("rx_other_destination", in.other_destination);
    out.add("rx_overruns", in.overruns);
    for (std::size_t i = 1; i < roce::kErrorNames.size(); ++i)
        out.add("rx_" + std::string(roce::kErrorNames[i]), in.errors[i]);
    for (std::size_t i = 0; i < rc::kRcCountNames.size(); ++i) {
        const auto count = static_cast<rc::RcCount>(i);
        if (card.transport().counts(count)) out.add(std::string(rc::kRcCountNames[i]), card.transport().count(count));
    }
    const rc::WorkQueues::Counters& queues = card.work_queues().counters();
    out.add("doorbells", queues.doorbells);
    out.add("pushes", queues.pushes);
    out.add("send_wqe_reads", queues.send_reads);
    out.add("receive_wqe_reads", queues.receive_reads);
    out.add("completions", card.completion_queues().counters().completions);
    out.add("completion_errors", card.completion_queues().counters().errors);
    out.add("atomics", card.atomic_unit().done());
    if (card.transport().counts(rc::RcCount::packs_sent)) out.add("flush_reads", card.persist_unit().reads());
    out.add("events", card.events().size());
    const rc::ContextLines::Counters& lines = card.context_lines().counters();
    out.add("cache_hits", lines.hits);
    for (std::size_t kind = 0; kind < rc::kLineKinds; ++kind)
        out.add("cache_misses_" + std::string(rc::kLineKindNames[kind]), lines.misses[kind]);
    out.add("cache_write_backs", lines.write_backs);

    collect_pcie(card.pcie, name, out);

    out.prefix = name + ".host.";
    const VerbsQueues::Counters& host = end.host.queues.counters();
    out.add("sends_posted", host.sends);
    out.add("receives_posted", host.receives);
    out.add("completions_taken", host.completions);
    out.add("interrupts", end.host.interrupts());
    if (end.host.persistence() != nullptr)
        out.add("worked_ps", static_cast<std::uint64_t>(end.host.driver.worked().ps));
}

void collect_station(const Station& station, const std::string& name, Collector& out) {
    out.prefix = name + '.';
    const Station::Counters& c = station.counters();
    out.add("tx_frames", c.tx_frames);
    out.add("tx_bytes", c.tx_bytes);
    out.add("rx_frames", c.rx_frames);
    out.add("rx_bytes", c.rx_bytes);
    out.add("rx_bad_fcs", c.rx_bad_fcs);
    out.add("rx_oversize", c.rx_oversize);
    out.add("rx_pause", c.rx_pause);
    out.add("rx_other", c.rx_other);
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
    if (counters.marked != 0) out.add("marked", counters.marked);
}

/// Its ports are called after what they lead to.
void collect_switch(const System& system, const RunConfig& config, std::size_t number, Collector& out) {
    const SwitchLogic& logic = system.network_switch(number).logic();
    const std::string& name = config.switches[number].name;
    out.prefix = name + '.';
    out.add("buffer_high_water", static_cast<std::uint64_t>(logic.buffer().high_water()));
    const std::vector<Routes::Port>& ports = system.routes().ports(number);
    for (std::size_t i = 0; i < ports.size(); ++i) {
        out.prefix = name + '.' + counted_as(config, config.links[ports[i].link].between.at(1 - ports[i].side)) + '.';
        const SwitchLogic::Counters& counters = logic.counters(i);
        out.add("in_frames", counters.in);
        out.add("in_bytes", counters.in_bytes);
        out.add("out_frames", counters.out);
        out.add("out_bytes", counters.out_bytes);
        out.add("queue_high_water", static_cast<std::uint64_t>(logic.queue_high_water(i)));
        for (std::size_t reason = 0; reason < kDropReasons; ++reason) {
            out.add("dropped_" + std::string(kDropReasonNames[reason]), counters.dropped[reason]);
        }
        out.add("copies", counters.copies);
        out.add("refused", counters.refused);
        out.add("marked", counters.marked);
        out.add("cut_through", counters.cut_through);
        out.add("pauses_sent", counters.pauses_sent);
        out.add("pauses_heard", counters.pauses_heard);
        out.add("headroom_high_water", static_cast<std::uint64_t>(logic.ingress().headroom_high_water(i)));
    }
}

}  // namespace

std::vector<std::pair<std::string, std::uint64_t>> collect_counters(const System& system, const RunConfig& config) {
    Collector out;
    for (unsigned end = 0; end < system.hosts(); ++end)
        collect_end(system.end(end), counted_as(config, {Node::Kind::host, end}), config.network, out);
    for (unsigned host = system.hosts(); host < system.first_station(); ++host)
        collect_verbs(system.verbs_end(host), counted_as(config, {Node::Kind::host, host}), out);
    for (unsigned host = system.first_station(); host < config.names.size(); ++host)
        collect_station(system.station(host), counted_as(config, {Node::Kind::host, host}), out);
    for (std::size_t i = 0; i < config.switches.size(); ++i) collect_switch(system, config, i, out);
    for (std::size_t i = 0; i < config.links.size(); ++i) {
        const LinkConfig& link = config.links[i];
        for (unsigned side = 0; side < 2; ++side) {
            const std::string way = counted_as(config, link.between.at(side)) + "_to_" +
                                    counted_as(config, link.between.at(1 - side)) + '_';
            collect_lane(system.link(i).from(side), link.group + '.' + way, out);
        }
    }
    return std::move(out.counters);
}

std::uint64_t count_data_frames(const System& system) {
    std::uint64_t all = 0;
    for (unsigned end = 0; end < system.hosts(); ++end) {
        all += system.end(end).rnic.transport.engine().count(TransportCount::data_sent);
    }
    for (unsigned host = system.hosts(); host < system.first_station(); ++host)
        all += system.verbs_end(host).rnic.sender().counters().payload_packets;
    return all;
}

}  // namespace rnicsim
