// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/conservation.h"

#include "model/network/switch/switch.h"
#include "testbench/kits/kits.h"

#include <algorithm>
#include <numeric>

namespace rnicsim {
namespace {

void check_lane(const Link::Lane& lane, const std::string& name, Sums& sums) {
    const Link::Lane::Counters& c = lane.counters();
    sums.equal(name, "frames taken and copied against carried, lost, dropped as copies and held",
               c.taken + c.held_copies, c.carried + c.lost + c.dropped_copies + lane.held());
}

void check_switch(Switch& of, const std::string& name, Sums& sums) {
    const SwitchLogic& logic = of.settled();
    std::uint64_t in = 0, in_bytes = 0, out = logic.queued(), out_bytes = logic.queued_bytes();
    std::int64_t queued = 0;
    for (std::size_t port = 0; port < logic.ports(); ++port) {
        const SwitchLogic::Counters& c = logic.counters(port);
        in += c.in + c.copies;
        in_bytes += c.in_bytes + c.copied_bytes;
        out += c.out + std::accumulate(c.dropped.begin(), c.dropped.end(), std::uint64_t{0});
        out_bytes += c.out_bytes + c.dropped_bytes;
        queued += logic.queued_at(port);
    }
    sums.equal(name, "frames in, with copies, against out, dropped and queued", in, out);
    sums.equal(name, "bytes in, with copies, against out, dropped and queued", in_bytes, out_bytes);
    sums.equal(name, "bytes of all queues against the buffer in use", static_cast<std::uint64_t>(queued),
               static_cast<std::uint64_t>(logic.buffer().used()));
}

/// Pause frames arrive, in time and as they were sent.
bool pauses_arrive(const RunConfig& config) {
    return config.tape == nullptr && std::ranges::all_of(config.links, [](const LinkConfig& link) {
               return link.loss == 0 && link.corruption == 0 && link.burst.begin == 0 && link.down.probability == 0;
           });
}

/// A lossless class loses nothing for want of headroom where everybody obeys pauses.
void check_lossless(const SwitchLogic& logic, const std::string& name, Sums& sums) {
    for (std::size_t port = 0; port < logic.ports(); ++port) {
        sums.equal(name, "frames of lossless classes dropped for want of headroom, of which there is enough",
                   logic.counters(port).dropped.at(static_cast<std::size_t>(DropReason::headroom)), 0);
    }
}

}  // namespace

std::array<std::string, 2> senders_of(const RunConfig& config, const ntb::Config& bridge) {
    const auto from = [&](unsigned side) { return bridge.name + " from " + config.names[bridge.between.at(side)]; };
    return {from(0), from(1)};
}

/// All that came to a window has crossed, or was told to nobody; and its credits are back.
void check_bridge(const ntb::Bridge& bridge, const std::array<std::string, 2>& names, bool is_idle, Sums& sums) {
    for (unsigned side = 0; side < 2; ++side) {
        const ntb::Crossed& c = bridge.side(side).crossed();
        const std::string& name = names.at(side);
        sums.equal(name, "stores to its windows against delivered, refused and dropped", c.writes,
                   c.delivered + c.refused + c.lost);
        if (!is_idle) continue;
        const RootPort::Posted &sent = bridge.side(side).port().stores_sent(),
                               &taken = bridge.side(1 - side).port().writes_taken();
        sums.equal(name, "stores that its root port has sent against those that came", sent.tlps,
                   c.writes + c.register_writes);
        sums.equal(name, "stores delivered against those that the other root port has taken", c.delivered, taken.tlps);
        const ntb::Credits::Amount out = bridge.side(side).credits_out();
        sums.equal(name, "TLPs whose credits are not back", out.headers, 0);
        sums.equal(name, "units of 16 B whose credits are not back", out.data, 0);
        sums.equal(name, "bytes that its root port has sent against those that came", sent.bytes,
                   c.write_bytes + c.register_bytes);
        sums.equal(name, "bytes delivered against those that the other root port has taken", c.delivered_bytes,
                   taken.bytes);
    }
}

std::string not_conserved(System& system, const RunConfig& config) {
    Sums sums;
    for (std::size_t i = 0; i < system.links(); ++i) {
        const Link& link = system.link(i);
        for (unsigned side = 0; side < 2; ++side) {
            const Node node = config.links[i].between.at(side);
            check_lane(link.from(side), config.links[i].name + " from " + name_of(config, node), sums);
            if (node.kind != Node::Kind::host) continue;
            kit_of(config, node.index)
                .conserve(system.end(node.index), config.names[node.index], link.from(side), link.from(1 - side), sums);
        }
    }
    for (std::size_t i = 0; i < system.switches(); ++i) {
        Switch& of = system.network_switch(i);
        check_switch(of, "switch " + config.switches[i].name, sums);
        if (!config.switches[i].pfc.unchecked && pauses_arrive(config))
            check_lossless(of.logic(), "switch " + config.switches[i].name, sums);
        const std::vector<Routes::Port>& ports = system.routes().ports(i);
        for (std::size_t port = 0; port < ports.size(); ++port) {
            const Link& link = system.link(ports[port].link);
            sums.equal("switch " + config.switches[i].name, "frames that a link has carried to it against those in",
                       link.from(1 - ports[port].side).counters().carried,
                       of.logic().counters(port).in + of.logic().counters(port).pauses_heard + of.arriving(port));
        }
    }
    for (std::size_t i = 0; i < system.bridges(); ++i)
        check_bridge(system.bridge(i), senders_of(config, config.bridges[i]), system.idle(), sums);
    return sums.wrong();
}

}  // namespace rnicsim
