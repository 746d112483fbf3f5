// SPDX-License-Identifier: Apache-2.0
#include "model/host/cpu/store_cores.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace rnicsim {

StoreCores::StoreCores(const StoreConfig& config, std::size_t cores, RootComplex& root, ClockedWakeup& wakeup,
                       const RandomSource& random, unsigned host)
    : config_(config) {
    for (std::size_t core = 0; core < cores; ++core) {
        const std::uint64_t number = std::uint64_t{host} << 32U | core;
        cores_.push_back(std::make_unique<Core>(config, root, wakeup, random, number));
    }
}

void StoreCores::begin(std::size_t core, Time from, std::span<const StoreInstruction> program, StoreTarget& target,
                       std::uint64_t context) {
    cores_.at(core)->add({from, {program.begin(), program.end()}, &target, context});
}

void StoreCores::interrupt(std::size_t core, Cycle at) {
    interrupts_.insert(std::ranges::upper_bound(interrupts_, at, {}, &Interrupt::at), {at, core});
}

Time StoreCores::least(std::span<const StoreInstruction> program) const {
    Time sum;
    for (const StoreInstruction& one : program) {
        switch (one.what) {
            case StoreInstruction::What::copy: {
                if (config_.mapping == Mapping::uncached) break;  // nobody says how long before it is over
                const std::uint64_t first = one.address / WriteCombining::kLine,
                                    last = (one.address + one.bytes.size() - 1) / WriteCombining::kLine;
                sum += config_.line * static_cast<std::int64_t>(last - first + 1);
                break;
            }
            case StoreInstruction::What::word: sum += config_.store; break;
            case StoreInstruction::What::fence: sum += config_.fence; break;
            case StoreInstruction::What::load:
            case StoreInstruction::What::doorbell:
            case StoreInstruction::What::write_register:
            case StoreInstruction::What::read_register: break;
        }
    }
    return sum;
}

Cycle StoreCores::next_due() const {
    Cycle first = interrupts_.empty() ? kNever : interrupts_.front().at;
    for (const auto& core : cores_) first = std::min(first, core->path.next_due());
    return first;
}

void StoreCores::run(Cycle now) {
    for (; !interrupts_.empty() && interrupts_.front().at <= now; interrupts_.erase(interrupts_.begin()))
        cores_.at(interrupts_.front().core)->path.interrupt(now);
    for (const auto& core : cores_)
        if (core->path.next_due() <= now) core->path.run(now);
}

bool StoreCores::idle() const {
    return std::ranges::all_of(cores_, [](const auto& core) { return core->idle(); });
}

void StoreCores::Core::add(Program program) {
    programs_.push_back(std::move(program));
    if (programs_.size() == 1) begin();
}

void StoreCores::Core::begin() {
    Program& first = programs_.front();
    first.from = std::max(first.from, over_);
    next(first.from);
}

void StoreCores::Core::ended(Time at) {
    if (next_ != programs_.front().instructions.size()) return next(at);
    const Program over = std::move(programs_.front());
    programs_.pop_front();
    next_ = 0;
    over_ = at;
    over.target->stores_over(over.from, at, over.context);
    // Its target may have begun another one.
    if (!path.busy() && !programs_.empty()) begin();
}

void StoreCores::Core::next(Time from) {
    const StoreInstruction& one = programs_.front().instructions[next_++];
    std::array<std::uint8_t, sizeof one.word> bytes{};
    std::memcpy(bytes.data(), &one.word, bytes.size());
    switch (one.what) {
        case StoreInstruction::What::copy: return path.copy(from, one.address, one.bytes, mapping_);
        case StoreInstruction::What::fence: return path.fence(from);
        case StoreInstruction::What::load: return path.load(from, one.address, one.into, mapping_);
        case StoreInstruction::What::word: return path.store(from, one.address, bytes, mapping_);
        case StoreInstruction::What::doorbell:
            return path.store(from, one.address, std::span(bytes).first(sizeof(std::uint32_t)), Mapping::uncached);
        case StoreInstruction::What::write_register: return path.store(from, one.address, bytes, Mapping::uncached);
        case StoreInstruction::What::read_register: return path.load(from, one.address, one.into, Mapping::uncached);
    }
}

}  // namespace rnicsim
