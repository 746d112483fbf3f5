#include "model/host/registrar.h"

#include <algorithm>

namespace rnicsim {

Registrar::Registrar(const RegistrationConfig& config, FaultSource& faults, unsigned end, std::uint64_t memory_bytes)
    : config_(config), faults_(faults), end_(end), memory_bytes_(memory_bytes), pool_(config.pool, faults, end) {}

Registrar::Region* Registrar::find(Tid tid) {
    const auto found = std::ranges::find(regions_, tid, &Region::tid);
    return found == regions_.end() ? nullptr : &*found;
}

Registrar::Region& Registrar::add(const Event& request) {
    Region& region = regions_.emplace_back();
    region.tid = request.tid;
    region.transfer = numbers_.number_of(request.tid);
    region.base = request.dba;
    region.bytes = request.length;
    region.writable = request.read == 0;
    return region;
}

void Registrar::remove(Tid tid) {
    const auto found = std::ranges::find(regions_, tid, &Region::tid);
    if (found == regions_.end()) return;
    if (found->registered) pool_.give_back(found->bytes);
    regions_.erase(found);
}

RegistrationOutcome Registrar::attempt(Region& region) {
    ++counters_.registrations;
    region.waits_for_memory = false;
    const bool legal = region.bytes != 0 && region.base >= kRings.regions && region.base <= memory_bytes_ &&
                       region.bytes <= memory_bytes_ - region.base;
    const bool unlucky = faults_.registration_fails(end_, region.transfer, region.attempts++);
    if (!legal) {
        ++counters_.refusals;
        return RegistrationOutcome::refused;
    }
    if (unlucky) {
        ++counters_.failures;
        return RegistrationOutcome::unlucky;
    }
    if (!pool_.take(region.bytes)) {
        ++counters_.no_memory;
        return RegistrationOutcome::no_memory;
    }
    region.registered = true;
    return RegistrationOutcome::registered;
}

Cycle Registrar::cost(const Region& region) const {
    constexpr std::int64_t kPage = 4096;
    return config_.base_cost + config_.page_cost * ((region.bytes + kPage - 1) / kPage);
}

std::vector<Tid> Registrar::take_waiting() {
    std::vector<Tid> waiting;
    for (Region& region : regions_) {
        if (!region.waits_for_memory) continue;
        region.waits_for_memory = false;
        waiting.push_back(region.tid);
    }
    return waiting;
}

std::vector<std::string> Registrar::waiting() const {
    std::vector<std::string> lines;
    for (const Region& region : regions_) {
        std::string line = "peer's region for tid " + std::to_string(raw(region.tid)) + ": ";
        if (region.registered) {
            line += "registered";
        } else {
            line += "not registered, " + std::to_string(region.attempts) + " attempts";
            if (region.waits_for_memory) {
                line += ", waits for memory";
            } else if (region.retry_planned) {
                line += ", retry planned";
            }
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace rnicsim
