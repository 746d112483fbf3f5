#include "model/system.h"

namespace rnicsim {
namespace {

// Locally administered addresses (IEEE 802, bit 1 of the first octet).
constexpr MacAddress kMacA{0x02, 0, 0, 0, 0, 0x01};
constexpr MacAddress kMacB{0x02, 0, 0, 0, 0, 0x02};

}  // namespace

System::System(sc_core::sc_module_name name, const RunConfig& config, std::uint64_t memory_bytes,
               const BlockFactory& blocks, FaultSource& faults, Observer* observer, BuildOrder order)
    : sc_module(name) {
    sc_assert(sc_core::sc_get_time_resolution() == sc_core::sc_time(1, sc_core::SC_PS));
    const auto build_a = [&] {
        a_ = std::make_unique<EndSystem>(
            "a", config.ends[0],
            EndSystem::Environment{0, kMacA, kMacB, faults, memory_bytes, frames_, transactions_, blocks, observer});
    };
    const auto build_b = [&] {
        b_ = std::make_unique<EndSystem>(
            "b", config.ends[1],
            EndSystem::Environment{1, kMacB, kMacA, faults, memory_bytes, frames_, transactions_, blocks, observer});
    };
    const auto build_link = [&] {
        link_ = std::make_unique<LossyLink>("link", config.link, LossyLink::Environment{faults, frames_, observer});
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

std::uint64_t System::activations() const {
    return a_->host.activations() + a_->rnic.activations() + b_->host.activations() + b_->rnic.activations() +
           link_->activations();
}

}  // namespace rnicsim
