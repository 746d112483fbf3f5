// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/host/registrar.h"

#include <algorithm>
#include <utility>

namespace rnicsim {

Registrar::Registrar(const RegistrationConfig& config, FaultSource& faults, unsigned end, PeerHosts peers,
                     std::uint64_t memory_bytes)
    : config_(config),
      faults_(faults),
      end_(end),
      peers_(std::move(peers)),
      memory_bytes_(memory_bytes),
      pool_(config.pool, faults, end),
      of_(peers_.size()) {}

Registrar::Region* Registrar::find(const Key& key) {
    const auto found = std::ranges::find(regions_, key, &Region::key);
    return found == regions_.end() ? nullptr : &*found;
}

Registrar::Region& Registrar::add(const Event& request) {
    Region& region = regions_.emplace_back();
    region.key = key_of(request);
    Of& of = of_.at(raw(request.peer));
    region.transfer = of.numbers.number_of(request.tid);
    if (const auto before = of.attempts.find(region.transfer); before != of.attempts.end()) {
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
        Of& of = of_.at(raw(key.peer));
        of.attempts[found->transfer] = found->attempts;
        // No TID can mean these any more.
        of.attempts.erase(of.attempts.begin(), of.attempts.lower_bound(of.numbers.oldest()));
    }
    if (found->registered) pool_.give_back(found->bytes);
    regions_.erase(found);
}

RegistrationOutcome Registrar::attempt(Region& region) {
    ++counters_.registrations;
    region.waits_for_memory = false;
    const bool legal = region.bytes != 0 && region.base >= kRings.regions && region.base <= memory_bytes_ &&
                       region.bytes <= memory_bytes_ - region.base;
    const bool failed = faults_.registration_fails(end_, peers_[region.key.peer], region.transfer, region.attempts++);
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

std::size_t Registrar::remembered() const {
    std::size_t all = 0;
    for (const Of& of : of_) all += of.attempts.size();
    return all;
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
