// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/common/pcie_endpoint.h"

#include <algorithm>
#include <array>
#include <bit>

namespace rnicsim {

PcieEndpoint::PcieEndpoint(sc_core::sc_module_name name, const PcieConfig& config, std::unique_ptr<DmaEngine> engine,
                           PciePool& pool, RegisterTarget& registers, ClockedWakeup& wakeup)
    : sc_module(name),
      config_(config),
      pool_(pool),
      registers_(registers),
      wakeup_(wakeup),
      direction_(config.generation, config.lanes),
      engine_(std::move(engine)) {
    upstream.register_nb_transport_bw(this, &PcieEndpoint::from_host);
    downstream.register_nb_transport_fw(this, &PcieEndpoint::from_host);
}

PcieEndpoint::Written PcieEndpoint::write(Cycle at, std::span<const DmaPiece> pieces, DmaSource source,
                                          TlpAttributes attributes) {
    attributes_ = attributes;
    const Written written = write(at, pieces, source);
    attributes_ = {};
    return written;
}

PcieEndpoint::Written PcieEndpoint::write_through(Cycle at, Time since, std::span<const DmaPiece> pieces,
                                                  DmaSource source, TlpAttributes attributes) {
    since_ = since;
    const Written written = write(at, pieces, source, attributes);
    since_ = {};
    return written;
}

PcieEndpoint::Written PcieEndpoint::write(Cycle at, std::span<const DmaPiece> pieces, DmaSource source) {
    pieces_.clear();
    for (const DmaPiece& piece : pieces) pieces_.push_back({piece.address, piece.bytes, {}});
    const Cycle posted = issue(at, DmaEngine::Direction::write, source);
    ++counters_.write_requests;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const DmaPiece& piece = pieces[i];
        const auto [transaction, extension] = pool_.take(TlpKind::memory_write, piece.address, piece.data, piece.bytes);
        extension.count = pieces_[i].count;
        extension.attributes = attributes_;
        extension.frame = piece.frame;
        extension.follows_on = i != 0;
        counters_.write_tlps += extension.count.tlps;
        counters_.write_bytes += piece.bytes;
        if (buffer_ == nullptr) {
            send(transaction, extension.count.link_bytes);
        } else {
            send_posted(transaction, extension);
        }
    }
    return {posted, wakeup_.clock().edge(direction_.free_at())};
}

void PcieEndpoint::read(Cycle at, std::uint64_t address, std::uint32_t bytes, DmaSource source, Reader reader,
                        TlpAttributes attributes) {
    attributes_ = attributes;
    read(at, address, bytes, source, std::move(reader));
    attributes_ = {};
}

void PcieEndpoint::read(Cycle at, std::uint64_t address, std::uint32_t bytes, DmaSource source, Reader reader) {
    const auto [transaction, extension] = pool_.take(TlpKind::memory_read, address, reader.into, bytes);
    const std::uint32_t tlps = memory_read_tlps(address, bytes, config_.max_read_request).tlps;
    extension.attributes = attributes_;
    extension.tags = std::min(tlps, config_.tags);  // a longer request reuses its tags
    extension.client = &reader.client;
    extension.context = reader.context;
    extension.frame = std::move(reader.frame);
    waiting_.push({&transaction, at, source}, {});
    issue_reads(at);
}

void PcieEndpoint::interrupt(Cycle at, std::uint32_t vector, TlpAttributes attributes) {
    ++counters_.interrupts;
    const auto data = std::bit_cast<std::array<std::uint8_t, 4>>(vector);
    const auto [transaction, extension] = pool_.take_posted(TlpKind::message_signalled_interrupt, kInterrupts, data);
    extension.count = memory_write_tlps(kInterrupts, 4, config_.max_payload);
    extension.attributes = attributes;
    direction_.send(wakeup_.clock().time(at), 0);
    if (buffer_ == nullptr) {
        send(transaction, extension.count.link_bytes);
    } else {
        send_posted(transaction, extension);
    }
}

/// Gives `pieces_` to the engine. The TLPs of a request follow one another on the link, from the first on.
Cycle PcieEndpoint::issue(Cycle at, DmaEngine::Direction direction, DmaSource source) {
    const Cycle first = engine_->issue(at, direction, pieces_);
    const Time begin = wakeup_.clock().time(first);
    if (since_ == Time{}) {
        direction_.send(begin, 0);
    } else {
        direction_.begin_early(begin - since_, begin, before_last());
    }
    if (observer_ != nullptr) observer_->request_issued(first, direction, source, pieces_);
    return first;
}

Time PcieEndpoint::before_last() const {
    std::uint32_t bytes = 0;
    for (const DmaEngine::Piece& piece : pieces_) bytes += piece.count.link_bytes;
    return direction_.length(bytes - std::min(bytes, largest_tlp_link_bytes(config_.max_payload)));
}

void PcieEndpoint::issue_reads(Cycle now) {
    while (!waiting_.empty()) {
        tlm::tlm_generic_payload& transaction = *waiting_.front().transaction;
        TlpExtension& extension = tlp(transaction);
        if (tags_in_use_ + extension.tags > config_.tags) {
            ++counters_.tag_stalls;
            return;
        }
        const WaitingRead request = waiting_.pop();
        tags_in_use_ += extension.tags;
        pieces_.assign(1, {transaction.get_address(), transaction.get_data_length(), {}});
        issue(std::max(now, request.asked), DmaEngine::Direction::read, request.source);
        extension.count = pieces_[0].count;
        ++counters_.read_requests;
        counters_.read_tlps += extension.count.tlps;
        counters_.read_bytes += transaction.get_data_length();
        direction_.send({}, extension.count.link_bytes);
        const Time arrives = arrival();
        if (buffer_ != nullptr)
            extension.left = buffer_->read_may_start(arrives, extension.attributes, extension.count.link_bytes);
        hand_over(transaction, arrives);
    }
}

