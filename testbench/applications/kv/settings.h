// SPDX-License-Identifier: Apache-2.0
// A key-value server and its clients, as Redis and Valkey speak: by TCP, by RDMA, or through rings behind a bridge.
#pragma once

#include "model/keys/fields.h"
#include "model/traffic.h"
#include "testbench/applications/nts/settings.h"
#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim::applications {

enum class KvTransport : std::uint8_t { tcp, rdma, nts };
enum class KvOperation : std::uint8_t { get, set };

/// The size of the item is the value's, bytes.
struct KvSettings {
    KvTransport transport = KvTransport::rdma;
    KvOperation operation = KvOperation::get;
    std::uint32_t key = 16;                 ///< bytes
    std::uint32_t rx_size = 1 << 20;        ///< bytes that the other end may write before it is told to begin again
    std::uint32_t receives = 1024;          ///< receive WQEs of an end
    std::uint32_t signal_every = 512;       ///< one of so many WRITEs asks for a completion
    Time server_work = kNanosecond * 1600;  ///< of a command
    Time client_work = kNanosecond * 2200;  ///< of a command and its answer
    NtsSettings ring;                       ///< of nts: run.nts
    // A fault, to see what it does: `unsafe` lets it be run.
    bool waits_for_room = true;  ///< who has filled the other end's memory waits until it has been read
    bool unsafe = false;
};

const Fields<KvSettings>& kv_fields();
[[nodiscard]] inline const KvSettings& kv_of(const TrafficConfig& item) { return item.settings.of<KvSettings>(); }

}  // namespace rnicsim::applications
