// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/rc_rnic.h"

#include "model/rnic/rc/rate_mac.h"
#include "tlm/ethernet/pause_frame.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace rnicsim::rc {

RcRnic::RcRnic(sc_core::sc_module_name name, const CardConfig& config, unsigned host, const Ahead& ahead,
               FramePool& frames, PciePool& transactions, const CardBlocks& blocks)
    : Rnic(name, config.clock, config.pcie,
           {std::make_unique<QueuedDma>(config.pcie, dma_),
            std::make_unique<RateMac>(config.gmac, config.wire, config.clock)},
           ahead, transactions),
      clock_(config.clock),
      rx_latency_(config.gmac.rx_latency),
      frames_(frames),
      checks_(blocks.request_check(config)),
      psns_(blocks.responder_psn(config)),
      transport_(config.transport, *checks_, *psns_),
      lines_(config.cache, transport_.regions(), line_dma_, *this),
      line_dma_(pcie, frames, lines_),
      queues_(config.clock, config.qp_interval, config.transport.receive_batch, pcie, frames, lines_, transport_,
              *this),
      completions_(pcie, frames, lines_, config.clock, {false, config.transport.persist.relaxed_cqe, 0}),
      icrc_(blocks.icrc(config)),
      parser_(blocks.packet_parser(config)),
      builder_(blocks.packet_builder(config)),
      receiver_(config, host, pcie, dma_, frames, lines_, transport_, *icrc_, *parser_, *this),
      loopback_(config.wire, config.clock, config.loopback, receiver_),
      sender_(config, host, pcie, frames, transport_, queues_, loopback_, *icrc_, *builder_, *this),
      atomics_(config.clock, config.atomic_busy, config.atomics_by_address, pcie, frames, transport_),
      persists_(config.transport.persist, config.clock, pcie, frames, transport_, *this, blocks.persist_module(config)),
      has_firmware_(config.transport.persist.firmware != Time{}) {
    in_.bind(*this);
    gmac.received.bind(in_);
}

void RcRnic::add_ethernet(const EthernetRings& rings, const Interrupts& interrupts) {
    ethernet_ = std::make_unique<EthernetPort>(rings, clock_.edge(interrupts.moderation), pcie, frames_);
    if (interrupts.wanted) ethernet_->arm({}, 0);
    sender_.attach(*ethernet_);
    receiver_.attach(*ethernet_);
}

void RcRnic::write_ethernet(Cycle now, std::uint64_t offset, std::uint32_t value) {
    if (offset == page::kEthernetSend) ethernet_->doorbell(now, value);
    if (offset == page::kEthernetReceive) ethernet_->add_buffers(value);
    if (offset == page::kEthernetArm) ethernet_->arm(now, value);
}

ReceiveQueueNumber RcRnic::create_receive_queue(const ReceiveRing& ring, bool shared) {
    const ReceiveQueueNumber number = transport_.create_receive_queue(shared);
    queues_.add_receive_ring(number, ring);
    return number;
}

Qpn RcRnic::create_qp(const QpInit& init, const SendRing& ring) {
    const std::optional<Qpn> qp = transport_.create_qp(clock_.time(acting_), init);
    if (!qp) throw std::logic_error("no QPN is free");
    queues_.add_send_ring(*qp, ring);
    lines_.add_qp(*qp);
    return *qp;
}

ModifyError RcRnic::modify_qp(Qpn qp, QpState to, AttributeMask mask, const QpAttributes& values) {
    const ModifyError error = transport_.modify_qp(clock_.time(acting_), qp, to, mask, values, *this);
    if (error != ModifyError::none || to != QpState::reset) return error;
    queues_.restart(qp);
    persists_.drop(qp);
    const ReceiveQueueNumber receives = transport_.qp(qp)->init.receive_queue;
    if (!transport_.receive_queue(receives).shared()) queues_.restart(receives);
    return error;
}

std::uint32_t RcRnic::add_region(Pd pd, const Range& range, Access access, PageSize page) {
    const std::optional<std::uint32_t> key = add_region(pd, range, access, page, range.address);
    if (!key) throw std::logic_error("no region is free");
    return *key;
}

std::optional<std::uint32_t> RcRnic::add_region(Pd pd, const Range& range, Access access, PageSize page,
                                                std::uint64_t bus) {
    if (!lines_.has_room(LineKind::region)) return {};
    transport_.regions().set_most_page_entries(lines_.most_page_entries());
    const std::optional<std::uint32_t> key = transport_.regions().add(pd, range, access, page, bus);
    if (key) lines_.add_region(*key);
    return key;
}

bool RcRnic::change_region(std::uint32_t key, Pd pd, const Range& range, Access access, PageSize page,
                           std::uint64_t bus) {
    transport_.regions().set_most_page_entries(lines_.most_page_entries());
    if (!transport_.regions().change(key, pd, range, access, page, bus)) return false;
    lines_.add_region(key);  // for its new entries in the MTT
    return true;
}

