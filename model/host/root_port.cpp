// SPDX-License-Identifier: Apache-2.0
#include "model/host/root_port.h"

#include "model/host/root_complex.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace rnicsim {
namespace {

std::uint32_t vector_of(const tlm::tlm_generic_payload& msi) {
    std::uint32_t vector = 0;
    std::memcpy(&vector, msi.get_data_ptr(), sizeof vector);
    return vector;
}

}  // namespace

std::span<const std::uint8_t> all_ones(std::uint32_t bytes) {
    static constexpr auto kOnes = [] {
        std::array<std::uint8_t, kMostPosted> ones{};
        for (std::uint8_t& one : ones) one = 0xFF;
        return ones;
    }();
    return std::span(kOnes).first(bytes);
}

RootPort::RootPort(sc_core::sc_module_name name, const PcieConfig& link, const RootPortConfig& config, PciePool& pool,
                   RootComplex& host, ClockedWakeup& wakeup, const Horizon& horizon)
    : sc_module(name),
      config_(config),
      link_(link),
      pool_(pool),
      host_(host),
      wakeup_(wakeup),
      horizon_(horizon),
      direction_(link.generation, link.lanes) {
    upstream.register_nb_transport_fw(this, &RootPort::from_device);
    downstream.register_nb_transport_bw(this, &RootPort::completes);
    loads_.resize(config_.tags);
    for (std::uint32_t tag = config_.tags; tag != 0; --tag) free_tags_.push_back(tag - 1);
}

tlm::tlm_sync_enum RootPort::from_device(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& /*phase*/,
                                         sc_core::sc_time& delay) {
    const Time arrives = current_time() + to_time(delay);
    const Cycle due = wakeup_.clock().edge(arrives);
    if (from_device_.empty() && next_other_ > due && horizon_.covers(arrives) && host_.rests_until(due)) {
        serve({due, delay}, transaction);  // nothing can come before it
    } else {
        from_device_.push(&transaction, due);
        wakeup_.at(due);
    }
    return tlm::TLM_ACCEPTED;
}

void RootPort::deliver_next(Cycle now) {
    if (link_due() < next_other_) {
        serve_link(now);
    } else {
        serve_other(now);
    }
}

/// Something else is due no later than what comes up the link.
void RootPort::serve_other(Cycle now) {
    if (next_waiting_ == next_other_) {
        serve_waiting();
    } else if (link_due() == next_other_) {
        serve_link(now);
    } else if (next_of_cores_ == next_other_) {
        act_for_cores(now);
    } else {
        time_out(now);
    }
}

void RootPort::set_next_other() { next_other_ = std::min({next_waiting_, next_of_cores_, deadlines_.next_due()}); }

/// False: a full buffer has stopped the link.
bool RootPort::has_arrived(Cycle now) {
    TlpExtension& extension = tlp(*from_device_.front());
    if (extension.kind == TlpKind::load && extension.attributes.relaxed_ordering) return true;  // was not told
    const Time at = wakeup_.clock().time(now);
    const std::uint32_t told = extension.kind == TlpKind::memory_write ? extension.count.tlps : 1;
    const PostedBuffer::Arrived arrived = arrivals_->arrived(at, told);
    if (arrived.at > at) {
        stopped_until_ = wakeup_.clock().edge(arrived.at);
        wakeup_.at(stopped_until_);
        return false;
    }
    stopped_until_ = {};
    extension.left = arrived.left;
    extension.last_line = arrived.number;
    return true;
}

void RootPort::serve(const Moment& now, tlm::tlm_generic_payload& transaction) {
    TlpExtension& extension = tlp(transaction);
    direction_.send(wakeup_.clock().time(now.cycle), extension.count.tlps * kDllpBytes);  // their Ack DLLPs
    switch (extension.kind) {
        case TlpKind::memory_write:
            host_.access(now.ahead, transaction);
            if (transaction.is_response_error()) write_elsewhere(now, transaction, extension);
            if (posted_target_ != nullptr) tell_taken(now, transaction, extension);
            transaction.release();
            break;
        case TlpKind::memory_read:
            if (buffered_ && extension.left > wakeup_.clock().time(now.cycle)) {
                wait(wakeup_.clock().edge(extension.left), transaction);
            } else {
                complete(now, transaction, extension);
            }
            break;
        case TlpKind::message_signalled_interrupt:
            interrupt(now, transaction, extension);
            transaction.release();
            break;
        case TlpKind::load:
            if (buffered_ && extension.left > wakeup_.clock().time(now.cycle)) {
                wait(wakeup_.clock().edge(extension.left), transaction);
            } else {
                load_done(now.cycle, transaction);
            }
            break;
    }
}

