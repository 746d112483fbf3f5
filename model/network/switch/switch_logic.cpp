#include "model/network/switch/switch_logic.h"

#include "tlm/ethernet_frame.h"

#include <algorithm>
#include <utility>

namespace rnicsim {

SwitchLogic::SwitchLogic(const SwitchConfig& config, std::vector<MacTiming> ports, std::vector<std::size_t> routes)
    : config_(config), routes_(std::move(routes)), buffer_(config, ports.size()) {
    ports_.reserve(ports.size());
    for (const MacTiming& timing : ports) ports_.push_back({.timing = timing, .free_at = {}, .counters = {}});
}

void SwitchLogic::settle(Time now) {
    while (!leaving_.empty() && leaving_.front().end <= now) {
        const Leaving left = leaving_.front();
        std::ranges::pop_heap(leaving_, &Leaving::later_than);
        leaving_.pop_back();
        buffer_.release(left.port, left.bytes);
        queued_bytes_ -= static_cast<std::uint64_t>(left.bytes);
        Counters& counters = ports_[left.port].counters;
        ++counters.out;
        counters.out_bytes += static_cast<std::uint64_t>(left.bytes);
    }
}

std::optional<DropReason> SwitchLogic::refuses(const Arrival& frame) {
    if (frame.length < static_cast<std::int64_t>(kMinFrameBytes)) return DropReason::runt;
    if (frame.length > config_.mtu + static_cast<std::int64_t>(kEthernetHeaderBytes + kFcsBytes))
        return DropReason::oversize;
    if (!frame.fcs_good) return DropReason::bad_fcs;
    const bool known = frame.to && *frame.to < routes_.size() && routes_[*frame.to] < ports_.size();
    if (!known || routes_[*frame.to] == frame.port) return DropReason::no_route;
    return std::nullopt;
}

SwitchLogic::Verdict SwitchLogic::arrives(Time now, const Arrival& frame) {
    settle(now);
    Counters& arrived = ports_[frame.port].counters;
    ++arrived.in;
    arrived.in_bytes += static_cast<std::uint64_t>(frame.length);
    std::optional<DropReason> dropped = refuses(frame);
    if (!dropped) {
        const std::size_t egress = routes_[*frame.to];
        dropped = buffer_.admit(egress, frame.length);
        if (dropped) ++ports_[egress].counters.refused;
    }
    if (dropped) {
        ++arrived.dropped[static_cast<std::size_t>(*dropped)];
        arrived.dropped_bytes += static_cast<std::uint64_t>(frame.length);
        return {dropped, {}};
    }
    const std::size_t egress = routes_[*frame.to];
    Port& port = ports_[egress];
    const Time begin = std::max(now + config_.latency, port.free_at);
    const Time end = begin + port.timing.serialisation(static_cast<std::size_t>(frame.length));
    port.free_at = end + port.timing.gap();
    leaving_.push_back({end, egress, frame.length});
    std::ranges::push_heap(leaving_, &Leaving::later_than);
    queued_bytes_ += static_cast<std::uint64_t>(frame.length);
    return {std::nullopt, {egress, begin, end}};
}

}  // namespace rnicsim
