#include "model/system.h"

#include <algorithm>

namespace rnicsim {
namespace {

// Locally administered addresses (IEEE 802, bit 1 of the first octet).
constexpr MacAddress kMacA{0x02, 0, 0, 0, 0, 0x01};
constexpr MacAddress kMacB{0x02, 0, 0, 0, 0, 0x02};

/// The least time between a cycle and the first one in which the host or the wire can reach an RNIC. Verilog is
/// clocked by the kernel's time, and frames that overtake one another are taken in the order in which they are sent.
Cycle lookahead(const RunConfig& config, unsigned end) {
    const bool models = config.ends[0].rnic.blocks == BlockNames() && config.ends[1].rnic.blocks == BlockNames();
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
    const auto build_a = [&] {
        a_ = std::make_unique<EndSystem>("a", config.ends[0],
                                         EndSystem::Environment{0,
                                                                kMacA,
                                                                kMacB,
                                                                faults,
                                                                memory_bytes,
                                                                frames_,
                                                                transactions_,
                                                                blocks.a,
                                                                {lookahead(config, 0), horizon_},
                                                                observer});
    };
    const auto build_b = [&] {
        b_ = std::make_unique<EndSystem>("b", config.ends[1],
                                         EndSystem::Environment{1,
                                                                kMacB,
                                                                kMacA,
                                                                faults,
                                                                memory_bytes,
                                                                frames_,
                                                                transactions_,
                                                                blocks.b,
                                                                {lookahead(config, 1), horizon_},
                                                                observer});
    };
    const auto build_link = [&] {
        link_ = std::make_unique<Link>("link", config.link, Link::Environment{faults, frames_, observer});
    };
    switch (order) {
        case BuildOrder::a_b_link: build_a(), build_b(), build_link(); break;
        case BuildOrder::link_b_a: build_link(), build_b(), build_a(); break;
    }

    a_->wire_out().bind(link_->a_to_b.in);
    link_->a_to_b.out.bind(b_->rnic.gmac.wire_in);
    b_->wire_out().bind(link_->b_to_a.in);
    link_->b_to_a.out.bind(a_->rnic.gmac.wire_in);
}

void System::run(Time duration, Ahead ahead) {
    if (ahead == Ahead::allowed) horizon_.set(current_time() + duration);
    sc_core::sc_start(to_sc_time(duration));
}

std::uint64_t System::activations() const {
    return a_->host.activations() + a_->rnic.activations() + b_->host.activations() + b_->rnic.activations() +
           link_->activations();
}

}  // namespace rnicsim