/// One that is held until something pushes it gives its place back at once: nobody knows when that is.
void RootPort::tell_taken(const Moment& now, const tlm::tlm_generic_payload& transaction,
                          const TlpExtension& extension) {
    const Time at = wakeup_.clock().time(now.cycle);
    writes_taken_.tlps += extension.count.tlps;
    writes_taken_.bytes += transaction.get_data_length();
    const bool leaves = buffered_ && extension.left > at && extension.left != kEndOfTime;
    posted_target_->taken(leaves ? extension.left : at, extension.count.tlps, transaction.get_data_length());
}

void RootPort::interrupt(const Moment& now, const tlm::tlm_generic_payload& msi, const TlpExtension& extension) {
    host_.interrupt(buffered_ ? std::max(now.cycle, wakeup_.clock().edge(extension.left)) : now.cycle, vector_of(msi));
}

/// Not to memory: an MSI that its device does not call one, or nothing. A request goes to one place as a whole.
void RootPort::write_elsewhere(const Moment& now, const tlm::tlm_generic_payload& transaction,
                               const TlpExtension& extension) {
    const std::uint64_t address = transaction.get_address();
    const std::uint32_t bytes = transaction.get_data_length();
    const AddressRange* const there = host_.map.find(address, bytes);
    if (there != nullptr && there->kind == AddressKind::msi && bytes == sizeof(std::uint32_t)) {
        interrupt(now, transaction, extension);
    } else {
        host_.count_unsupported(memory_write_tlps(address, bytes, link_.max_payload).tlps);
    }
}

/// All ones for a read of nothing: each of its MRd gets a completion without data.
TlpCount RootPort::answer_nothing(const tlm::tlm_generic_payload& transaction) {
    const std::uint32_t bytes = transaction.get_data_length();
    const std::uint32_t tlps = memory_read_tlps(transaction.get_address(), bytes, link_.max_read_request).tlps;
    host_.count_unsupported(tlps);
    std::memset(transaction.get_data_ptr(), 0xFF, bytes);
    return {tlps, tlps * kCompletionLinkBytes};
}

/// A read, or a completion, that has to wait for writes before it keeps nobody else waiting.
void RootPort::wait(Cycle due, tlm::tlm_generic_payload& transaction) {
    waiting_.insert(std::ranges::upper_bound(waiting_, due, {}, &WaitingRead::due), {due, &transaction});
    next_waiting_ = waiting_.front().due;
    set_next_other();
    wakeup_.at(due);
}

void RootPort::serve_waiting() {
    const WaitingRead first = waiting_.front();
    waiting_.erase(waiting_.begin());
    next_waiting_ = waiting_.empty() ? kNever : waiting_.front().due;
    set_next_other();
    TlpExtension& extension = tlp(*first.transaction);
    extension.count = {};  // has been acknowledged
    extension.left = {};
    serve({first.due, sc_core::SC_ZERO_TIME}, *first.transaction);
}

/// Reads are completed when the memory has delivered them; the split completions follow one another on the link.
void RootPort::complete(const Moment& now, tlm::tlm_generic_payload& transaction, TlpExtension& extension) {
    const Clock& clock = wakeup_.clock();
    const Time ready = clock.time(now.cycle) + to_time(host_.access(now.ahead, transaction));
    extension.count = transaction.is_response_error()
                          ? answer_nothing(transaction)
                          : completion_tlps(transaction.get_address(), transaction.get_data_length(),
                                            link_.max_read_request, link_.max_payload, link_.read_completion_boundary);
    if (stores_ != stores_sent_.tlps && !extension.attributes.relaxed_ordering)
        return completions_.push({stores_, &transaction, ready});
    send_completion(now, transaction, ready);
}

void RootPort::send_completion(const Moment& now, tlm::tlm_generic_payload& transaction, Time ready) {
    const Clock& clock = wakeup_.clock();
    TlpExtension& extension = tlp(transaction);
    const std::uint32_t first = std::min(extension.count.link_bytes, largest_tlp_link_bytes(link_.max_payload));
    const Time first_left = std::max(ready, direction_.free_at()) + direction_.length(first);
    extension.first = clock.time(clock.edge(first_left) + link_.latency);
    const Cycle due = clock.edge(direction_.send(ready, extension.count.link_bytes)) + link_.latency;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = to_sc_time(clock.time(due - now.cycle)) + now.ahead;
    upstream->nb_transport_bw(transaction, phase, delay);
}

void RootPort::write(Cycle now, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    const auto [transaction, extension] = pool_.take_posted(TlpKind::memory_write, address, bytes);
    extension.count = memory_write_tlps(address, static_cast<std::uint32_t>(bytes.size()), link_.max_payload);
    send_down(now, transaction, extension.count.link_bytes);
}

void RootPort::send_down(Cycle now, tlm::tlm_generic_payload& transaction, std::uint32_t link_bytes) {
    const Clock& clock = wakeup_.clock();
    const Cycle due = clock.edge(direction_.send(clock.time(now), link_bytes)) + link_.latency;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = to_sc_time(clock.time(due - now));
    downstream->nb_transport_fw(transaction, phase, delay);
}

}  // namespace rnicsim
