#include "model/host/registrar.h"

#include <algorithm>

namespace rnicsim {

Registrar::Registrar(const RegistrationConfig& config, FaultSource& faults, unsigned end, std::uint64_t memory_bytes)
    : config_(config), faults_(faults), end_(end), memory_bytes_(memory_bytes), pool_(config.pool, faults, end) {}

Registrar::Region* Registrar::find(const Key& key) {
    const auto found = std::ranges::find(regions_, key, &Region::key);
    return found == regions_.end() ? nullptr : &*found;
}

Registrar::Region& Registrar::add(const Event& request) {
    Region& region = regions_.emplace_back();
    region.key = key_of(request);
    region.transfer = numbers_.number_of(request.tid);
    if (const auto before = attempts_.find(region.transfer); before != attempts_.end()) {
        region.attempts = before->second;
    }
    region.base = request.dba;
    region.bytes = request.length;
    region.writable = request.read == 0;
    return region;
}

void Registrar::remove(const Key& key, bool given_up) {
    const auto found = std::ranges::find(regions_, key, &Region::key);
    if (found == regions_.end()) return;
    if (given_up) {
        attempts_[found->transfer] = found->attempts;
        attempts_.erase(attempts_.begin(), attempts_.lower_bound(numbers_.oldest()));  // no TID can mean these any more
    }
    if (found->registered) pool_.give_back(found->bytes);
    regions_.erase(found);
}

RegistrationOutcome Registrar::attempt(Region& region) {
    ++counters_.registrations;
    region.waits_for_memory = false;
    const bool legal = region.bytes != 0 && region.base >= kRings.regions && region.base <= memory_bytes_ &&
                       region.bytes <= memory_bytes_ - region.base;
    const bool failed = faults_.registration_fails(end_, region.transfer, region.attempts++);
    if (!legal) {
        ++counters_.refusals;
        return RegistrationOutcome::refused;
    }
    if (failed) {
        ++counters_.failures;
        return RegistrationOutcome::failed;
    }
    if (!pool_.take(region.bytes)) {
        ++counters_.no_memory;
        return RegistrationOutcome::no_memory;
    }
    region.registered = true;
    return RegistrationOutcome::registered;
}

Cycle Registrar::work() const {
    Cycle sum;
    for (const Region& region : regions_) sum += cost(region);
    return sum;
}

std::vector<Registrar::Key> Registrar::take_waiting() {
    std::vector<Key> waiting;
    for (Region& region : regions_) {
        if (!region.waits_for_memory) continue;
        region.waits_for_memory = false;
        waiting.push_back(region.key);
    }
    return waiting;
}

std::vector<std::string> Registrar::waiting() const {
    std::vector<std::string> lines;
    for (const Region& region : regions_) {
        std::string line = "peer's region for tid " + std::to_string(raw(region.key.tid)) + ": ";
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
