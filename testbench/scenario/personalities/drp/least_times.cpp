// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/drp/least_times.h"

#include "model/rnic/drp/end/end_config.h"
#include "tlm/drp/drp_header.h"
#include "tlm/drp/host_queues.h"
#include "tlm/ethernet/frame.h"
#include "tlm/time/clock.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace rnicsim {
namespace {

std::uint32_t smallest_size(const RunConfig& config) {
    return std::ranges::min_element(config.traffic, {}, &TrafficConfig::size)->size;
}

/// Collects the steps of one way through the system, in order.
class Path {
  public:
    Path(const RunConfig& config, const Routes& routes) : config_(config), routes_(routes) {}

    /// A frame handed to the MAC of one end -> classified at the other; 0 B: a control frame.
    Path& frame(unsigned from, unsigned to, std::uint32_t payload = 0) {
        const RnicConfig& there = rnic(to);
        add(rnic(from).gmac.tx_latency, from, "system.rnic.gmac.tx_latency");
        for (const Routes::Port& hop : routes_.path(from, to)) {
            const LinkConfig& link = config_.links.at(hop.link);
            const Node node = link.between.at(hop.side);
            if (node.kind == Node::Kind::network_switch) {
                add(kGmiiClock.cycle(config_.switches.at(node.index).latency), 0, "system.switch.latency");
            }
            add(kGmiiClock.cycle(link.timing.serialisation(frame_bytes(kDrpHeaderBytes + payload))), from, "");
            add(kGmiiClock.cycle(link.delay), 0, "system.link.delay");
        }
        add(there.gmac.rx_latency, to, "system.rnic.gmac.rx_latency");
        return add(there.filter.latency, to, "system.rnic.frame_filter.latency");
    }
    Path& decision(unsigned end) { return add(rnic(end).transport.decision, end, "system.rnic.drp.decision"); }
    Path& dma_set_up(unsigned end) {
        return add(rnic(end).pcie.request_overhead, end, "system.rnic.pcie.request_overhead");
    }
    Path& across_pcie(unsigned end) { return add(rnic(end).pcie.latency, end, "system.rnic.pcie.latency"); }
    /// Request and completion, and bridge and memory between them.
    Path& memory_read(unsigned end, std::int64_t bytes) {
        const HostConfig& host = drp_of(config_, end).host;
        dma_set_up(end).across_pcie(end).across_pcie(end);
        if (host.bridge.bytes_per_second != 0) {
            add(host.bridge.request_cost, end, "system.host.bridge.request_cost");
            add(at_bandwidth(bytes, host.bridge.bytes_per_second), end, "system.host.bridge.bandwidth");
        }
        add(host.memory.latency, end, "system.host.memory.latency");
        return add(at_bandwidth(bytes, host.memory.bytes_per_second), end, "system.host.memory.bandwidth");
    }
    /// The host gets the event of a request, registers the region and answers.
    Path& registration(unsigned end) {
        const HostConfig& host = drp_of(config_, end).host;
        dma_set_up(end).across_pcie(end);
        add(host.software.event_cost, end, "system.host.software.event_cost");
        add(host.registration.base_cost, end, "system.host.registration.base_cost");
        add(host.registration.time(smallest_size(config_)) - host.registration.base_cost, end,
            "system.host.registration.page_cost");
        add(host.software.command_cost, end, "system.host.software.command_cost");
        return across_pcie(end).memory_read(end, sizeof(Command));
    }
    [[nodiscard]] LeastSteps steps() { return std::move(steps_); }

  private:
    [[nodiscard]] const RnicConfig& rnic(unsigned end) const { return drp_of(config_, end).rnic; }
    static Cycle at_bandwidth(std::int64_t bytes, std::int64_t bytes_per_second) {
        constexpr std::int64_t kCyclesPerSecond = kGmiiClock.cycles_per_second();
        return Cycle{bytes * kCyclesPerSecond / bytes_per_second};
    }
    Path& add(Cycle time, unsigned end, std::string_view key) {
        steps_.push_back({time, end, key});
        return *this;
    }

    const RunConfig& config_;
    const Routes& routes_;
    LeastSteps steps_;
};

std::uint32_t first_payload(const RunConfig& config, unsigned sender) {
    return std::min(smallest_size(config), drp_of(config, sender).rnic.transport.segment);
}

}  // namespace

Cycle total(const LeastSteps& steps) {
    Cycle sum;
    for (const LeastStep& step : steps) sum += step.time;
    return sum;
}

LeastStep longest(const LeastSteps& steps) {
    LeastStep most;
    for (const LeastStep& first : steps) {
        LeastStep all{Cycle{}, first.end, first.key};
        for (const LeastStep& step : steps) {
            if (step.key == first.key && step.end == first.end) all.time += step.time;
        }
        if (!first.key.empty() && (most.key.empty() || most.time < all.time)) most = all;
    }
    return most;
}

LeastSteps least_connecting(const RunConfig& config, const Routes& routes, unsigned initiator, unsigned responder) {
    return Path(config, routes)
        .frame(initiator, responder)
        .decision(responder)
        .registration(responder)
        .decision(responder)
        .frame(responder, initiator)
        .steps();
}

LeastSteps least_release(const RunConfig& config, const Routes& routes, unsigned initiator, unsigned responder) {
    return Path(config, routes).frame(initiator, responder).decision(responder).frame(responder, initiator).steps();
}

LeastSteps least_acknowledgement(const RunConfig& config, const Routes& routes, unsigned sender, unsigned receiver) {
    const std::uint32_t payload = first_payload(config, sender);
    return Path(config, routes)
        .memory_read(sender, payload)
        .frame(sender, receiver, payload)
        .decision(receiver)
        .dma_set_up(receiver)
        .frame(receiver, sender)
        .steps();
}

LeastSteps least_first_data(const RunConfig& config, const Routes& routes, unsigned initiator, unsigned responder) {
    const std::uint32_t payload = first_payload(config, responder);
    return Path(config, routes)
        .frame(initiator, responder)
        .decision(responder)
        .memory_read(responder, payload)
        .frame(responder, initiator, payload)
        .steps();
}

}  // namespace rnicsim
