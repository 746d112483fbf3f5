// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/drp_rnic.h"

#include <algorithm>

namespace rnicsim {

DrpRnic::DrpRnic(sc_core::sc_module_name name, const RnicConfig& config, const Identity& identity, const Ahead& ahead,
                 FramePool& frames, PciePool& transactions)
    : Rnic(name, config.clock, config.pcie, {identity.blocks.dma_engine(config), identity.blocks.mac(config)}, ahead,
           transactions),
      tx_(config.transport.ordinary_share),
      own_(identity.own),
      peers_(identity.peers),
      filter("frame_filter", identity.blocks.filter(config, identity.own), peers_, *this),
      host_interface("host_interface", identity.receive_ring, config.queues.latency, pcie, transport, tx_, frames),
      transport("transport", config.transport, {pcie, host_interface, tx_, frames, own_, peers_},
                identity.blocks.transport(config), identity.blocks.indirect_buffer(config)),
      // A host without transfers has no peer: its Verilog hears of none.
      follower_(identity.blocks.core(config, own_, identity.peers.empty() ? own_ : peers_[Peer{}])) {
    gmac.received.bind(filter.in);
    gmac.set_observer(follower_.get());
    pcie.set_observer(follower_.get());
    transport.set_core_observer(follower_.get());
    host_interface.set_core_observer(follower_.get());
}

void DrpRnic::cycle(Cycle now) {
    pcie.deliver(now - Cycle{1});  // 1. payload that has arrived since the last step, while the wire was busy
    transport.run(now);            // 2. the decision that ends in this cycle
    pcie.deliver(now);             // 3. completions and doorbells, in the order of the link
    transmit(now);                 // 4. the next frame for the wire
    host_interface.run(now);       // 5. ordinary frames and events to the host, commands from it
}

void DrpRnic::transmit(Cycle now) {
    if (now < tx_.free_at()) return;
    std::optional<TxChoice> choice = tx_.choose(now);
    if (!choice) return;
    const Cycle end = gmac.transmit(std::move(choice->frame), now);
    tx_.wire_taken(gmac.ready_at());
    if (choice->kind == TxClass::data)
        transport.data_transmitted(end, static_cast<ConnectionTable::Index>(choice->context));
    if (choice->kind == TxClass::ordinary) host_interface.frame_transmitted();
}

Rnic::Due DrpRnic::next_due(Cycle now) {
    const Cycle work = std::min({transport.plan(now), pcie.next_due(), host_interface.next_due(), tx_.next_due()});
    const Cycle deadline = transport.next_deadline();
    return {work, deadline > now ? deadline : kNever};  // one that has passed is in the transport's plan
}

void DrpRnic::register_write(Cycle /*now*/, std::uint64_t offset, std::span<const std::uint8_t> bytes) {
    host_interface.register_write(offset, bytes);
}

bool DrpRnic::idle() const { return transport.idle() && host_interface.idle() && pcie.idle() && tx_.idle(); }

void DrpRnic::put_drp(FrameRef frame, const DrpHeader& header, Cycle due) {
    transport.put(std::move(frame), header, due);
    wake_at(transport.plan(present()));
}

void DrpRnic::finish(Cycle now) {
    if (follower_) follower_->finish(now);
}

void DrpRnic::put_ordinary(FrameRef frame, Cycle due) {
    if (follower_) follower_->ordinary_frame_received(due, *frame);
    host_interface.put(std::move(frame), due);
    wake_at(due);
}

}  // namespace rnicsim
