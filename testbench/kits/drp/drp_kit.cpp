// SPDX-License-Identifier: Apache-2.0
#include "testbench/kits/drp/drp_kit.h"

#include "model/rnic/drp/drp_namer.h"
#include "model/rnic/drp/end/drp_end.h"
#include "model/rnic/drp/end/end_config.h"
#include "testbench/kits/card_parts.h"
#include "testbench/kits/drp/drp_waits.h"
#include "testbench/records/report_clock.h"

#include <numeric>

namespace rnicsim {
namespace {

/// The fill of the RNIC's buffers: it also shows what was leaked, for which nothing waits.
std::string fill(const RnicConfig& config, const DrpRnic& rnic) {
    const TransportController& transport = rnic.transport;
    const TransportController::Fill held = transport.fill();
    return "holds " + of_all(transport.engine().entries_used(), config.transport.table_entries) + " table entries, " +
           of_all(transport.buffer().used(), held.slots) + " indirect slots (" + std::to_string(held.draining) +
           " in flight to memory), " + of_all(held.tx_buffers, held.all_tx_buffers) + " transmit buffers, " +
           std::to_string(held.frames) + " frames, " + std::to_string(held.commands) + " commands and " +
           std::to_string(held.transmitted) + " ends of frames not decided about, " +
           of_all(rnic.pcie.tags_in_use(), config.pcie.tags) + " PCIe tags";
}

class DrpKit final : public PersonalityKit {
  public:
    [[nodiscard]] std::string_view name() const override { return "drp"; }
    [[nodiscard]] std::string_view traffic() const override { return "transfers"; }

    [[nodiscard]] std::unique_ptr<EndSystem> make(const EndSystem::Environment& environment,
                                                  const Build& build) const override {
        return std::make_unique<DrpEnd>(environment.name(), environment, build.memory_bytes, *build.blocks.drp);
    }

    [[nodiscard]] std::unique_ptr<FrameNamer> namer(const RunConfig& /*run*/, const System& /*system*/) const override {
        return std::make_unique<DrpNamer>();
    }

    void count(const EndSystem& end, const RunConfig& run, const std::string& name, CounterList& out) const override {
        const auto& here = static_cast<const DrpEnd&>(end);
        count_mac(here.rnic.gmac, name, out);

        out.begin(name + ".filter.");
        const FrameFilter::Counters& filter = here.rnic.filter.counters();
        out.add("drp", filter.drp);
        out.add("ordinary", filter.ordinary);
        out.add("other_destination", filter.other_destination);
        if (run.network) out.add("unknown_source", filter.unknown_source);
        for (std::size_t i = 1; i < kDrpErrorNames.size(); ++i) {
            out.add("malformed_" + std::string(kDrpErrorNames[i]), filter.malformed[i]);
        }

        out.begin(name + ".transport.");
        const TransportController& transport = here.rnic.transport;
        for (std::size_t i = 0; i < kTransportCountNames.size(); ++i) {
            out.add(std::string(kTransportCountNames[i]), transport.engine().count(static_cast<TransportCount>(i)));
        }
        out.add("drained_frames", transport.counters().drained_frames);
        out.add("rx_overruns", transport.counters().rx_overruns);
        out.add("indirect_buffer_high_water", transport.counters().buffer_high_water);

        count_pcie(here.rnic.pcie, name, out);

        out.begin(name + ".queues.");
        const HostInterface::Counters& queues = here.rnic.host_interface.counters();
        out.add("commands", queues.commands);
        out.add("events", queues.events);
        out.add("status_writes", queues.status_writes);
        out.add("frames_sent", queues.frames_sent);
        out.add("frames_received", queues.frames_received);
        out.add("no_receive_buffer", queues.no_receive_buffer);

        out.begin(name + ".host.");
        const Processor::Counters& host = here.host.processor.counters();
        out.add("interrupts", host.interrupts);
        out.add("events", host.events);
        out.add("commands", host.commands);
        const Registrar::Counters& registrar = here.host.processor.registrar().counters();
        out.add("registrations", registrar.registrations);
        out.add("registration_failures", registrar.failures);
        out.add("registration_no_memory", registrar.no_memory);
        out.add("registration_refusals", registrar.refusals);
        const PciBridge* const bridge = here.host.bridge();
        out.add("bridge_requests", bridge == nullptr ? 0 : bridge->requests());
        out.add("pings_sent", host.pings_sent);
        out.add("pings_answered", host.pings_answered);
        out.add("ping_replies", host.ping_replies);
        out.add("frames_dropped", host.frames_dropped);
    }
    [[nodiscard]] std::uint64_t data_frames(const EndSystem& end) const override {
        return static_cast<const DrpEnd&>(end).rnic.transport.engine().count(TransportCount::data_sent);
    }
    void conserve(const EndSystem& end, const std::string& host, const Link::Lane& out, const Link::Lane& in,
                  Sums& sums) const override {
        const DrpRnic& rnic = static_cast<const DrpEnd&>(end).rnic;
        const Gmac::Counters& mac = rnic.gmac.counters();
        sums.equal("RNIC " + host, "frames sent against those that its link has taken", mac.tx_frames,
                   out.counters().taken);
        sums.equal("RNIC " + host, "frames that its link has carried against those received and those with a fault",
                   in.counters().carried, mac.rx_frames + mac.rx_bad_fcs + mac.rx_runt + mac.rx_oversize);
        const FrameFilter::Counters& filter = rnic.filter.counters();
        const std::uint64_t malformed =
            std::accumulate(filter.malformed.begin(), filter.malformed.end(), std::uint64_t{0});
        sums.equal("RNIC " + host, "frames received against those sorted by the filter", mac.rx_frames,
                   filter.drp + filter.ordinary + filter.other_destination + filter.unknown_source + malformed);
    }

    [[nodiscard]] Time patience(const RunConfig& run) const override {
        return kReportClock.time(held_by_transfers(run));
    }
    [[nodiscard]] bool fills_wires() const override { return false; }
    [[nodiscard]] std::string explain(const EndSystem& end, const RunConfig& run, unsigned host,
                                      const std::vector<std::string>& asked) const override {
        const auto& here = static_cast<const DrpEnd&>(end);
        const std::string name = ' ' + run.names[host];
        std::string text;
        say(text, "workload" + name, asked);
        say(text, "host" + name, here.host.processor.waiting());
        say(text, "RNIC" + name, here.rnic.transport.engine().waiting(current_cycle()));
        return text + "  RNIC" + name + ": " + fill(drp_of(run, host).rnic, here.rnic) + '\n';
    }
};

}  // namespace

const PersonalityKit& drp_kit() {
    static const DrpKit kKit;
    return kKit;
}

}  // namespace rnicsim
