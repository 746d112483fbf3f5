// SPDX-License-Identifier: Apache-2.0
#include "model/host/persistence/iio_arrivals.h"

#include "tlm/pcie/address_map.h"
#include "tlm/pcie/tlp_count.h"

#include <algorithm>
#include <cassert>

namespace rnicsim {

IioArrivals::IioArrivals(std::span<const IioLink> links, std::span<const Into> stages) {
    assert(links.size() == stages.size());
    for (std::size_t i = 0; i < links.size(); ++i) ports_.push_back(std::make_unique<Port>(*this, links[i], stages[i]));
}

Time IioArrivals::next() const {
    Time first = kEndOfTime;
    for (const auto& port : ports_) first = std::min(first, port->next());
    return first;
}

void IioArrivals::settle(Time now) {
    for (;;) {
        Port* first = ports_.front().get();
        for (const auto& port : ports_)
            if (port->next() < first->next()) first = port.get();
        if (first->next() > now || first->next() == kEndOfTime) return;
        first->come();
    }
}

IioArrivals::Port::Port(IioArrivals& all, const IioLink& link, const Into& into)
    : all_(all),
      into_(into),
      clock_(link.clock),
      latency_(link.clock.time(link.pcie.latency)),
      direction_(link.pcie.generation, link.pcie.lanes) {}

PostedBuffer::Taken IioArrivals::Port::write(Time arrives, std::uint64_t address, std::uint32_t bytes,
                                             TlpAttributes attributes) {
    put({Tlp::Kind::write, arrives, address, bytes, memory_write_link_bytes(address, bytes), attributes});
    return {behind_all(arrives), kEndOfTime, 0};
}

PostedBuffer::Taken IioArrivals::Port::interrupt(Time arrives, TlpAttributes attributes) {
    put({Tlp::Kind::interrupt, arrives, 0, 0, memory_write_link_bytes(kInterrupts, 4), attributes});
    return {behind_all(arrives), kEndOfTime, 0};
}

Time IioArrivals::Port::read_may_start(Time arrives, TlpAttributes attributes, std::uint32_t link_bytes) {
    put({Tlp::Kind::read, arrives, 0, 0, link_bytes, attributes});
    return kEndOfTime;
}

void IioArrivals::Port::put(const Tlp& tlp) {
    waiting_.push(tlp);
    waiting_lengths_ += direction_.length(tlp.link_bytes);
}

/// Of the one that was put there last, as far as is known by now.
Time IioArrivals::Port::behind_all(Time arrives) const {
    if (stopped_ == kNotStopped) return arrives;
    return std::max(arrives, clock_.time(clock_.edge(stopped_ + waiting_lengths_)) + latency_);
}

/// What has been stopped follows the last one that was, without a gap; or it comes as if nothing had been.
Time IioArrivals::Port::arrival(const Tlp& tlp) const {
    if (stopped_ == kNotStopped) return tlp.arrives;
    return std::max(tlp.arrives, clock_.time(clock_.edge(sent(tlp))) + latency_);
}

void IioArrivals::Port::come() {
    const Tlp tlp = waiting_.pop();
    waiting_lengths_ = waiting_lengths_ - direction_.length(tlp.link_bytes);
    const Time at = arrival(tlp);
    IioStage& stage = *into_.stage;
    Arrived arrived{at, {}, 0};
    if (tlp.kind == Tlp::Kind::read) {
        arrived.left = stage.read_may_start(into_.of, at, tlp.attributes);
    } else {
        const Taken taken = tlp.kind == Tlp::Kind::write
                                ? stage.write(into_.of, at, tlp.address, tlp.bytes, tlp.attributes)
                                : stage.interrupt(into_.of, at, tlp.attributes);
        arrived = {taken.accepted, taken.left, taken.number};
    }
    if (stopped_ != kNotStopped) stopped_ = sent(tlp);
    if (arrived.at > at) stopped_ = std::max(stopped_, arrived.at - latency_);
    come_.push(arrived);
}

PostedBuffer::Arrived IioArrivals::Port::arrived(Time now, std::uint32_t told) {
    all_.settle(now);
    for (; asked_for_ != told && !come_.empty(); ++asked_for_) last_ = come_.pop();
    if (asked_for_ != told) return {next(), {}, 0};
    if (last_.at <= now) asked_for_ = 0;
    return last_;
}

}  // namespace rnicsim
