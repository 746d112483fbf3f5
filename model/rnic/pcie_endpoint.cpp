#include "model/rnic/pcie_endpoint.h"

#include <algorithm>

namespace rnicsim {

PcieEndpoint::PcieEndpoint(sc_core::sc_module_name name, const PcieConfig& config, PciePool& pool,
                           EndpointClient& client, Wakeup& wakeup)
    : sc_module(name),
      config_(config),
      pool_(pool),
      client_(client),
      wakeup_(wakeup),
      lane_(config.generation, config.lanes) {
    upstream.register_nb_transport_bw(this, &PcieEndpoint::from_host);
    downstream.register_nb_transport_fw(this, &PcieEndpoint::from_host);
}

PcieEndpoint::Written PcieEndpoint::write(Cycle at, std::span<const DmaPiece> pieces) {
    start_engine(at);
    const Cycle posted = engine_free_;
    ++counters_.write_requests;
    for (const DmaPiece& piece : pieces) {
        tlm::tlm_generic_payload& transaction =
            pool_.take(TlpKind::memory_write, piece.address, piece.data, piece.bytes);
        TlpExtension& extension = tlp(transaction);
        extension.count = memory_write_tlps(piece.address, piece.bytes, config_.max_payload);
        extension.frame = piece.frame;
        extension.follows_on = &piece != pieces.data();
        counters_.write_tlps += extension.count.tlps;
        counters_.write_bytes += piece.bytes;
        send(transaction, extension.count.link_bytes);
    }
    return {posted, ceil_to_cycle(lane_.free_at_ps())};
}

void PcieEndpoint::read(Cycle at, std::uint64_t address, std::uint8_t* into, std::uint32_t bytes, ReadPurpose purpose,
                        std::uint64_t context, FrameRef frame) {
    tlm::tlm_generic_payload& transaction = pool_.take(TlpKind::memory_read, address, into, bytes);
    TlpExtension& extension = tlp(transaction);
    extension.count = memory_read_tlps(address, bytes, config_.max_read_request);
    extension.tags = std::min(extension.count.tlps, config_.tags);  // a longer request uses its tags again
    extension.purpose = static_cast<std::uint32_t>(purpose);
    extension.context = context;
    extension.frame = std::move(frame);
    waiting_.push({&transaction, at}, {});
    issue_reads(at);
}

void PcieEndpoint::interrupt(Cycle at) {
    ++counters_.interrupts;
    tlm::tlm_generic_payload& transaction = pool_.take(TlpKind::message_signalled_interrupt, 0, nullptr, 4);
    tlp(transaction).count = memory_write_tlps(0, 4, config_.max_payload);
    lane_.send(to_ps(at), 0);
    send(transaction, tlp(transaction).count.link_bytes);
}

/// The set-up of one DMA request. Requests go through the engine one after another; their TLPs may queue for the link.
void PcieEndpoint::start_engine(Cycle at) {
    engine_free_ = std::max(at, engine_free_) + config_.request_overhead;
    lane_.send(to_ps(engine_free_), 0);
}

void PcieEndpoint::issue_reads(Cycle now) {
    while (!waiting_.empty()) {
        tlm::tlm_generic_payload& transaction = *waiting_.front().transaction;
        TlpExtension& extension = tlp(transaction);
        if (tags_in_use_ + extension.tags > config_.tags) {
            ++counters_.tag_stalls;
            return;
        }
        const Cycle asked = waiting_.pop().asked;
        tags_in_use_ += extension.tags;
        ++counters_.read_requests;
        counters_.read_tlps += extension.count.tlps;
        counters_.read_bytes += transaction.get_data_length();
        start_engine(std::max(now, asked));
        send(transaction, extension.count.link_bytes);
    }
}

void PcieEndpoint::send(tlm::tlm_generic_payload& transaction, std::uint32_t link_bytes) {
    const std::int64_t end_ps = lane_.send(0, link_bytes);
    const Cycle due = ceil_to_cycle(end_ps) + config_.latency;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = to_sc_time(due - current_cycle());
    upstream->nb_transport_fw(transaction, phase, delay);
}

tlm::tlm_sync_enum PcieEndpoint::from_host(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& /*phase*/,
                                           sc_core::sc_time& delay) {
    const Cycle due = current_cycle() + Cycle{static_cast<std::int64_t>(delay.value()) / kPsPerCycle};
    from_host_.push(&transaction, due);
    wakeup_.at(due);
    return tlm::TLM_ACCEPTED;
}

void PcieEndpoint::deliver(Cycle now) {
    bool tags_came_free = false;
    while (from_host_.ready(now)) {
        tlm::tlm_generic_payload& transaction = *from_host_.pop();
        TlpExtension& extension = tlp(transaction);
        lane_.send(to_ps(now), extension.count.tlps * kDllpBytes);  // their Ack DLLPs
        if (extension.kind == TlpKind::memory_read) {
            tags_in_use_ -= extension.tags;
            tags_came_free = true;
            client_.read_done(static_cast<ReadPurpose>(extension.purpose), extension.context,
                              std::move(extension.frame));
        } else {
            ++counters_.doorbells;
            client_.doorbell(static_cast<Doorbell>(transaction.get_address()),
                             static_cast<std::uint32_t>(extension.context));
        }
        transaction.release();
    }
    if (tags_came_free) issue_reads(now);
}

}  // namespace rnicsim
