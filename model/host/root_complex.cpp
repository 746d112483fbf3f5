// SPDX-License-Identifier: Apache-2.0
#include "model/host/root_complex.h"

#include "tlm/pcie/address_map.h"

#include <string>

namespace rnicsim {

RootComplex::RootComplex(sc_core::sc_module_name name, const PcieConfig& link, PciePool& pool,
                         InterruptTarget& processor, ClockedWakeup& wakeup, const Horizon& horizon)
    : sc_module(name),
      card("card", link, pool, *this, wakeup, horizon),
      pool_(pool),
      processor_(processor),
      wakeup_(wakeup),
      horizon_(horizon) {}

RootPort& RootComplex::add_port(const PcieConfig& link) {
    const std::string name = "port" + std::to_string(more_.size() + 1);
    more_.push_back(std::make_unique<RootPort>(name.c_str(), link, pool_, *this, wakeup_, horizon_));
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
    while (next_due() <= now) first_due().deliver_next(now);
}

void RootComplex::write_register(Cycle now, std::uint64_t offset, std::span<const std::uint8_t> bytes) {
    card.write(now, kBar0 + offset, bytes);
}

}  // namespace rnicsim
