// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/end/verbs_end.h"

#include "model/ntb/bridge.h"
#include "model/rnic/rc/end/end_config.h"

#include <algorithm>
#include <vector>

namespace rnicsim {
namespace {

/// The least time between a cycle of the card and the first one in which the host or the wire can reach it.
Cycle lookahead(const RunConfig& run, const rc::CardConfig& card) {
    if (!frames_keep_order(run) || run.tape != nullptr) return Cycle{1};
    const Cycle from_wire = card.clock.cycle(card.wire.serialisation(kMinFrameBytes));
    return std::max(Cycle{1}, std::min(card.pcie.latency, from_wire));
}

/// The card's, and those of its bridges.
std::vector<IioLink> links_of(const RunConfig& run, unsigned host) {
    const VerbsEndConfig& of = verbs_of(run, host);
    std::vector<IioLink> links{{of.card.pcie, of.card.clock}};
    for (const ntb::Config& bridge : run.bridges) {
        if (std::ranges::find(bridge.between, host) != bridge.between.end())
            links.push_back({ntb::Bridge::link_of(bridge, of.host.clock), Clock{kPicosecond}});
    }
    return links;
}

}  // namespace

VerbsEnd::VerbsEnd(sc_core::sc_module_name name, const Environment& environment, std::uint64_t memory_bytes,
                   const rc::CardBlocks& blocks)
    : CardEnd(name),
      host("host", verbs_of(environment.run, environment.host).host, memory_bytes, environment.transactions,
           environment.horizon, {environment.run.seed, environment.run.repetition}, environment.host,
           links_of(environment.run, environment.host)),
      rnic("rnic", verbs_of(environment.run, environment.host).card, environment.host,
           {lookahead(environment.run, verbs_of(environment.run, environment.host).card), environment.horizon},
           environment.frames, environment.transactions, blocks) {
    host.queues.attach(rnic);
    rnic.pcie.set_posted_buffer(host.posted_buffer(0));
    join(host, rnic, environment);
    if (environment.observer == nullptr) return;
    loopback_tap_ = std::make_unique<LoopbackTap>(environment.host, *environment.observer);
    rnic.loopback().set_observer(loopback_tap_.get());
}

void VerbsEnd::join_bridge(ntb::Side& side, unsigned number) {
    const std::uint32_t port = number + 1;  // behind the card
    side.join(host.root_complex, port, host.clock());
    side.set_posted_buffer(host.posted_buffer(port));
}

}  // namespace rnicsim
