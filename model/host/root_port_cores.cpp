// SPDX-License-Identifier: Apache-2.0
// What cores send down a root port, and what comes back.
#include "model/host/root_complex.h"
#include "model/host/root_port.h"

#include <algorithm>
#include <cassert>

namespace rnicsim {

bool RootPort::a_place_is_free(Cycle now) {
    for (; !leaves_.empty() && leaves_.front() <= now; static_cast<void>(leaves_.pop())) --kept_;
    return kept_ < config_.posted;
}

bool RootPort::has_place(Cycle now, PlaceTarget& core) {
    if (a_place_is_free(now) && wait_for_place_.empty()) return true;
    wait_for_place_.push(&core);
    set_next_of_cores();
    wakeup_.at(next_of_cores_);
    return false;
}

void RootPort::store(Cycle now, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    [[maybe_unused]] const bool there = a_place_is_free(now);
    assert(there);
    ++kept_;
    const auto [transaction, extension] = pool_.take_posted(TlpKind::memory_write, address, bytes);
    extension.count = memory_write_tlps(address, static_cast<std::uint32_t>(bytes.size()), link_.max_payload);
    stores_ += extension.count.tlps;
    take_from_cores(transaction, {}, now);
}

void RootPort::load(Cycle now, std::uint64_t address, std::uint32_t bytes, const Loader& loader,
                    TlpAttributes attributes) {
    const auto [transaction, extension] = pool_.take_load(address, bytes);
    extension.count = memory_read_tlps(address, bytes, link_.max_read_request);
    extension.attributes = attributes;
    assert(extension.count.tlps == 1);
    take_from_cores(transaction, loader, now);
}

void RootPort::take_from_cores(tlm::tlm_generic_payload& transaction, const Loader& loader, Cycle now) {
    const Clock& clock = wakeup_.clock();
    from_cores_.push({&transaction, loader}, clock.edge(clock.time(now) + config_.down));
    set_next_of_cores();
    wakeup_.at(next_of_cores_);
}

void RootPort::credits_back(Cycle now) {
    const Cycle first = wakeup_.clock().edge(current_time());  // a device may have another clock
    if (!no_credits_ && now <= first) return;
    while (!more_credits_.empty() && more_credits_.front() < first) static_cast<void>(more_credits_.pop());
    more_credits_.push(std::max(now, first));
    set_next_of_cores();
    wakeup_.at(next_of_cores_);
}

/// What has come begins in the cycle in which the link gets free, not at an edge: else a slow clock would slow the
/// link.
void RootPort::set_next_of_cores() {
    next_of_cores_ = kNever;
    if (!from_cores_.empty() && !no_credits_) {
        next_of_cores_ = std::max(from_cores_.next_due(), wakeup_.clock().cycle(direction_.free_at()));
    } else if (!from_cores_.empty() && !more_credits_.empty()) {
        next_of_cores_ = more_credits_.front();
    }
    if (!wait_for_place_.empty() && kept_ < config_.posted) {
        next_of_cores_ = wakeup_.now();
    } else if (!wait_for_place_.empty() && !leaves_.empty()) {
        next_of_cores_ = std::min(next_of_cores_, leaves_.front());
    }
    set_next_other();
}

void RootPort::act_for_cores(Cycle now) {
    for (; !more_credits_.empty() && more_credits_.front() <= now; static_cast<void>(more_credits_.pop()))
        no_credits_ = false;
    // Something else may have taken the link since.
    const Time begin = std::max(wakeup_.clock().time(now), direction_.free_at());
    if (!no_credits_ && from_cores_.ready(now) && wakeup_.clock().cycle(begin) == now &&
        may_leave(*from_cores_.front().transaction, begin))
        send_from_core(now);
    while (!wait_for_place_.empty() && a_place_is_free(now)) wait_for_place_.pop()->place_free(now);
    set_next_of_cores();
}

/// A load needs no credits here. A store's place is free at the edge at which it has begun to leave.
bool RootPort::may_leave(const tlm::tlm_generic_payload& store, Time begin) {
    if (from_cores_.front().loader.core != nullptr) return true;
    no_credits_ = gate_ != nullptr && !gate_->take(begin, 1, store.get_data_length());
    if (!no_credits_) leaves_.push(wakeup_.clock().edge(begin));
    return !no_credits_;
}

/// Stores pass loads that wait for a tag, as posted requests must be able to (PCI Express Base Specification 2.4.1).
void RootPort::send_from_core(Cycle now) {
    const Access access = from_cores_.pop();
    if (access.loader.core == nullptr) {
        const TlpCount& count = tlp(*access.transaction).count;
        stores_sent_.tlps += count.tlps;
        stores_sent_.bytes += access.transaction->get_data_length();
        send_down(now, *access.transaction, count.link_bytes);
        while (!completions_.empty() && completions_.front().stores <= stores_sent_.tlps) {
            const Behind of = completions_.pop();
            send_completion({now, sc_core::SC_ZERO_TIME}, *of.transaction, of.ready);
        }
    } else if (free_tags_.empty()) {
        no_tag_.push(access);
    } else {
        send_load(now, access);
    }
}

/// Precondition: a tag is free.
void RootPort::send_load(Cycle now, const Access& access) {
    const std::uint32_t tag = free_tags_.back();
    free_tags_.pop_back();
    loads_[tag] = {access, ++load_numbers_, access.transaction->get_data_length()};
    const Clock& clock = wakeup_.clock();
    const Cycle due = clock.edge(clock.time(now) + config_.completion_timeout);
    deadlines_.push({tag, load_numbers_}, due);
    TlpExtension& extension = tlp(*access.transaction);
    extension.context = tag;
    send_down(now, *access.transaction, extension.count.link_bytes);
    set_next_other();
    wakeup_.at(next_other_);
}

/// It is in order behind what the device has sent before, and never ahead of time: nobody knows who waits for it.
tlm::tlm_sync_enum RootPort::completes(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& /*phase*/,
                                       sc_core::sc_time& delay) {
    const Cycle due = wakeup_.clock().edge(current_time() + to_time(delay));
    from_device_.push(&transaction, due);
    wakeup_.at(due);
    return tlm::TLM_ACCEPTED;
}

void RootPort::load_done(Cycle now, tlm::tlm_generic_payload& completion) {
    const auto tag = static_cast<std::uint32_t>(tlp(completion).context);
    if (loads_[tag].access.transaction != &completion) {
        ++late_completions_;
    } else {
        const std::uint32_t bytes = completion.get_data_length();
        const bool there = !completion.is_response_error();
        if (!there) host_.count_unsupported(1);
        load_over(now, tag, there ? std::span(completion.get_data_ptr(), bytes) : all_ones(bytes));
    }
    completion.release();
}

void RootPort::load_over(Cycle now, std::uint32_t tag, std::span<const std::uint8_t> bytes) {
    const Loader loader = loads_[tag].access.loader;
    loads_[tag] = {};
    free_tags_.push_back(tag);
    while (!deadlines_.empty() && loads_[deadlines_.front().tag].number != deadlines_.front().number)
        static_cast<void>(deadlines_.pop());
    if (!no_tag_.empty()) send_load(now, no_tag_.pop());
    set_next_other();
    loader.core->loaded(wakeup_.clock().time(now) + config_.down, loader.context, bytes);
}

/// Its transaction is with the device, which may answer later.
void RootPort::time_out(Cycle now) {
    const std::uint32_t tag = deadlines_.front().tag;
    ++timeouts_;
    load_over(now, tag, all_ones(loads_[tag].bytes));
}

}  // namespace rnicsim
