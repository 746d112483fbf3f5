#include "model/system.h"

namespace rnicsim {
namespace {

// Locally administered addresses (IEEE 802, bit 1 of the first octet).
constexpr MacAddress kMacA{0x02, 0, 0, 0, 0, 0x01};
constexpr MacAddress kMacB{0x02, 0, 0, 0, 0, 0x02};

}  // namespace

System::System(sc_core::sc_module_name name, const RunConfig& config, std::uint64_t memory_bytes, Observer* observer)
    : sc_module(name),
      a("a", config.ends[0],
        {0, kMacA, kMacB, {config.seed, config.repetition}, memory_bytes, frames_, transactions_, observer}),
      b("b", config.ends[1],
        {1, kMacB, kMacA, {config.seed, config.repetition}, memory_bytes, frames_, transactions_, observer}),
      link("link", config.link, {config.seed, config.repetition}) {
    sc_assert(sc_core::sc_get_time_resolution() == sc_core::sc_time(1, sc_core::SC_PS));
    a.wire_out().bind(link.a_to_b.in);
    b.wire_out().bind(link.b_to_a.in);
    link.a_to_b.out.bind(b.rnic.gmac.wire_in);
    link.b_to_a.out.bind(a.rnic.gmac.wire_in);
}

std::uint64_t System::activations() const {
    return a.host.activations() + a.rnic.activations() + b.host.activations() + b.rnic.activations();
}

}  // namespace rnicsim
