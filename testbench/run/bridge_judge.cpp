// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/bridge_judge.h"

#include "testbench/events/microseconds.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace rnicsim {
namespace {

std::span<const std::uint8_t> data_of(const tlm::tlm_generic_payload& transaction) {
    return {transaction.get_data_ptr(), transaction.get_data_length()};
}

}  // namespace

void BridgeJudge::add(const ntb::Bridge& bridge, const std::array<unsigned, 2>& between,
                      std::array<std::string, 2> names) {
    for (unsigned side = 0; side < 2; ++side) {
        Direction& of = directions_.emplace_back();
        of.from = &bridge.side(side);
        of.name = std::move(names.at(side));
        of.hosts = {between.at(side), between.at(1 - side)};
    }
}

BridgeJudge::Direction& BridgeJudge::of(const Crossing& way) {
    Direction& first = directions_.at(std::size_t{way.bridge} * 2);
    return first.hosts[0] == way.from ? first : directions_.at(std::size_t{way.bridge} * 2 + 1);
}

void BridgeJudge::wrong(const Direction& of, const Store& store, const std::string& what) {
    if (!violation_.empty()) return;
    violation_ = fmt::format("invariant violated at {} us: {}: the store of {} B to 0x{:x} {}",
                             exact_microseconds(current_time()), of.name, store.bytes, store.address, what);
}

/// Not by Window::translate(): that is judged.
std::optional<std::uint64_t> BridgeJudge::leads_to(const ntb::Registers& registers, const Store& store) {
    for (const ntb::Window& window : registers.windows()) {
        const std::uint64_t end = std::min(window.base + window.size, window.xlmt), last = store.address + store.bytes;
        if (window.on && store.address >= window.base && last <= end) return store.address - window.base + window.xbase;
    }
    return std::nullopt;
}

void BridgeJudge::bridge_sent(const Crossing& way, tlm::tlm_generic_payload& transaction, Time /*left*/) {
    if (tlp(transaction).kind != TlpKind::memory_write) return;
    Store store{&transaction, transaction.get_address(), transaction.get_data_length(), {}};
    std::ranges::copy(data_of(transaction).first(std::min<std::size_t>(store.bytes, store.data.size())),
                      store.data.begin());
    of(way).sent.push(store);
}

void BridgeJudge::bridge_crossed(const Crossing& way, tlm::tlm_generic_payload& transaction, Crossed how) {
    if (tlp(transaction).kind != TlpKind::memory_write) return;
    Direction& of = this->of(way);
    if (of.sent.empty() || of.sent.front().transaction != &transaction) {
        const Store store{&transaction, transaction.get_address(), transaction.get_data_length(), {}};
        return wrong(of, store, "crosses out of turn");
    }
    Store store = of.sent.pop();
    if (how == Crossed::dropped || how == Crossed::taken_by_registers) return;
    const std::optional<std::uint64_t> there = leads_to(of.from->registers(), store);
    if (there.has_value() != (how == Crossed::delivered))
        return wrong(of, store, there ? "is refused, though a window takes it" : "crosses, though no window takes it");
    if (!there) return;
    store.address = *there;
    of.delivered.push(store);
}

void BridgeJudge::memory_access(unsigned host, const tlm::tlm_generic_payload& transaction) {
    if (!transaction.is_write()) return;
    for (Direction& of : directions_) {
        if (of.hosts[1] != host || of.delivered.empty() || of.delivered.front().transaction != &transaction) continue;
        const Store store = of.delivered.pop();
        const std::uint64_t address = transaction.get_address();
        const std::span<const std::uint8_t> data = data_of(transaction);
        if (address != store.address) return wrong(of, store, fmt::format("is written to 0x{:x}", address));
        if (data.size() != store.bytes) return wrong(of, store, fmt::format("is written with {} B", data.size()));
        if (!std::equal(data.begin(), data.end(), store.data.begin()))
            return wrong(of, store, "is written with other bytes");
        return;
    }
}

void BridgeJudge::check_idle() {
    for (const Direction& of : directions_) {
        if (!of.sent.empty()) wrong(of, of.sent.front(), "has not crossed, and nothing is under way");
        if (!of.delivered.empty()) wrong(of, of.delivered.front(), "is in no memory, and nothing is under way");
    }
}

}  // namespace rnicsim
