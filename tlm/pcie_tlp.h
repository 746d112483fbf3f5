// PCIe transaction-layer packets: how many of them a request becomes, and how many bytes they take on the link.
// Rules: PCI Express Base Specification, chapter 2 (packets) and 3 (data link layer).
#pragma once

#include "tlm/ethernet_frame.h"
#include "tlm/units.h"

#include <cstdint>
#include <memory>
#include <tlm>
#include <vector>

namespace rnicsim {

// Bytes around the payload of one TLP: framing 2 (Gen3: STP token 4, sequence number inside), sequence number 2,
// LCRC 4.
inline constexpr std::uint32_t kTlpLinkBytes = 8;
inline constexpr std::uint32_t kTlpHeader3dw = 12;   // 32-bit address; completions always
inline constexpr std::uint32_t kTlpHeader4dw = 16;   // 64-bit address (4 GiB and above)
inline constexpr std::uint32_t kDllpBytes = 8;       // Ack DLLP, one for each TLP received
inline constexpr std::uint32_t kTlpBoundary = 4096;  // a request must not cross it (2.2.7)

/// The TLPs that one DMA request, or the completion of one, is split into.
struct TlpCount {
    std::uint32_t tlps = 0;
    std::uint32_t link_bytes = 0;  ///< headers, payload (padded to DW) and link-layer bytes of all of them

    friend bool operator==(const TlpCount&, const TlpCount&) = default;
    TlpCount& operator+=(const TlpCount& other) {
        tlps += other.tlps;
        link_bytes += other.link_bytes;
        return *this;
    }
};

/// MWr: cut at multiples of the maximum payload size (a power of two, so never across 4 KiB). Bytes > 0.
TlpCount memory_write_tlps(std::uint64_t address, std::uint32_t bytes, std::uint32_t max_payload);

/// MRd: cut at multiples of the maximum read request size. Each TLP takes one tag.
TlpCount memory_read_tlps(std::uint64_t address, std::uint32_t bytes, std::uint32_t max_read_request);

/// CplD of a read: for each MRd, first up to the next read completion boundary if it starts off it, then in steps of
/// the maximum payload size.
TlpCount completion_tlps(std::uint64_t address, std::uint32_t bytes, std::uint32_t max_read_request,
                         std::uint32_t max_payload, std::uint32_t read_completion_boundary);

enum class TlpKind : std::uint8_t {
    memory_write,                 ///< MWr, posted
    memory_read,                  ///< MRd, answered by CplD on the backward path
    message_signalled_interrupt,  ///< MWr to the interrupt address
};

/// What a generic payload says about PCIe beyond command, address, data and length. Sticky: allocated once with it.
class TlpExtension : public tlm::tlm_extension<TlpExtension> {
  public:
    TlpKind kind = TlpKind::memory_write;
    TlpCount count;             ///< of the request, then of the completion
    std::uint32_t tags = 0;     ///< MRd TLPs outstanding for this request
    std::uint32_t purpose = 0;  ///< requester's own: what the completion is for
    std::uint64_t context = 0;  ///< requester's own
    bool follows_on = false;    ///< a later piece of a DMA request: one burst with the piece before
    FrameRef frame;             ///< keeps the memory behind the data pointer alive

    [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new TlpExtension(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const TlpExtension&>(other); }
};

TlpExtension& tlp(tlm::tlm_generic_payload& transaction);

/// Pool of transactions: TLM-2.0 memory manager. Must outlive them.
class PciePool : public tlm::tlm_mm_interface {
  public:
    PciePool() = default;
    PciePool(const PciePool&) = delete;
    PciePool& operator=(const PciePool&) = delete;
    ~PciePool() override;

    /// A transaction with one reference, to be given back with release().
    tlm::tlm_generic_payload& take(TlpKind kind, std::uint64_t address, const std::uint8_t* data, std::uint32_t bytes);
    void free(tlm::tlm_generic_payload* transaction) override;
    [[nodiscard]] std::size_t in_use() const { return all_.size() - free_.size(); }

  private:
    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
    std::vector<tlm::tlm_generic_payload*> free_;
};

/// One direction of a PCIe link: first come, first served, in picoseconds.
class PcieLane {
  public:
    /// Precondition: generation 1..3, lanes 1..16.
    PcieLane(std::uint32_t generation, std::uint32_t lanes);

    /// Puts `bytes` on the link at `from_ps` or when it is free. Returns when the last byte has left, in ps.
    std::int64_t send(std::int64_t from_ps, std::uint32_t bytes);
    [[nodiscard]] std::int64_t free_at_ps() const { return free_ps_; }

  private:
    std::int64_t
        ps_per_kib_;  // bytes of link payload cost ps_per_kib_ / 1024 each: exact for every generation and width
    std::int64_t free_ps_ = 0;
};

}  // namespace rnicsim
