// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/applications/host_bridges.h"

#include <algorithm>
#include <stdexcept>

namespace rnicsim {

const ntb::Config& bridge_between(const RunConfig& config, std::array<unsigned, 2> hosts) {
    const auto found = std::ranges::find_if(config.bridges, [&](const ntb::Config& bridge) {
        return bridge.between == hosts || bridge.between == std::array{hosts[1], hosts[0]};
    });
    if (found == config.bridges.end()) throw std::logic_error("two hosts of an application have no bridge");
    return *found;
}

HostBridges::HostBridges(const RunConfig& config, unsigned host, VerbsHost& has, ProgramNumber program,
                         OperationBoard& board)
    : config_(config), host_(host), has_(has), program_(program), board_(board) {
    has.set_bridge_listener(*this);
}

void HostBridges::join(SimEnd& end, const ntb::Config& of, ntb::Bridge& bridge, const rc::Range& area,
                       std::uint64_t first) {
    if (area.address - first + area.length > of.window)
        throw std::logic_error("a ring lies outside the window of " + of.name);
    Joined& joined = this->joined(of, bridge);
    ntb::Side& here = *joined.side;
    here.open(0, first);
    const std::uint64_t doorbell =
        joined.ends.size() % ntb::Registers::kDoorbells;  // both hosts have them in this order
    joined.ends.push_back(&end);
    end.set_far({has_.stores(), here.window_at(0) + (area.address - first),
                 here.registers_at() + ntb::offset::kDoorbells + sizeof(std::uint32_t) * doorbell});
}

HostBridges::Joined& HostBridges::joined(const ntb::Config& of, ntb::Bridge& bridge) {
    const auto joins = [this](const ntb::Config& other) {
        return std::ranges::find(other.between, host_) != other.between.end();
    };
    const auto before = config_.bridges.begin() + (&of - config_.bridges.data());
    const auto number = static_cast<std::size_t>(std::count_if(config_.bridges.begin(), before, joins));
    by_number_.resize(std::max(by_number_.size(), number + 1));
    by_number_[number].bridge = &bridge;
    by_number_[number].side = &bridge.side(of.between[0] == host_ ? 0 : 1);
    return by_number_[number];
}

/// A doorbell's by the end whose it is; what all of them are told, by the first one.
Thread HostBridges::handled_by(unsigned number, unsigned bit) const {
    const std::vector<SimEnd*>& of = by_number_.at(number).ends;
    return of.at(bit < of.size() ? bit : 0)->thread();
}

void HostBridges::bridge_interrupted(Cycle at, unsigned number, unsigned bit) {
    board_.works_until(has_.clock().time(at));
    const std::uint64_t vector = std::uint64_t{number} * ntb::kVectors + bit;
    has_.driver.call_in_order(at, program_.with((vector << SimEnd::kPlaceBits) + kPlace));
}

/// What happens to the bit from now on interrupts again.
void HostBridges::called(Cycle now, std::uint64_t number) {
    const Joined& of = by_number_.at(number / ntb::kVectors);
    const auto bit = static_cast<unsigned>(number % ntb::kVectors);
    of.side->acknowledge(bit);
    if (board_.is_over()) return;  // else rings would begin anew for ever
    for (std::size_t i = 0; i < of.ends.size(); ++i) {
        if (bit == ntb::kLinkBit) {
            of.ends[i]->link_changed(now, of.bridge->is_up());
        } else if (i % ntb::Registers::kDoorbells == bit) {
            of.ends[i]->rung(now);
        }
    }
}

}  // namespace rnicsim
