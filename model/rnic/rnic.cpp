#include "model/rnic/rnic.h"

#include <algorithm>

namespace rnicsim {

Rnic::Rnic(sc_core::sc_module_name name, const RnicConfig& config, const Identity& identity, const Ahead& ahead,
           FramePool& frames, PciePool& transactions)
    : sc_module(name),
      ahead_(ahead),
      wakeup_("wakeup", config.clock),
      timers_("timers", config.clock),
      tx_(config.transport.ordinary_share),
      own_(identity.own),
      peers_(identity.peers),
      pcie("pcie", config.pcie, identity.blocks.dma_engine(config), transactions, host_interface, wakeup_),
      gmac("gmac", config.clock, identity.blocks.mac(config)),
      filter("frame_filter", identity.blocks.filter(config, identity.own), peers_, *this),
      host_interface("host_interface", identity.receive_ring, config.queues.latency, pcie, transport, tx_, frames),
      transport("transport", config.transport, {pcie, host_interface, tx_, frames, own_, peers_},
                identity.blocks.transport(config), identity.blocks.indirect_buffer(config)),
      // A host without transfers has no peer: its Verilog hears of none.
      follower_(identity.blocks.core(config, own_, identity.peers.empty() ? own_ : peers_[Peer{}])) {
    gmac.received.bind(filter.in);
    gmac.set_core_observer(follower_.get());
    pcie.set_core_observer(follower_.get());
    transport.set_core_observer(follower_.get());
    host_interface.set_core_observer(follower_.get());

    SC_HAS_PROCESS(Rnic);
    SC_METHOD(wake);
    wakeup_.wakes(sensitive);
    timers_.wakes(sensitive);
    dont_initialize();
}

/// Acts in this cycle, and in the following ones as long as no other module can reach it in them.
void Rnic::wake() {
    const Cycle kernel = wakeup_.woke();
    timers_.passed(kernel);
    if (kernel <= now_) return sleep(next_work(), next_deadline());  // this cycle is done already
    const Cycle reached = kernel + ahead_.lookahead;
    now_ = kernel;
    while (true) {
        cycle();
        const Cycle work = next_work();
        const Cycle deadline = next_deadline();
        const Cycle next = std::min(work, deadline);
        if (next > now_ && (next >= reached || !ahead_.horizon.covers(wakeup_.clock().time(next))))
            return sleep(work, deadline);
        now_ = std::max(now_, next);
    }
}

void Rnic::cycle() {
    pcie.deliver(now_ - Cycle{1});  // 1. payload that has arrived since the last step, while the wire was busy
    transport.run(now_);            // 2. the decision that ends in this cycle
    pcie.deliver(now_);             // 3. completions and doorbells, in the order of the link
    transmit();                     // 4. the next frame for the wire
    host_interface.run(now_);       // 5. ordinary frames and events to the host, commands from it
}

void Rnic::transmit() {
    if (now_ < tx_.free_at()) return;
    std::optional<TxChoice> choice = tx_.choose(now_);
    if (!choice) return;
    const Cycle end = gmac.transmit(std::move(choice->frame), now_);
    tx_.wire_taken(gmac.ready_at());
    if (choice->kind == TxClass::data)
        transport.data_transmitted(end, static_cast<ConnectionTable::Index>(choice->context));
    if (choice->kind == TxClass::ordinary) host_interface.frame_transmitted();
}

Cycle Rnic::next_work() {
    return std::min({transport.plan(now_), pcie.next_due(), host_interface.next_due(), tx_.next_due()});
}

/// One that has passed is in the transport's plan.
Cycle Rnic::next_deadline() const {
    const Cycle deadline = transport.next_deadline();
    return deadline > now_ ? deadline : kNever;
}

void Rnic::sleep(Cycle work, Cycle deadline) {
    wakeup_.sleep_until(work);
    if (deadline != kNever) timers_.at(deadline);
}

bool Rnic::idle() const { return transport.idle() && host_interface.idle() && pcie.idle() && tx_.idle(); }

void Rnic::put_drp(FrameRef frame, const DrpHeader& header, Cycle due) {
    transport.put(std::move(frame), header, due);
    wakeup_.at(transport.plan(std::max(now_, wakeup_.now())));
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
