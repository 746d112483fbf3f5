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
                         OperationBoard& board, BridgeUser& user)
    : config_(config), host_(host), has_(has), program_(program), board_(board), user_(user) {
    has.set_bridge_listener(*this);
}

void HostBridges::join(SimEnd& end, const ntb::Config& of, ntb::Bridge& bridge, const rc::Range& area,
                       const Firsts& firsts) {
    if (area.address - firsts.there + area.length > of.window)
        throw std::logic_error("a ring lies outside the window of " + of.name);
    Joined& joined = this->joined(of, bridge);
    ntb::Side& here = *joined.side;
    const std::uint64_t doorbell = joined.doorbell(joined.ends.size());
    joined.ends.push_back(&end);
    end.set_far({has_.stores(), here.window_at(0) + (area.address - firsts.there),
                 here.registers_at() + ntb::offset::kDoorbells + sizeof(std::uint32_t) * doorbell});
    if (!of.start_up) {
        here.open(0, firsts.there);
    } else if (!joined.start) {
        joined.start.emplace(BridgeStart::Init{number_of(of), here, has_, end.thread(), {firsts.here, of.window}},
                             *this);
    }
}

std::size_t HostBridges::number_of(const ntb::Config& of) const {
    const auto joins = [this](const ntb::Config& other) {
        return std::ranges::find(other.between, host_) != other.between.end();
    };
    const auto before = config_.bridges.begin() + (&of - config_.bridges.data());
    return static_cast<std::size_t>(std::count_if(config_.bridges.begin(), before, joins));
}

HostBridges::Joined& HostBridges::joined(const ntb::Config& of, ntb::Bridge& bridge) {
    const std::size_t number = number_of(of);
    while (by_number_.size() <= number) by_number_.emplace_back();
    Joined& joined = by_number_[number];
    joined.bridge = &bridge;
    joined.side = &bridge.side(of.between[0] == host_ ? 0 : 1);
    joined.first_doorbell = of.start_up ? ntb::Handshake::kDoorbell + 1 : 0;
    return joined;
}

bool HostBridges::may_use(const ntb::Bridge& bridge) const {
    const auto of = std::ranges::find(by_number_, &bridge, &Joined::bridge);
    return !of->start || of->start->is_ready();
}

/// A doorbell's by the end whose it is; what the driver or all of them are told, by the first one.
Thread HostBridges::handled_by(unsigned number, unsigned bit) const {
    const Joined& of = by_number_.at(number);
    for (std::size_t i = 0; i < of.ends.size(); ++i)
        if (of.doorbell(i) == bit) return of.ends[i]->thread();
    return of.ends.front()->thread();
}

/// Bits of a bridge are the first codes of its calls, those of its start come behind them.
void HostBridges::call(std::size_t bridge, unsigned code, Cycle at) {
    board_.works_until(has_.clock().time(at));
    const std::uint64_t vector = bridge * ntb::kVectors + code;
    has_.driver.call_in_order(at, program_.with((vector << SimEnd::kPlaceBits) + kPlace));
}

void HostBridges::bridge_interrupted(Cycle at, unsigned number, unsigned bit) { call(number, bit, at); }

void HostBridges::call_start(std::size_t bridge, BridgeStart::Call what, Cycle at) {
    call(bridge, kFirstStart + static_cast<unsigned>(what), at);
}

void HostBridges::ready(std::size_t bridge, Cycle now) {
    const Joined& of = by_number_.at(bridge);
    user_.may_use(host_, *of.bridge, now);
    for (SimEnd* const end : of.ends)
        if (end->is_without_link() && of.bridge->is_up()) end->link_changed(now, true);
}

void HostBridges::called(Cycle now, std::uint64_t number) {
    Joined& of = by_number_.at(number / ntb::kVectors);
    const auto code = static_cast<unsigned>(number % ntb::kVectors);
    if (code >= kFirstStart)
        return of.start->called(BridgeStart::Call{static_cast<std::uint8_t>(code - kFirstStart)}, now);
    of.side->acknowledge(code);    // what happens to the bit from now on interrupts again
    if (board_.is_over()) return;  // else rings would begin anew for ever
    tell(now, of, code);
}

/// As long as its window is closed nobody has stored anything here, nor there: no ring has to begin anew. Whose
/// messages go by a stream meanwhile has a link from ready() on.
bool HostBridges::hears_of_link(const Joined& of, const SimEnd& end) {
    if (!of.start) return true;
    return end.is_without_link() ? of.start->is_ready() : of.start->is_open();
}

void HostBridges::tell(Cycle now, Joined& of, unsigned bit) {
    if (of.start && bit == ntb::Handshake::kDoorbell) return of.start->rung(now);
    if (of.start && bit == ntb::kLinkBit && of.bridge->is_up()) of.start->link_up(now);
    for (std::size_t i = 0; i < of.ends.size(); ++i) {
        if (bit == ntb::kLinkBit) {
            if (hears_of_link(of, *of.ends[i])) of.ends[i]->link_changed(now, of.bridge->is_up());
        } else if (of.doorbell(i) == bit) {
            of.ends[i]->rung(now);
        }
    }
}

}  // namespace rnicsim
