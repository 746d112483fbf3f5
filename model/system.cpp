#include "model/system.h"

#include <algorithm>

namespace rnicsim {
namespace {

/// Locally administered (IEEE 802, bit 1 of the first octet): 02:00:00:00 and the number of the host, from 1.
MacAddress address_of(unsigned host) {
    const unsigned number = host + 1;
    return {0x02, 0, 0, 0, static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number)};
}

/// The least time between a cycle and the first one in which the host or the wire can reach an RNIC. Verilog is
/// clocked by the kernel's time, and frames that overtake one another are taken in the order in which they are sent.
Cycle lookahead(const RunConfig& config, unsigned end) {
    const bool models =
        std::ranges::all_of(config.ends, [](const EndSystemConfig& e) { return e.rnic.blocks == BlockNames(); });
    const bool in_order = config.link.reordering == 0 && config.link.duplication == 0 && config.tape == nullptr;
    if (!models || !in_order) return Cycle{1};
    const Cycle from_host = config.ends[end].rnic.pcie.latency + Cycle{1};  // at least a cycle on the link
    return std::min(from_host, serialisation(kMinFrameBytes));
}

}  // namespace

System::System(sc_core::sc_module_name name, const RunConfig& config, std::uint64_t memory_bytes,
               const EndBlocks& blocks, FaultSource& faults, Observer* observer, BuildOrder order)
    : sc_module(name) {
    sc_assert(sc_core::sc_get_time_resolution() == sc_core::sc_time(1, sc_core::SC_PS));
    sc_assert(config.ends.size() == 2 && blocks.size() == 2 && config.names.size() == 2);  // one link joins two
    ends_.resize(config.ends.size());
    const auto build_link = [&] {
        link_ = std::make_unique<Link>("link", config.link, Link::Environment{faults, frames_, observer});
    };
    const auto build_end = [&](unsigned host) {
        ends_[host] = std::make_unique<EndSystem>(config.names[host].c_str(), config.ends[host],
                                                  EndSystem::Environment{host,
                                                                         address_of(host),
                                                                         address_of(1 - host),
                                                                         faults,
                                                                         memory_bytes,
                                                                         frames_,
                                                                         transactions_,
                                                                         *blocks[host],
                                                                         {lookahead(config, host), horizon_},
                                                                         observer});
    };
    switch (order) {
        case BuildOrder::hosts_first:
            for (unsigned host = 0; host < hosts(); ++host) build_end(host);
            build_link();
            break;
        case BuildOrder::links_first:
            build_link();
            for (unsigned host = hosts(); host-- > 0;) build_end(host);
            break;
    }
    for (unsigned side = 0; side < 2; ++side) {
        ends_[side]->wire_out().bind(link_->from(side).in);
        link_->from(side).out.bind(ends_[1 - side]->rnic.gmac.wire_in);
    }
}

bool System::idle() const {
    return link_->idle() && std::ranges::all_of(ends_, [](const auto& end) { return end->idle(); });
}

void System::run(Time duration, Ahead ahead) {
    if (ahead == Ahead::allowed) horizon_.set(current_time() + duration);
    sc_core::sc_start(to_sc_time(duration));
}

std::uint64_t System::activations() const {
    std::uint64_t all = link_->activations();
    for (const auto& end : ends_) all += end->host.activations() + end->rnic.activations();
    return all;
}

}  // namespace rnicsim
