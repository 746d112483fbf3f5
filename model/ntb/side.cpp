// SPDX-License-Identifier: Apache-2.0
// What crosses a bridge: to a window, to registers, or nowhere.
#include "model/ntb/side.h"

#include "model/host/root_complex.h"
#include "model/ntb/bridge.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

namespace rnicsim::ntb {
namespace {

Cycle in_ps(Time at) { return {at.ps}; }
Time of_ps(Cycle at) { return at == kNever ? kEndOfTime : Time{at.n}; }

std::span<const std::uint8_t> bytes_of(const tlm::tlm_generic_payload& transaction) {
    return {transaction.get_data_ptr(), transaction.get_data_length()};
}

}  // namespace

Side::Side(sc_core::sc_module_name name, Bridge& bridge, unsigned number)
    : sc_module(name),
      bridge_(bridge),
      number_(number),
      answering_(bridge.config_.generation, bridge.config_.lanes),
      credits_(bridge.config_.credits) {
    downstream.register_nb_transport_fw(this, &Side::from_host);
    upstream.register_nb_transport_bw(this, &Side::completed);
}

Side& Side::other() { return bridge_.side(1 - number_); }

void Side::join(RootComplex& host, std::uint32_t port, const Clock& clock) {
    port_ = &host.port(port);
    clock_ = clock;
    registers_at_ = host.map.add_bar(port, 0, kRegisterBytes);
    for (std::uint32_t i = 0; i < bridge_.config_.windows; ++i) {
        const std::uint64_t size = bridge_.config_.window;
        registers_.place(i, host.map.add_bar(port, 2 + 2 * i, size), size);
    }
    port_->downstream.bind(downstream);
    upstream.bind(port_->upstream);
    port_->set_gate(*this);
    port_->set_posted_target(*this);
}

tlm::tlm_sync_enum Side::from_host(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& /*phase*/,
                                   sc_core::sc_time& delay) {
    const Time arrives = current_time() + to_time(delay), due = arrives + bridge_.config_.translate * 2;
    if (bridge_.observer_ != nullptr) report_sent(transaction, arrives);
    crossing_.push({&transaction, &tlp(transaction)}, in_ps(due));
    bridge_.wakeup_.at(due);
    return tlm::TLM_ACCEPTED;
}

/// The host has answered a load of the other one. It shares the link, and its order, with what the host sends.
tlm::tlm_sync_enum Side::completed(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay) {
    return from_host(transaction, phase, delay);
}

Time Side::next_due() const { return std::min({of_ps(crossing_.next_due()), of_ps(answers_.next_due()), retry_at_}); }

void Side::act(Time now) {
    if (of_ps(crossing_.next_due()) <= now) {
        cross(now, crossing_.pop());
    } else if (of_ps(answers_.next_due()) <= now) {
        const Tlp answer = answers_.pop();
        other().report(answer, Observer::Crossed::delivered);
        complete_load(now, answer);
    } else {
        retry_at_ = kEndOfTime;
        port_->credits_back(clock_.edge(now));
    }
}

void Side::cross(Time now, const Tlp& of) {
    switch (of.extension->kind) {
        case TlpKind::load: load(now, of); break;
        case TlpKind::memory_read:
            report(of, bridge_.up_ ? Observer::Crossed::delivered : Observer::Crossed::dropped);
            if (bridge_.up_) {
                other().complete_load(now, of);
            } else {
                ++crossed_.dropped;
                of.transaction->release();
            }
            break;
        case TlpKind::memory_write:
        case TlpKind::message_signalled_interrupt:  // no host sends one down
            write(now, of);
            break;
    }
}

void Side::write(Time now, const Tlp& of) {
    tlm::tlm_generic_payload& transaction = *of.transaction;
    const std::uint32_t tlps = of.extension->count.tlps, bytes = transaction.get_data_length();
    const std::uint64_t address = transaction.get_address();
    if (!is_register(address)) {
        crossed_.writes += tlps;
        crossed_.write_bytes += bytes;
        if (bytes < kMostPosted) crossed_.partial += tlps;
        if (!bridge_.up_) {
            crossed_.dropped += tlps;
            crossed_.lost += tlps;
            report(of, Observer::Crossed::dropped);
        } else if (const auto there = translate(address, bytes, tlps)) {
            crossed_.delivered += tlps;
            crossed_.delivered_bytes += bytes;
            transaction.set_address(*there);
            report(of, Observer::Crossed::delivered);
            return other().deliver_write(now, of);
        } else {
            crossed_.refused += tlps;
            report(of, Observer::Crossed::refused);
        }
    } else {
        crossed_.register_writes += tlps;
        crossed_.register_bytes += bytes;
        report(of, Observer::Crossed::taken_by_registers);
        write_register(now, address - registers_at_, bytes_of(transaction));
    }
    other().taken(now, tlps, bytes);
    transaction.release();
}

std::optional<std::uint64_t> Side::translate(std::uint64_t address, std::uint32_t bytes, std::uint32_t tlps) {
    for (const Window& window : registers_.windows())
        if (const auto there = window.translate(address, bytes)) return there;
    registers_.missed();
    crossed_.unsupported += tlps;
    return std::nullopt;
}

void Side::load(Time now, const Tlp& of) {
    tlm::tlm_generic_payload& transaction = *of.transaction;
    const std::uint32_t bytes = transaction.get_data_length();
    const std::uint64_t address = transaction.get_address();
    if (is_register(address)) {
        const bool there =
            registers_.read(address - registers_at_, {transaction.get_data_ptr(), bytes}, other().registers_);
        report(of, there ? Observer::Crossed::taken_by_registers : Observer::Crossed::refused);
        if (!there) ++crossed_.unsupported;
        return answer(now, of, there);
    }
    ++crossed_.reads;
    if (!bridge_.up_) {  // it times out at the port
        ++crossed_.dropped;
        report(of, Observer::Crossed::dropped);
        return transaction.release();
    }
    const auto there = translate(address, bytes, 1);
    if (!there) {
        report(of, Observer::Crossed::refused);
        return answer(now, of, false);
    }
    transaction.set_address(*there);
    report(of, Observer::Crossed::delivered);
    of.extension->kind = TlpKind::memory_read;
    other().deliver_read(now, of);
}

void Side::write_register(Time now, std::uint64_t at, std::span<const std::uint8_t> bytes) {
    const bool is_scratchpad =
        at >= offset::kScratchpads && at < offset::kScratchpads + sizeof(std::uint32_t) * Registers::kScratchpads;
    if (is_scratchpad && now < bridge_.stuck_until_) return;
    const std::optional<Registers::Effect> effect = registers_.write(at, bytes);
    if (!effect) {
        ++crossed_.unsupported;
    } else if (const auto* unmasked = std::get_if<Registers::Unmasked>(&*effect)) {
        interrupt(now, unmasked->bit);
    } else if (std::holds_alternative<std::monostate>(*effect)) {
        return;
    } else if (!bridge_.up_) {
        ++crossed_.dropped;
    } else if (const auto* doorbell = std::get_if<Registers::Doorbell>(&*effect)) {
        ++crossed_.doorbells;
        if (other().registers_.ring(doorbell->bit)) other().interrupt(now, doorbell->bit);
    } else {
        other().registers_.set_scratchpad(std::get<Registers::Scratchpad>(*effect));
    }
}

/// By the bridge itself: the completion goes back over the link.
void Side::answer(Time now, const Tlp& of, bool there) {
    const std::uint32_t bytes = of.transaction->get_data_length();
    of.transaction->set_response_status(there ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    of.extension->count = there ? TlpCount{1, kCompletionLinkBytes + bytes} : TlpCount{1, kCompletionLinkBytes};
    const Time left = answering_.send(now, of.extension->count.link_bytes);
    of.extension->kind = TlpKind::memory_read;  // a completion, as of the other host
    if (bridge_.observer_ != nullptr) bridge_.observer_->bridge_sent(other().way(), *of.transaction, left);
    const Time due = left + bridge_.config_.latency + bridge_.config_.translate * 2;
    answers_.push(of, in_ps(due));
    bridge_.wakeup_.at(due);
}

/// Up to this side's host, which has asked.
void Side::complete_load(Time now, const Tlp& of) {
    TlpExtension& extension = *of.extension;
    extension.kind = TlpKind::load;
    extension.left = {};
    if (buffer_ != nullptr && !extension.attributes.relaxed_ordering)
        extension.left = buffer_->read_may_start(now, extension.attributes, extension.count.link_bytes);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    downstream->nb_transport_bw(*of.transaction, phase, delay);
}

void Side::deliver(const Tlp& of) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    upstream->nb_transport_fw(*of.transaction, phase, delay);
}

void Side::deliver_write(Time now, const Tlp& of) {
    std::uint64_t address = of.transaction->get_address();
    for (std::uint32_t left = of.transaction->get_data_length(); buffer_ != nullptr && left != 0;) {
        const std::uint32_t bytes = first_tlp_bytes(address, left, bridge_.config_.max_payload);
        buffer_->write(now, address, bytes, of.extension->attributes);
        address += bytes;
        left -= bytes;
    }
    deliver(of);
}

void Side::deliver_read(Time now, const Tlp& of) {
    if (buffer_ != nullptr)
        of.extension->left = buffer_->read_may_start(now, of.extension->attributes, of.extension->count.link_bytes);
    deliver(of);
}

/// Behind what has been delivered before.
void Side::interrupt(Time now, std::uint32_t bit) {
    ++other().crossed_.interrupts;
    const auto vector = std::bit_cast<std::array<std::uint8_t, 4>>(first_vector_ + bit);
    const auto [transaction, extension] =
        bridge_.pool_.take_posted(TlpKind::message_signalled_interrupt, kInterrupts, vector);
    extension.count = memory_write_tlps(kInterrupts, vector.size(), bridge_.config_.max_payload);
    if (buffer_ != nullptr) buffer_->interrupt(now, extension.attributes);
    other().report({&transaction, &extension}, Observer::Crossed::delivered);
    deliver({&transaction, &extension});
}

/// Of a rate below the link's: nothing begins before what went before it is over at that rate.
bool Side::take(Time now, std::uint32_t tlps, std::uint32_t bytes) {
    const Credits::Amount amount = Credits::of(tlps, bytes);
    if (now < rate_free_) {
        wait_until(rate_free_);
        return false;
    }
    if (!credits_.take(now, amount)) {
        ++crossed_.credit_stalls;
        lacks_ = true;
        wait_until(credits_.next());
        return false;
    }
    lacks_ = false;
    const std::int64_t rate = bridge_.config_.rate;
    // The port comes at an edge of its clock: what it has waited for that is not lost.
    if (rate != 0)
        rate_free_ = std::max(now - clock_.period(), rate_free_) + Time{std::int64_t{bytes} * 8 * kSecond.ps / rate};
    return true;
}

void Side::act_before_host(Time now) { bridge_.act(now); }

Observer::Crossing Side::way() const {
    const std::array<unsigned, 2>& hosts = bridge_.config_.between;
    return {bridge_.number_, hosts[number_], hosts[1 - number_]};
}

/// The link's latency follows the last byte, in whole cycles of the host (link_of()).
void Side::report_sent(tlm::tlm_generic_payload& transaction, Time arrives) const {
    bridge_.observer_->bridge_sent(way(), transaction, arrives - clock_.time(clock_.edge(bridge_.config_.latency)));
}

void Side::report(const Tlp& of, Observer::Crossed how) const {
    if (bridge_.observer_ != nullptr) bridge_.observer_->bridge_crossed(way(), *of.transaction, how);
}

void Side::wait_until(Time at) {
    if (at == kEndOfTime) return;  // who gives credits says when
    retry_at_ = clock_.time(clock_.edge(at));
    bridge_.wakeup_.at(retry_at_);
}

/// This side's host has taken what came from the other one: an UpdateFC says so there.
void Side::taken(Time left, std::uint32_t tlps, std::uint32_t bytes) {
    const Time update = answering_.length(kDllpBytes) + bridge_.config_.latency;
    Side& sender = other();
    sender.credits_.give(left + update, Credits::of(tlps, bytes));
    if (bridge_.observer_ != nullptr) bridge_.observer_->bridge_credits(sender.way(), tlps, bytes, left, left + update);
    if (std::exchange(sender.lacks_, false)) sender.wait_until(sender.credits_.next());
}

}  // namespace rnicsim::ntb
