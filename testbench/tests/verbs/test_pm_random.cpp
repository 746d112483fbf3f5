// SPDX-License-Identifier: Apache-2.0
// The persist module under random calls, beside a record of what has happened to each persist.
#include "model/rnic/rc/persist/pm_module.h"

#include <catch2/catch_test_macros.hpp>
#include <iterator>
#include <map>
#include <random>
#include <set>

namespace rnicsim::rc {
namespace {

/// Kept without the module's order of places: by QP, by tag.
struct PmRecord {
    struct Persist {
        Qpn qp;
        std::uint32_t psn = 0;
        bool posted = false, durable = false;
    };
    std::vector<Persist> all;
    std::size_t unposted = 0;
    std::map<std::uint32_t, std::set<std::size_t>> reads;  // by tag: those posted before it
    std::map<std::uint32_t, std::size_t> begins;           // by QP: the first of this life
    std::map<std::uint32_t, std::optional<Psn>> told;

    /// The last one of the QP that is durable like all before it.
    [[nodiscard]] std::optional<Psn> durable(Qpn qp) {
        std::optional<Psn> last;
        for (std::size_t i = begins[qp.n]; i < all.size(); ++i) {
            if (all[i].qp != qp) continue;
            if (!all[i].durable) break;
            last = Psn{all[i].psn};
        }
        return last;
    }
};

TEST_CASE("V-S: PM: at random no PACK is too early and none is missing", "[verbs]") {
    for (std::uint32_t seed = 1; seed <= 400; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const auto draw = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
        const std::uint32_t outstanding = 1 + draw(seed % 4 == 0 ? 16 : 3), capacity = 1 + draw(9), qps = 1 + draw(4);
        const bool coalesce = draw(2) == 0;
        PmModule pm({outstanding, coalesce, capacity});
        PmRecord truth;
        for (int step = 0; step < 300; ++step) {
            const Qpn qp{2 + draw(qps)};
            switch (draw(step < 280 ? 6 : 5)) {
                case 0:
                    if (!pm.has_room()) break;
                    truth.all.push_back({qp, static_cast<std::uint32_t>(step)});
                    pm.accept({qp, {static_cast<std::uint32_t>(step)}, 0});
                    break;
                case 1:
                    if (truth.unposted == truth.all.size()) break;
                    truth.all[truth.unposted++].posted = true;
                    pm.posted();
                    break;
                case 2:
                    if (const std::optional<FlushRead> read = pm.next_read()) {
                        CHECK(read->tag < outstanding);
                        REQUIRE(!truth.reads.contains(read->tag));
                        for (std::size_t i = 0; i < truth.unposted; ++i) truth.reads[read->tag].insert(i);
                    }
                    break;
                case 3:
                    if (truth.reads.empty()) break;
                    {
                        const auto back = std::next(truth.reads.begin(), draw(truth.reads.size()));
                        for (const std::size_t i : back->second) truth.all[i].durable = true;
                        pm.completed(back->first);
                        truth.reads.erase(back);
                    }
                    break;
                case 4:
                    if (const std::optional<Pack> pack = pm.next_pack()) {
                        // All that it is for are durable; it says something new.
                        const std::optional<Psn> durable = truth.durable(pack->qp);
                        REQUIRE(durable);
                        CHECK(pack->psn.n <= durable->n);
                        std::optional<Psn>& told = truth.told[pack->qp.n];
                        CHECK((!told || told->n < pack->psn.n));
                        told = pack->psn;
                    }
                    break;
                default:
                    if (draw(8) != 0) break;
                    truth.begins[qp.n] = truth.all.size();
                    truth.told[qp.n].reset();
                    pm.drop(qp);
            }
            if (const std::optional<Psn> persisted = pm.persisted(qp)) {
                const std::optional<Psn> durable = truth.durable(qp);
                REQUIRE(durable);
                CHECK(persisted->n <= durable->n);
            }
        }
        // Once all has been posted and has come back, everything has been told.
        for (int step = 0; step < 100; ++step) {
            if (truth.unposted != truth.all.size()) {
                ++truth.unposted;
                pm.posted();
            }
            for (const auto& [tag, covered] : truth.reads) pm.completed(tag);
            truth.reads.clear();
            if (const std::optional<FlushRead> read = pm.next_read()) truth.reads[read->tag];
            if (const std::optional<Pack> pack = pm.next_pack()) truth.told[pack->qp.n] = pack->psn;
        }
        for (std::uint32_t n = 2; n < 2 + qps; ++n) {
            std::optional<Psn> last;
            for (std::size_t i = truth.begins[n]; i < truth.all.size(); ++i) {
                if (truth.all[i].qp == Qpn{n}) last = Psn{truth.all[i].psn};
            }
            CHECK(truth.told[n] == last);
            CHECK(pm.persisted(Qpn{n}) == last);
        }
        for (std::uint32_t i = 0; i < capacity; ++i) {
            REQUIRE(pm.has_room());
            pm.accept({Qpn{2}, {i}, 0});
        }
        CHECK(!pm.has_room());
    }
}

}  // namespace
}  // namespace rnicsim::rc
