#include "model/host/root_complex.h"

#include <algorithm>

namespace rnicsim {

RootComplex::RootComplex(sc_core::sc_module_name name, const PcieConfig& link, PciePool& pool,
                         InterruptTarget& processor, Wakeup& wakeup)
    : sc_module(name),
      link_(link),
      pool_(pool),
      processor_(processor),
      wakeup_(wakeup),
      lane_(link.generation, link.lanes) {
    upstream.register_nb_transport_fw(this, &RootComplex::from_device);
}

tlm::tlm_sync_enum RootComplex::from_device(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& /*phase*/,
                                            sc_core::sc_time& delay) {
    const Cycle due = current_cycle() + Cycle{static_cast<std::int64_t>(delay.value()) / kPsPerCycle};
    from_device_.push(&transaction, due);
    wakeup_.at(due);
    return tlm::TLM_ACCEPTED;
}

void RootComplex::deliver(Cycle now) {
    while (from_device_.ready(now)) {
        tlm::tlm_generic_payload& transaction = *from_device_.pop();
        lane_.send(to_ps(now), tlp(transaction).count.tlps * kDllpBytes);  // their Ack DLLPs
        switch (tlp(transaction).kind) {
            case TlpKind::memory_write: {
                sc_core::sc_time done = sc_core::SC_ZERO_TIME;
                memory->b_transport(transaction, done);
                if (transaction.is_response_error()) ++unsupported_;
                transaction.release();
                break;
            }
            case TlpKind::memory_read: complete(now, transaction); break;
            case TlpKind::message_signalled_interrupt:
                processor_.interrupt(now);
                transaction.release();
                break;
        }
    }
}

/// Reads are completed when the memory has delivered them; the split completions follow one another on the link.
void RootComplex::complete(Cycle now, tlm::tlm_generic_payload& transaction) {
    sc_core::sc_time done = sc_core::SC_ZERO_TIME;
    memory->b_transport(transaction, done);
    if (transaction.is_response_error()) ++unsupported_;
    TlpExtension& extension = tlp(transaction);
    extension.count = completion_tlps(transaction.get_address(), transaction.get_data_length(), link_.max_read_request,
                                      link_.max_payload, link_.read_completion_boundary);
    const std::int64_t ready_ps = to_ps(now) + static_cast<std::int64_t>(done.value());
    const Cycle due = ceil_to_cycle(lane_.send(ready_ps, extension.count.link_bytes)) + link_.latency;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = to_sc_time(due - now);
    upstream->nb_transport_bw(transaction, phase, delay);
}

void RootComplex::ring(Cycle now, Doorbell which, std::uint32_t value) {
    tlm::tlm_generic_payload& transaction =
        pool_.take(TlpKind::memory_write, static_cast<std::uint64_t>(which), nullptr, 4);
    TlpExtension& extension = tlp(transaction);
    extension.count = memory_write_tlps(static_cast<std::uint64_t>(which), 4, link_.max_payload);
    extension.context = value;
    const Cycle due = ceil_to_cycle(lane_.send(to_ps(now), extension.count.link_bytes)) + link_.latency;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = to_sc_time(due - now);
    downstream->nb_transport_fw(transaction, phase, delay);
}

}  // namespace rnicsim
