#include "model/rnic/rnic.h"

#include <algorithm>

namespace rnicsim {

Rnic::Rnic(sc_core::sc_module_name name, const RnicConfig& config, const Identity& identity, FramePool& frames,
           PciePool& transactions)
    : sc_module(name),
      wakeup_("wakeup"),
      timers_("timers"),
      tx_(config.transport.ordinary_share),
      pcie("pcie", config.pcie, identity.blocks.dma_engine(config), transactions, host_interface, wakeup_),
      gmac("gmac", identity.blocks.mac(config)),
      filter("frame_filter", identity.blocks.filter(config, identity.own), *this),
      host_interface("host_interface", identity.receive_ring, config.queues.latency, pcie, transport, tx_, frames),
      transport("transport", config.transport, {pcie, host_interface, tx_, frames, identity.own, identity.peer},
                identity.blocks.transport(config), identity.blocks.indirect_buffer(config)),
      follower_(identity.blocks.core(config, identity.own, identity.peer)) {
    gmac.received.bind(filter.in);
    gmac.set_core_observer(follower_.get());
    pcie.set_core_observer(follower_.get());
    transport.set_core_observer(follower_.get());
    host_interface.set_core_observer(follower_.get());

    SC_HAS_PROCESS(Rnic);
    SC_METHOD(cycle);
    sensitive << wakeup_.event() << timers_.event();
    dont_initialize();
}

void Rnic::cycle() {
    const Cycle now = wakeup_.woke();
    timers_.woke();
    transport.run(now);       // 1. the decision that ends in this cycle
    pcie.deliver(now);        // 2. completions and doorbells, in the order of the link
    transmit(now);            // 3. the next frame for the wire
    host_interface.run(now);  // 4. ordinary frames and events to the host, commands from it
    sleep(now);
}

void Rnic::transmit(Cycle now) {
    if (now < gmac.ready_at()) return;
    std::optional<TxChoice> choice = tx_.choose(now);
    if (!choice) return;
    const Cycle end = gmac.transmit(std::move(choice->frame), now);
    if (choice->kind == TxClass::data)
        transport.data_transmitted(end, static_cast<ConnectionTable::Index>(choice->context));
    if (choice->kind == TxClass::ordinary) host_interface.frame_transmitted();
}

void Rnic::sleep(Cycle now) {
    const Cycle transmit_at = tx_.idle() ? kNever : std::max(tx_.next_due(), gmac.ready_at());
    const Cycle next = std::min({transport.plan(now), pcie.next_due(), host_interface.next_due(), transmit_at});
    if (next != kNever) wakeup_.at(next);
    const Cycle deadline = transport.next_deadline();
    if (deadline != kNever && deadline > now) timers_.at(deadline);
}

bool Rnic::idle() const { return transport.idle() && host_interface.idle() && pcie.idle() && tx_.idle(); }

void Rnic::put_drp(FrameRef frame, const DrpHeader& header, Cycle due) {
    transport.put(std::move(frame), header, due);
    wakeup_.at(transport.plan(current_cycle()));
}

void Rnic::finish(Cycle now) {
    if (follower_) follower_->finish(now);
}

void Rnic::put_ordinary(FrameRef frame, Cycle due) {
    if (follower_) follower_->ordinary_frame_received(due, *frame);
    host_interface.put(std::move(frame), due);
    wakeup_.at(due);
}

}  // namespace rnicsim