void RcRnic::connect(Qpn qp, const QpAttributes& attributes) {
    const Service service = transport_.qp(qp)->init.service;
    QpState from = QpState::reset;
    for (const QpState to : {QpState::init, QpState::rtr, QpState::rts}) {
        const AttributeMask mask = needed_attributes(service, from, to);
        if (transport_.modify_qp({}, qp, to, mask, attributes, *this) != ModifyError::none)
            throw std::logic_error("attributes of a QP");
        from = to;
    }
}

void RcRnic::cycle(Cycle now) {
    acting_ = now;
    pcie.deliver(now);                             // 1. doorbells, WQEs and payload, in the order of the link
    transport_.on_timer(clock_.time(now), *this);  // 2. timers
    const bool receives_came = queues_.run(now);   // 3. WQEs whose time has come
    const bool room_came = persists_.run(now);     //    what is durable
    while (told_.ready(now)) write_cqe(told_.pop());
    if (receives_came || room_came) receiver_.retry(now);
    receiver_.run(now);  // 4. the next packet that has come
    atomics_.run(now);   // 5. the next atomic
    if (ethernet_ != nullptr) ethernet_->run(now);
    while (!overrun_.empty()) {  // 6. CQs that were full
        const Cqn full = overrun_.back();
        overrun_.pop_back();
        transport_.on_cq_full(clock_.time(now), full, *this);
    }
    sender_.wanted();
    sender_.decide(now);          // 7. the next packet to send
    sender_.transmit(now, gmac);  // 8. the next frame for the wire, or the card itself
}

Rnic::Due RcRnic::next_due(Cycle now) {
    const Cycle work = std::min({pcie.next_due(), queues_.next_due(), receiver_.next_due(), atomics_.next_due(),
                                 persists_.next_due(), told_.next_due(), sender_.next_due(now)});
    const Time deadline = transport_.next_deadline();
    if (!overrun_.empty()) return {now + Cycle{1}, kNever};  // by a packet that was taken by the MAC at last
    return {work, deadline == kEndOfTime ? kNever : std::max(clock_.edge(deadline), now + Cycle{1})};
}

void RcRnic::register_write(Cycle now, std::uint64_t offset, std::span<const std::uint8_t> bytes) {
    acting_ = now;
    if (offset >= page::kPush) return queues_.push(now, bytes);
    const std::uint32_t first = boost::endian::load_little_u32(bytes.data());
    const std::uint32_t second = boost::endian::load_little_u32(bytes.data() + 4);
    if (offset == page::kSend) queues_.doorbell(now, Qpn{first}, second);
    if (offset == page::kArm) completions_.arm(now, first, second);
    if (offset == page::kAdmin && !commands_.empty()) {
        const Command command = std::move(commands_.front());
        commands_.pop_front();
        command(now);
    }
    if (offset == page::kLimit) transport_.arm_limit(ReceiveQueueNumber{first}, second, *this);
    if (ethernet_ != nullptr) write_ethernet(now, offset, first);
}

void RcRnic::put(FrameRef frame, Cycle due) {
    if (const auto pause = read_pause_frame(*frame)) {
        ++pauses_heard_;
        sender_.paused(*pause, clock_.time(due - rx_latency_));
        return wake_at(due);
    }
    const Cycle at = receiver_.put(std::move(frame), due);
    if (at != kNever) wake_at(at);
}

void RcRnic::persist(const PersistJob& job) {
    if (!transport_.config().persist.read_bypass)
        return persists_.ask(job, std::max(acting_, receiver_.posted_until()));
    persists_.ask(job, acting_);
    persists_.issue(acting_);  // before the bytes that are placed next
}

/// Firmware tells of a WRITE_PERSIST by a step; receive WQEs complete in their order.
void RcRnic::complete(const Completion& completion) {
    const bool by_firmware = completion.receive && completion.verb == Verb::write_persist && has_firmware_;
    if (by_firmware) return told_.push(completion, persists_.step(acting_));
    if (completion.receive && !told_.empty()) return told_.push(completion, persists_.free_at());
    write_cqe(completion);
}

void RcRnic::write_cqe(const Completion& completion) {
    if (!completions_.write(acting_, completion)) overrun_.push_back(completion.cq);
}

/// The host hears of an SRQ's limit alone, by an interrupt that says all: it has armed it.
void RcRnic::event(const AsyncEvent& event) {
    events_.push_back(event);
    if (event.kind == EventKind::srq_limit_reached)
        pcie.interrupt(acting_, page::kLimitVector | static_cast<std::uint32_t>(event.srq));
}

void RcRnic::line_came(Cycle now, LineUser user, std::uint32_t of) {
    acting_ = now;
    switch (user) {
        case LineUser::work_queue: return queues_.line_came(now, Qpn{of});
        case LineUser::receiver: return receiver_.line_came(now, Qpn{of});
        case LineUser::cq: return completions_.line_came(now, Cqn{of});
        case LineUser::request_lane:
        case LineUser::answer_lane: return transport_.on_at_hand(Qpn{of});
    }
}

bool RcRnic::idle() const {
    return lines_.idle() && pcie.idle() && queues_.idle() && receiver_.idle() && sender_.idle() && atomics_.idle() &&
           persists_.idle() && told_.empty() && (ethernet_ == nullptr || ethernet_->idle()) &&
           !transport_.has_to_send();
}

}  // namespace rnicsim::rc
