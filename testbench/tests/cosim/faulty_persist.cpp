// SPDX-License-Identifier: Apache-2.0
// A persist module in a card with one wrong port: cosim names that port; and a right one under random calls, with QPs
// that come and go.
#include "Vpm_module_card.h"
#include "model/rtl/pm_rtl.h"
#include "testbench/tests/cosim/faulty_blocks.h"

#include <algorithm>
#include <random>
#include <vector>

namespace rnicsim {
namespace {

/// Calls in any order that keeps to what the module promises; `qps` at most. Returns how many PACKs there were.
template <typename Module>
std::uint64_t live(std::uint32_t seed, int calls, std::uint32_t qps, bool coalesce) {
    std::mt19937 random(seed);
    PmRtl<Module> module({4, coalesce, 64}, {});
    std::vector<std::uint32_t> under_way, psns(qps);
    std::uint32_t unposted = 0;
    std::uint64_t packs = 0;
    for (int i = 0; i < calls; ++i) {
        const std::uint32_t qp = random() % qps;
        switch (random() % 8) {
            case 0:
            case 1:
            case 2:
                if (!module.has_room()) break;
                module.accept({rc::Qpn{1000 + 7 * qp}, rc::Psn{psns[qp] = (psns[qp] + 1) & rc::Psn::kMask}, random()});
                ++unposted;
                break;
            case 3:
            case 4:
                if (unposted == 0) break;
                module.posted();
                --unposted;
                break;
            case 5:
                while (const auto read = module.next_read()) under_way.push_back(read->tag);
                break;
            case 6: {
                if (under_way.empty()) break;
                std::swap(under_way[random() % under_way.size()], under_way.back());
                module.completed(under_way.back());
                under_way.pop_back();
                while (module.next_pack()) ++packs;
                break;
            }
            default:
                if (random() % 100 == 0) module.drop(rc::Qpn{1000 + 7 * qp});
        }
    }
    return packs;
}

TEST_CASE("the persist module of a card: equal to the model under random calls", "[cosim]") {
    for (const std::uint32_t qps : {1U, 3U, 200U}) {
        for (const bool coalesce : {false, true}) CHECK(live<Vpm_module_card>(qps, 4000, qps, coalesce) > 100);
    }
}

TEST_CASE("the persist module of a card: the port that is wrong is named", "[cosim]") {
    const auto fault = []<typename Module>() { return fault_of([] { live<Module>(1, 4000, 3, false); }); };
    CHECK(fault.operator()<Vpm_module_card>() == "nothing");
    const auto check = [&]<auto Port>(const char* port) {
        const std::string said = fault.operator()<WrongOutput<Vpm_module_card, Port, kInverted>>();
        INFO(said);
        CHECK(said.find("persist_module (rtl): " + std::string(port) + " is ") != std::string::npos);
    };
    RNICSIM_CHECK(accept_ready_o);
    RNICSIM_CHECK(read_valid_o);
    RNICSIM_CHECK(read_tag_o);
    RNICSIM_CHECK(read_address_o);
    RNICSIM_CHECK(pack_valid_o);
    RNICSIM_CHECK(pack_qp_o);
    RNICSIM_CHECK(pack_psn_o);
}

TEST_CASE("the persist module of a card: more QPs than it knows are refused, those that are gone make room",
          "[cosim]") {
    PmRtl<Vpm_module_card> module({1, false, 64}, {});
    for (std::uint32_t qp = 0; qp < 300; ++qp) {
        module.accept({rc::Qpn{qp}, rc::Psn{1}, 0});
        module.posted();
        module.completed(module.next_read()->tag);
        CHECK(module.next_pack() == rc::Pack{rc::Qpn{qp}, rc::Psn{1}});
        if (qp % 2 == 0) module.drop(rc::Qpn{qp});
    }
    const auto fill = [&] {
        for (std::uint32_t qp = 1000; qp < 1300; ++qp) {
            module.accept({rc::Qpn{qp}, rc::Psn{1}, 0});
            module.posted();
            module.completed(module.next_read()->tag);
            module.next_pack();
        }
    };
    CHECK_THROWS_AS(fill(), RequestError);
}

}  // namespace
}  // namespace rnicsim
