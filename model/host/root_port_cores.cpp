// SPDX-License-Identifier: Apache-2.0
// What cores send down a root port, and what comes back.
#include "model/host/root_complex.h"
#include "model/host/root_port.h"

#include <cassert>

namespace rnicsim {

void RootPort::store(Cycle now, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    const auto [transaction, extension] = pool_.take_posted(TlpKind::memory_write, address, bytes);
    extension.count = memory_write_tlps(address, static_cast<std::uint32_t>(bytes.size()), link_.max_payload);
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
    const Cycle due = clock.edge(clock.time(now) + config_.down);
    from_cores_.push({&transaction, loader}, due);
    set_next_other();
    wakeup_.at(due);
}

/// Stores pass loads that wait for a tag, as posted requests must be able to (PCI Express Base Specification 2.4.1).
void RootPort::send_from_core(Cycle now) {
    const Access access = from_cores_.pop();
    if (access.loader.core == nullptr) {
        send_down(now, *access.transaction, tlp(*access.transaction).count.link_bytes);
    } else if (free_tags_.empty()) {
        no_tag_.push(access);
    } else {
        send_load(now, access);
    }
    set_next_other();
}

/// Precondition: a tag is free.
void RootPort::send_load(Cycle now, const Access& access) {
    const std::uint32_t tag = free_tags_.back();
    free_tags_.pop_back();
    loads_[tag] = {access, ++load_numbers_};
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
    load_over(now, tag, all_ones(loads_[tag].access.transaction->get_data_length()));
}

}  // namespace rnicsim
