// SPDX-License-Identifier: Apache-2.0
// PCIe transactions between RNIC and host.
#pragma once

#include "tlm/ethernet/frame.h"
#include "tlm/pcie/tlp_attributes.h"
#include "tlm/pcie/tlp_count.h"
#include "tlm/time/cycle.h"
#include "tlm/time/time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tlm>
#include <vector>

namespace rnicsim {

enum class TlpKind : std::uint8_t {
    memory_write,                 ///< MWr, posted
    memory_read,                  ///< MRd, answered by CplD on the backward path
    message_signalled_interrupt,  ///< MWr to the interrupt address
    load,                         ///< MRd of the host to a BAR, answered by CplD on the backward path
};

class DmaClient;

/// The largest access to a register, bytes: a WQE or a part of one that comes with its doorbell, or a load.
inline constexpr std::size_t kMostPosted = 64;

/// The PCIe part of a generic payload, beyond command, address, data and length. Sticky: allocated once with it.
class TlpExtension : public tlm::tlm_extension<TlpExtension> {
  public:
    TlpKind kind = TlpKind::memory_write;
    TlpCount count;  ///< of the request, then of the completion
    TlpAttributes attributes;
    std::uint32_t tags = 0;       ///< MRd TLPs outstanding for this request
    DmaClient* client = nullptr;  ///< requester's own: receiver of the completion
    std::uint64_t context = 0;    ///< requester's own
    bool follows_on = false;      ///< a later piece of a DMA request: one burst with the previous piece
    FrameRef frame;               ///< keeps the memory behind the data pointer alive
    /// Only where the host has a PostedBuffer: when a posted request leaves that, and the last line of a write; when a
    /// MRd may be carried out.
    Time left;
    std::uint64_t last_line = 0;
    Time first;  ///< of a completion: when its first TLP arrives; the others follow without a gap
    std::array<std::uint8_t, kMostPosted> posted{};  ///< the data of an access to a register, or of an MSI

    [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new TlpExtension(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const TlpExtension&>(other); }
};

inline TlpExtension& tlp(tlm::tlm_generic_payload& transaction) { return *transaction.get_extension<TlpExtension>(); }

/// Pool of transactions: TLM-2.0 memory manager. Must outlive them.
class PciePool : public tlm::tlm_mm_interface {
  public:
    PciePool() = default;
    PciePool(const PciePool&) = delete;
    PciePool& operator=(const PciePool&) = delete;
    ~PciePool() override;

    struct Taken {
        tlm::tlm_generic_payload& transaction;
        TlpExtension& extension;  ///< its own
    };
    /// A transaction with one reference, to be given back with release().
    Taken take(TlpKind kind, std::uint64_t address, const std::uint8_t* data, std::uint32_t bytes);
    /// A write that carries its own data, at most kMostPosted bytes.
    Taken take_posted(TlpKind kind, std::uint64_t address, std::span<const std::uint8_t> data);
    /// A load with room of its own for what it reads, at most kMostPosted bytes.
    Taken take_load(std::uint64_t address, std::uint32_t bytes);
    void free(tlm::tlm_generic_payload* transaction) override;
    [[nodiscard]] std::size_t in_use() const { return all_.size() - free_.size(); }

  private:
    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
    struct Free {
        tlm::tlm_generic_payload* transaction;
        TlpExtension* extension;
    };
    std::vector<Free> free_;
};

}  // namespace rnicsim
