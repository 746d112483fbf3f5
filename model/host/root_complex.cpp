// SPDX-License-Identifier: Apache-2.0
#include "model/host/root_complex.h"

#include "tlm/pcie/tlp_count.h"

#include <cassert>
#include <string>

namespace rnicsim {

RootComplex::RootComplex(sc_core::sc_module_name name, const PcieConfig& link, PciePool& pool,
                         InterruptTarget& processor, ClockedWakeup& wakeup, const Horizon& horizon,
                         const RootPortConfig& ports)
    : sc_module(name),
      card("card", link, ports, pool, *this, wakeup, horizon),
      pool_(pool),
      ports_(ports),
      processor_(processor),
      wakeup_(wakeup),
      horizon_(horizon) {
    map.add_bar_at(0, 0, kBar0, kLeastBar);
}

RootPort& RootComplex::add_port(const PcieConfig& link) {
    const std::string name = "port" + std::to_string(more_.size() + 1);
    more_.push_back(std::make_unique<RootPort>(name.c_str(), link, ports_, pool_, *this, wakeup_, horizon_));
    return *more_.back();
}

RootPort& RootComplex::first_due() {
    RootPort* first = &card;
    for (const auto& port : more_)
        if (port->next_due() < first->next_due()) first = port.get();
    return *first;
}

Cycle RootComplex::first_due_cycle() const {
    Cycle first = card.next_due();
    for (const auto& port : more_) first = std::min(first, port->next_due());
    return first;
}

void RootComplex::deliver(Cycle now) {
    if (more_.empty()) return card.deliver(now);
    for (const auto& port : more_) port->let_device_act(now);
    while (next_due() <= now) first_due().deliver_next(now);
}

void RootComplex::write_register(Cycle now, std::uint64_t offset, std::span<const std::uint8_t> bytes) {
    card.write(now, kBar0 + offset, bytes);
}

const AddressRange* RootComplex::bar_at(std::uint64_t address, std::uint32_t bytes) const {
    const AddressRange* const there = map.find(address, bytes);
    assert(there == nullptr || there->kind != AddressKind::dram);
    return there != nullptr && there->kind == AddressKind::bar ? there : nullptr;
}

void RootComplex::read(Cycle now, std::uint64_t address, std::uint32_t bytes, const Loader& loader,
                       TlpAttributes attributes) {
    assert(bytes != 0 && address % kMostPosted + bytes <= kMostPosted);
    if (const AddressRange* const there = bar_at(address, bytes))
        return port(there->device).load(now, address, bytes, loader, attributes);
    count_unsupported(1);
    loader.core->loaded(wakeup_.clock().time(now) + ports_.down * 2, loader.context, all_ones(bytes));
}

bool RootComplex::has_place(Cycle now, std::uint64_t address, std::uint32_t bytes, PlaceTarget& core) {
    const AddressRange* const there = bar_at(address, bytes);
    return there == nullptr || port(there->device).has_place(now, core);
}

void RootComplex::write(Cycle now, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const std::uint32_t n = first_tlp_bytes(address, static_cast<std::uint32_t>(bytes.size()), kTlpBoundary);
        if (const AddressRange* const there = bar_at(address, n)) {
            port(there->device).store(now, address, bytes.first(n));
        } else {
            count_unsupported(1);
        }
        address += n;
        bytes = bytes.subspan(n);
    }
}

}  // namespace rnicsim
