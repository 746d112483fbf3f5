// SPDX-License-Identifier: Apache-2.0
// Resolved parameters of a host with a RoCEv2 RNIC. Times in cycles of its clock.
#pragma once

#include "model/host/config.h"
#include "model/host/cpu/config.h"
#include "model/host/persistence/config.h"
#include "model/host/port_config.h"
#include "model/host/tcp/config.h"
#include "model/rnic/common/config.h"
#include "model/rnic/rc/mr_table.h"
#include "tlm/time/clock.h"

#include <cstdint>
#include <optional>

namespace rnicsim {

/// What the driver's calls cost the processor (`rnicsim describe --keys` has the sources).
struct VerbsCosts {
    Cycle post{30};     ///< building a send WQE and ringing the doorbell
    Cycle push{38};     ///< ... on top of it, where the WQE goes to the card itself
    Cycle poll{25};     ///< taking a CQE, or seeing that a byte in memory has changed; in vain it costs nothing
    Cycle receive{13};  ///< building a receive WQE
};

/// How a send WQE reaches the card.
enum class Posting : std::uint8_t {
    push,     ///< all of it is written to the card
    doorbell  ///< the card is told of it and reads it
};

/// What a card says of itself to programs. Profiles are of products; else it is nobody's.
struct Product {
    std::uint32_t vendor = 0x727369;  ///< an OUI that nobody owns (locally administered), and "rsi"
    std::uint32_t part = 1;
    std::uint16_t pci_vendor = 0x7369, pci_device = 1;
    std::uint32_t most_inline = 0;  ///< bytes of a WQE that a program may ask for; inline_bytes if that is more
    bool mlx5_errors = false;       ///< completions have the vendor's error numbers, as mlx5 gives them
};

struct VerbsHostConfig {
    MemoryConfig memory;
    PcieConfig pcie;           ///< of the slot
    RootPortConfig root_port;  ///< of all slots, as cores use them
    Clock clock = kGmiiClock;
    VerbsCosts costs;
    CpuConfig cpu;
    TcpConfig tcp;              ///< of its streams
    std::uint32_t threads = 1;  ///< of its program; QPs are dealt out to them, and each has a CQ of its own
    Posting posting = Posting::push;
    std::uint32_t inline_bytes = 64;    ///< a payload of at most so many bytes travels in its WQE
    Cycle interrupt_latency{250};       ///< MSI at the root complex -> handler runs
    bool events = false;                ///< CQs are not polled: they raise interrupts
    rc::PageSize page;                  ///< of what is registered
    std::uint32_t shared_receives = 0;  ///< receive WQEs that all its QPs share (SRQ); 0: each QP has its own
    std::optional<PersistenceConfig> persistence;  ///< none: writes are in the memory when they arrive
    Product product;
    std::uint32_t srq_limit = 0;  ///< of them: when fewer are left they are posted again; 0: each at once
    /// Do interrupts tell its program of something?
    [[nodiscard]] bool gets_interrupts() const { return events || (shared_receives != 0 && srq_limit != 0); }
};

}  // namespace rnicsim
