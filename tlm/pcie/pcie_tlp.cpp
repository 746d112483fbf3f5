// SPDX-License-Identifier: Apache-2.0
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
    const bool reads = kind == TlpKind::memory_read || kind == TlpKind::load;
    transaction.set_command(reads ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
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

PciePool::Taken PciePool::take_load(std::uint64_t address, std::uint32_t bytes) {
    assert(bytes <= kMostPosted);
    const Taken taken = take(TlpKind::load, address, nullptr, bytes);
    taken.transaction.set_data_ptr(taken.extension.posted.data());
    return taken;
}

void PciePool::free(tlm::tlm_generic_payload* transaction) {
    TlpExtension& extension = tlp(*transaction);
    extension.frame = {};
    free_.push_back({transaction, &extension});
}

}  // namespace rnicsim
