#include "tlm/pcie/pcie_tlp.h"

#include <algorithm>
#include <cassert>

namespace rnicsim {

PciePool::~PciePool() = default;

PciePool::Taken PciePool::take(TlpKind kind, std::uint64_t address, const std::uint8_t* data, std::uint32_t bytes) {
    if (free_.empty()) {
        all_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
        all_.back()->set_extension(new TlpExtension);  // owned by the payload from here on
        free_.push_back({all_.back().get(), &tlp(*all_.back())});
    }
    tlm::tlm_generic_payload& transaction = *free_.back().transaction;
    TlpExtension& extension = *free_.back().extension;
    free_.pop_back();
    transaction.acquire();
    transaction.set_command(kind == TlpKind::memory_read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
    transaction.set_address(address);
    // A generic payload has one pointer for both commands; the target of a write only reads through it.
    transaction.set_data_ptr(const_cast<std::uint8_t*>(data));
    transaction.set_data_length(bytes);
    transaction.set_streaming_width(bytes);
    transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    extension.kind = kind;
    extension.follows_on = false;
    return {transaction, extension};
}

PciePool::Taken PciePool::take_posted(TlpKind kind, std::uint64_t address, std::span<const std::uint8_t> data) {
    assert(data.size() <= kMostPosted);
    const Taken taken = take(kind, address, nullptr, static_cast<std::uint32_t>(data.size()));
    std::ranges::copy(data, taken.extension.posted.begin());
    taken.transaction.set_data_ptr(taken.extension.posted.data());
    return taken;
}

void PciePool::free(tlm::tlm_generic_payload* transaction) {
    TlpExtension& extension = tlp(*transaction);
    extension.frame = {};
    free_.push_back({transaction, &extension});
}

PcieLane::PcieLane(std::uint32_t generation, std::uint32_t lanes) {
    assert(generation >= 1 && generation <= 3 && lanes >= 1 && lanes <= 16);
    // Per lane and byte: Gen1 2.5 GT/s 8b/10b = 4000 ps, Gen2 = 2000 ps, Gen3 8 GT/s 128b/130b = 1015.625 ps.
    constexpr std::int64_t kPsPerKib[] = {4'096'000, 2'048'000, 1'040'000};
    ps_per_kib_ = kPsPerKib[generation - 1] / lanes;
}

Time PcieLane::send(Time from, std::uint32_t bytes) {
    free_at_ = std::max(from, free_at_) + Time{(ps_per_kib_ * bytes + 1023) / 1024};
    return free_at_;
}

}  // namespace rnicsim