void PcieEndpoint::send(tlm::tlm_generic_payload& transaction, std::uint32_t link_bytes) {
    direction_.send({}, link_bytes);
    hand_over(transaction, arrival());
}

/// When the last byte on the link takes effect at the other end; of what was sent before it was written, now.
Time PcieEndpoint::arrival() const {
    const Clock& clock = wakeup_.clock();
    return std::max(clock.time(clock.edge(direction_.free_at()) + config_.latency), current_time());
}

void PcieEndpoint::hand_over(tlm::tlm_generic_payload& transaction, Time arrives) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = to_sc_time(arrives - current_time());
    upstream->nb_transport_fw(transaction, phase, delay);
}

/// TLP by TLP: one that the buffer has no room for arrives when there is some, and those behind it after that.
void PcieEndpoint::send_posted(tlm::tlm_generic_payload& transaction, TlpExtension& extension) {
    const Clock& clock = wakeup_.clock();
    std::uint64_t address = transaction.get_address();
    PostedBuffer::Taken taken;
    for (std::uint32_t left = transaction.get_data_length(); left != 0;) {
        const std::uint32_t bytes = first_tlp_bytes(address, left, config_.max_payload);
        direction_.send({}, memory_write_link_bytes(address, bytes));
        const Time arrives = arrival();
        taken = extension.kind == TlpKind::memory_write ? buffer_->write(arrives, address, bytes, extension.attributes)
                                                        : buffer_->interrupt(arrives, extension.attributes);
        if (taken.accepted > arrives) direction_.send(taken.accepted - clock.time(config_.latency), 0);
        address += bytes;
        left -= bytes;
    }
    extension.left = taken.left;
    extension.last_line = taken.number;
    hand_over(transaction, arrival());
}

tlm::tlm_sync_enum PcieEndpoint::from_host(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& /*phase*/,
                                           sc_core::sc_time& delay) {
    const Cycle due = wakeup_.clock().edge(current_time() + to_time(delay));
    TlpExtension& extension = tlp(transaction);
    from_host_.push({&transaction, &extension}, due);
    if (extension.kind == TlpKind::memory_read) {
        const Cycle acts = extension.client->read_comes(wakeup_.clock().edge(extension.first), due,
                                                        transaction.get_data_length(), extension.context);
        if (acts != kNever) wakeup_.at(acts);
    }
    const bool can_wait = waiting_.empty() && extension.kind == TlpKind::memory_read && extension.client->can_wait();
    if (!can_wait) prompt_.push({}, due);
    wakeup_.at(wanted_at(extension, due));
    return tlm::TLM_ACCEPTED;
}

/// The completion is ready at once: the Ack DLLP of the MRd follows it. It does not pass earlier writes, in the host's
/// buffer neither, unless it is relaxed (PCI Express Base Specification 2.4.1).
void PcieEndpoint::answer(Cycle at, tlm::tlm_generic_payload& load, TlpExtension& extension) {
    ++counters_.loads;
    const std::uint32_t bytes = load.get_data_length(), acks = extension.count.tlps * kDllpBytes;
    const bool there = registers_.register_read(at, load.get_address() - bar0_, {load.get_data_ptr(), bytes});
    load.set_response_status(there ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    extension.count = there ? completion_tlps(load.get_address(), bytes, kTlpBoundary, config_.max_payload,
                                              config_.read_completion_boundary)
                            : TlpCount{1, kCompletionLinkBytes};
    direction_.send(wakeup_.clock().time(at), extension.count.link_bytes);
    const Time arrives = arrival();
    extension.left = {};
    if (buffer_ != nullptr && !extension.attributes.relaxed_ordering)
        extension.left = buffer_->read_may_start(arrives, extension.attributes, extension.count.link_bytes);
    direction_.send({}, acks);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = to_sc_time(arrives - current_time());
    downstream->nb_transport_bw(load, phase, delay);
}

Cycle PcieEndpoint::wanted_at(const TlpExtension& extension, Cycle due) const {
    if (!waiting_.empty()) return due;  // reads wait for its tags
    return extension.kind == TlpKind::memory_read ? extension.client->wanted_at(due) : due;
}

Cycle PcieEndpoint::next_due() const {
    const Cycle next = from_host_.next_due();
    if (next == kNever) return next;
    return std::min(prompt_.next_due(), wanted_at(*from_host_.front().extension, next));
}

void PcieEndpoint::act(Cycle now) {
    bool tags_came_free = false;
    while (prompt_.ready(now)) static_cast<void>(prompt_.pop());
    while (from_host_.ready(now)) {
        const Cycle at = from_host_.next_due();
        const FromHost came = from_host_.pop();
        tlm::tlm_generic_payload& transaction = *came.transaction;
        TlpExtension& extension = *came.extension;
        if (extension.kind == TlpKind::load) {
            answer(at, transaction, extension);
            continue;
        }
        direction_.send(wakeup_.clock().time(at), extension.count.tlps * kDllpBytes);  // their Ack DLLPs
        if (extension.kind == TlpKind::memory_read) {
            tags_in_use_ -= extension.tags;
            tags_came_free = true;
            if (observer_ != nullptr) observer_->tags_return(at, extension.tags);
            extension.client->read_done(at, extension.context, std::move(extension.frame));
        } else {
            ++counters_.doorbells;
            registers_.register_write(at, transaction.get_address() - bar0_,
                                      {transaction.get_data_ptr(), transaction.get_data_length()});
        }
        transaction.release();
    }
    if (tags_came_free) issue_reads(now);
}

}  // namespace rnicsim
