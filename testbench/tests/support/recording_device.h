// SPDX-License-Identifier: Apache-2.0
// A device at a root port that keeps what cores store to it, and lets them load it: so much memory, at once.
#pragma once

#include "model/host/root_port.h"
#include "tlm/pcie/posted_gate.h"
#include "tlm/wakeup.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace rnicsim {

class RecordingDevice : public sc_core::sc_module {
  public:
    /// `answers`: from a load's arrival there until its completion is at the port.
    RecordingDevice(sc_core::sc_module_name name, std::uint64_t base, std::uint64_t bytes, Time answers)
        : sc_module(name), memory(bytes), base_(base), answers_(answers) {
        upstream.register_nb_transport_bw(this, &RecordingDevice::comes);
        downstream.register_nb_transport_fw(this, &RecordingDevice::comes);
    }
    void bind(RootPort& port) {
        upstream.bind(port.upstream);
        port.downstream.bind(downstream);
    }
    PcieInitiatorSocket<RecordingDevice> upstream{"upstream"};
    PcieTargetSocket<RecordingDevice> downstream{"downstream"};

    struct Came {
        Time at;
        std::uint64_t offset = 0;
        std::uint32_t bytes = 0;
        friend bool operator==(const Came&, const Came&) = default;
    };
    std::vector<std::uint8_t> memory;
    std::vector<Came> stores, loads;

  private:
    tlm::tlm_sync_enum comes(tlm::tlm_generic_payload& transaction, tlm::tlm_phase&, sc_core::sc_time& delay) {
        const std::uint64_t offset = transaction.get_address() - base_;
        const std::uint32_t bytes = transaction.get_data_length();
        std::uint8_t* const data = transaction.get_data_ptr();
        const auto there = memory.begin() + static_cast<std::ptrdiff_t>(offset);
        const Came came{current_time() + to_time(delay), offset, bytes};
        if (tlp(transaction).kind == TlpKind::memory_write) {
            stores.push_back(came);
            std::copy_n(data, bytes, there);
            transaction.release();
        } else {
            loads.push_back(came);
            std::copy_n(there, bytes, data);
            transaction.set_response_status(tlm::TLM_OK_RESPONSE);
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_core::sc_time later = delay + to_sc_time(answers_);
            downstream->nb_transport_bw(transaction, phase, later);
        }
        return tlm::TLM_ACCEPTED;
    }

    const std::uint64_t base_;
    const Time answers_;
};

/// So many TLPs may leave; the rest is the test's.
class CountingGate : public PostedGate {
  public:
    struct Asked {
        Time at;
        std::uint32_t bytes = 0;
        bool left = false;
        friend bool operator==(const Asked&, const Asked&) = default;
    };
    bool take(Time now, std::uint32_t tlps, std::uint32_t bytes) override {
        const bool leaves = tlps <= credits;
        if (leaves) credits -= tlps;
        asked.push_back({now, bytes, leaves});
        most_ahead = std::max(most_ahead, now - current_time());
        return leaves;
    }
    std::uint32_t credits = 0;
    std::vector<Asked> asked;
    Time most_ahead;  ///< of the kernel's time
};

}  // namespace rnicsim
