// SPDX-License-Identifier: Apache-2.0
#include "testbench/kits/rc/rc_kit.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "model/rnic/rc/names/end_qps.h"
#include "model/rnic/rc/names/packet_namer.h"
#include "testbench/kits/card_parts.h"
#include "testbench/kits/rc/verbs_waits.h"
#include "testbench/kits/rc/waiting_qps.h"

#include <numeric>

namespace rnicsim {
namespace {

void count_streams(const VerbsEnd& end, const std::string& name, CounterList& out) {
    out.begin(name + ".ethernet.");
    const rc::EthernetPort::Counters& port = end.rnic.ethernet()->counters();
    out.add("tx_descriptors", port.descriptors);
    out.add("tx_frames", port.frames);
    out.add("tx_bytes", port.bytes);
    out.add("rx_frames", port.received);
    out.add("rx_bytes", port.received_bytes);
    out.add("rx_no_buffer", port.no_buffer);
    out.add("interrupts", port.interrupts);
    if (end.host.streams() == nullptr) return;
    out.begin(name + ".tcp.");
    const TcpStack::Counters& tcp = end.host.streams()->counters();
    out.add("calls", tcp.calls);
    out.add("sent_bytes", tcp.sent_bytes);
    out.add("read_bytes", tcp.read_bytes);
    out.add("pieces", tcp.pieces);
    out.add("resent", tcp.resent);
    out.add("acks", tcp.acks);
    out.add("segments", tcp.segments);
    out.add("timeouts", tcp.timeouts);
    out.add("died", tcp.died);
    out.add("strays", tcp.strays);
}

class RcKit final : public PersonalityKit {
  public:
    [[nodiscard]] std::string_view name() const override { return "rc"; }
    [[nodiscard]] std::string_view traffic() const override { return "verbs"; }

    [[nodiscard]] std::unique_ptr<EndSystem> make(const EndSystem::Environment& environment,
                                                  const Build& build) const override {
        return std::make_unique<VerbsEnd>(environment.name(), environment, build.memory_bytes, *build.blocks.rc);
    }

    [[nodiscard]] std::unique_ptr<FrameNamer> namer(const RunConfig& run, const System& system) const override {
        return std::make_unique<PacketNamer>(EndQps(run, system));
    }

    void count(const EndSystem& end, const RunConfig& /*run*/, const std::string& name,
               CounterList& out) const override {
        const auto& here = static_cast<const VerbsEnd&>(end);
        const rc::RcRnic& card = here.rnic;
        count_mac(card.gmac, name, out);
        out.add("pauses_heard", card.pauses_heard());

        out.begin(name + ".rc.");
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
            if (card.transport().counts(count))
                out.add(std::string(rc::kRcCountNames[i]), card.transport().count(count));
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

        if (card.ethernet() != nullptr) count_streams(here, name, out);

        count_pcie(card.pcie, name, out);

        out.begin(name + ".host.");
        const VerbsQueues::Counters& host = here.host.queues.counters();
        out.add("sends_posted", host.sends);
        out.add("receives_posted", host.receives);
        out.add("completions_taken", host.completions);
        out.add("interrupts", here.host.interrupts());
        const VerbsDriver& driver = here.host.driver;
        if (const auto failed = driver.failed_registrations()) out.add("registrations_failed", *failed);
        const bool all = driver.tells_all_kinds() || here.host.streams() != nullptr;
        const bool kinds = all || driver.tells_kinds();
        if (here.host.persistence() != nullptr || kinds)
            out.add("worked_ps", static_cast<std::uint64_t>(driver.worked().ps));
        if (!kinds) return;
        for (std::size_t kind = 0; kind < (all ? kChargeNames.size() : kMessageCharges); ++kind) {
            const Time worked = driver.worked(static_cast<Charge>(kind));
            out.add("worked_" + std::string(kChargeNames[kind]) + "_ps", static_cast<std::uint64_t>(worked.ps));
        }
    }
    [[nodiscard]] std::uint64_t data_frames(const EndSystem& end) const override {
        return static_cast<const VerbsEnd&>(end).rnic.sender().counters().payload_packets;
    }
    /// The MAC's side is the same as of any RNIC; behind it each packet has its reason.
    void conserve(const EndSystem& end, const std::string& host, const Link::Lane& out, const Link::Lane& in,
                  Sums& sums) const override {
        const rc::RcRnic& rnic = static_cast<const VerbsEnd&>(end).rnic;
        const Gmac::Counters& mac = rnic.gmac.counters();
        sums.equal("RNIC " + host, "frames sent against those that its link has taken", mac.tx_frames,
                   out.counters().taken);
        const std::uint64_t inside = rnic.loopback().frames();
        sums.equal(
            "RNIC " + host, "frames sent, also to the card itself, against packets decided about and not waiting",
            mac.tx_frames + inside + rnic.sender().waiting(),
            rnic.sender().counters().packets + (rnic.ethernet() == nullptr ? 0 : rnic.ethernet()->counters().frames));
        sums.equal("RNIC " + host, "frames that its link has carried against those received and those with a fault",
                   in.counters().carried, mac.rx_frames + mac.rx_bad_fcs + mac.rx_runt + mac.rx_oversize);
        const rc::PacketReceiver::Counters& c = rnic.receiver().counters();
        sums.equal("RNIC " + host,
                   "frames received against packets decided about, waiting and dropped, each with its reason",
                   mac.rx_frames + inside,
                   c.packets + c.frames + rnic.receiver().waiting() + c.other_destination + c.overruns + c.cnps +
                       rnic.pauses_heard() + std::accumulate(c.errors.begin(), c.errors.end(), std::uint64_t{0}));
        if (rnic.ethernet() == nullptr) return;
        const rc::EthernetPort::Counters& ethernet = rnic.ethernet()->counters();
        sums.equal("RNIC " + host, "frames for its Ethernet port against those in buffers and those without one",
                   c.frames, ethernet.received + ethernet.no_buffer);
    }

    [[nodiscard]] Time patience(const RunConfig& run) const override { return held_by_verbs(run); }
    [[nodiscard]] std::string explain(const EndSystem& end, const RunConfig& run, unsigned host,
                                      const std::vector<std::string>& /*asked*/) const override {
        const auto& here = static_cast<const VerbsEnd&>(end);
        const std::string name = "RNIC " + run.names[host];
        std::string text;
        say(text, name, waiting_qps(here.rnic.transport(), run.names[host]));
        return text + "  " + name + ": holds " + std::to_string(here.rnic.receiver().waiting()) +
               " packets that came, " + std::to_string(here.rnic.sender().waiting()) + " to send, " +
               of_all(here.rnic.pcie.tags_in_use(), verbs_of(run, host).card.pcie.tags) + " PCIe tags" +
               (here.host.streams() == nullptr ? "" : here.host.streams()->explain()) +
               (here.host.idle() ? "" : "; its host is at work") + '\n';
    }
};

}  // namespace

const PersonalityKit& rc_kit() {
    static const RcKit kKit;
    return kKit;
}

}  // namespace rnicsim
