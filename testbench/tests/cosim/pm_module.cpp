// SPDX-License-Identifier: Apache-2.0
// The persist module of a RoCEv2 responder: model beside Verilog, cycle by cycle, under the same random inputs. What
// the ports show in a cycle is what the model answers before that cycle's calls (rtl/README.md).
#include "model/rnic/rc/persist/pm_module.h"
#include "Vpm_module.h"
#include "Vpm_module_least.h"
#include "Vpm_module_odd.h"
#include "model/rtl/clocked.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <random>
#include <vector>

namespace rnicsim {
namespace {

using rc::Qpn, rc::Psn;

struct Parameters {
    std::uint32_t qps, tags, psn_bits, capacity;
};

/// How likely each input is, in sixteenths; drops in 256ths.
struct Traffic {
    std::uint32_t accept, posted, read_ready, completed, pack_ready, drop;
};

template <typename Module>
class PmPair {
  public:
    PmPair(const Parameters& parameters, std::uint32_t outstanding, bool coalesce, std::uint32_t seed)
        : parameters_(parameters),
          random_(seed),
          model_({outstanding, coalesce, parameters.capacity}),
          psns_(parameters.qps) {
        rtl_->cfg_outstanding_i = outstanding;
        rtl_->cfg_coalesce_i = coalesce;
        for (Psn& psn : psns_) psn = Psn{static_cast<std::uint32_t>(random_()) & Psn::kMask};
    }

    /// Returns whether they agree; what the cycle's inputs lead to is seen in the next one.
    bool cycle(const Traffic& traffic) {
        draw(traffic);
        rtl_.settle();
        const bool accepted = rtl_->accept_valid_i != 0 && rtl_->accept_ready_o != 0;
        const bool read = rtl_->read_valid_o != 0, packed = rtl_->pack_valid_o != 0;
        if ((rtl_->accept_ready_o != 0) != model_.has_room()) return differs("accept_ready_o");
        if (!same_lookup()) return differs("lookup");
        rc::PmModule next = model_;  // what waits is asked of a copy
        const std::optional<rc::FlushRead> want_read = next.next_read();
        if (read != want_read.has_value()) return differs("read_valid_o");
        if (read && (rtl_->read_tag_o != want_read->tag || rtl_->read_address_o != want_read->address))
            return differs("read");
        const std::optional<rc::Pack> want_pack = next.next_pack();
        if (packed != want_pack.has_value()) return differs("pack_valid_o");
        if (packed && (rtl_->pack_qp_o != want_pack->qp.n || rtl_->pack_psn_o != on_port(want_pack->psn)))
            return differs("pack");

        if (read && rtl_->read_ready_i != 0) {
            under_way_.push_back(model_.next_read()->tag);
            ++reads;
        }
        if (packed && rtl_->pack_ready_i != 0) {
            model_.next_pack();
            ++packs;
        }
        if (rtl_->completed_valid_i != 0) model_.completed(rtl_->completed_tag_i);
        if (rtl_->posted_i != 0) model_.posted();
        if (accepted) model_.accept({Qpn{rtl_->accept_qp_i}, psns_[rtl_->accept_qp_i], rtl_->accept_address_i});
        unposted_ += accepted ? 1 : 0;
        unposted_ -= rtl_->posted_i != 0 ? 1 : 0;
        if (rtl_->drop_valid_i != 0) model_.drop(Qpn{rtl_->drop_qp_i});
        rtl_.tick();
        ++now_;
        return true;
    }

    std::uint32_t reads = 0, packs = 0;

  private:
    [[nodiscard]] std::uint32_t of(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
    [[nodiscard]] std::uint32_t on_port(Psn psn) const { return psn.n & ((1U << parameters_.psn_bits) - 1); }

    void draw(const Traffic& traffic) {
        const std::uint32_t qp = of(parameters_.qps);
        rtl_->accept_valid_i = of(16) < traffic.accept;
        rtl_->accept_qp_i = qp;
        if (rtl_->accept_valid_i != 0) psns_[qp] = psns_[qp] + 1 + of(3);
        rtl_->accept_psn_i = on_port(psns_[qp]);
        rtl_->accept_address_i = std::uint64_t{random_()} << 32U | random_();
        rtl_->posted_i = unposted_ != 0 && of(16) < traffic.posted;
        rtl_->read_ready_i = of(16) < traffic.read_ready;
        rtl_->completed_valid_i = !under_way_.empty() && of(16) < traffic.completed;
        rtl_->completed_tag_i = 0;
        if (rtl_->completed_valid_i != 0) {
            const auto back = under_way_.begin() + of(static_cast<std::uint32_t>(under_way_.size()));
            rtl_->completed_tag_i = *back;
            under_way_.erase(back);
        }
        rtl_->pack_ready_i = of(16) < traffic.pack_ready;
        rtl_->lookup_qp_i = of(parameters_.qps);
        rtl_->drop_valid_i = of(256) < traffic.drop;
        rtl_->drop_qp_i = of(parameters_.qps);
    }

    [[nodiscard]] bool same_lookup() {
        const std::optional<Psn> want = model_.persisted(Qpn{rtl_->lookup_qp_i});
        return (rtl_->lookup_valid_o != 0) == want.has_value() && (!want || rtl_->lookup_psn_o == on_port(*want));
    }

    bool differs(const char* what) {
        UNSCOPED_INFO("model and Verilog differ at " << what << " in cycle " << now_);
        return false;
    }

    const Parameters parameters_;
    std::mt19937 random_;
    rc::PmModule model_;
    Clocked<Module> rtl_{"pm_module"};
    std::vector<Psn> psns_;  // of the last persist of each QP
    std::vector<std::uint32_t> under_way_;
    std::uint32_t unposted_ = 0, now_ = 0;
};

/// In turns of 64 cycles: all at once, the queue full, the host far behind, nothing posted, PACKs held up.
constexpr Traffic kTraffic[] = {{8, 8, 8, 8, 8, 1},    {16, 16, 16, 16, 16, 0}, {16, 12, 16, 2, 16, 2},
                                {12, 2, 16, 12, 8, 8}, {16, 16, 16, 16, 1, 1},  {16, 16, 1, 12, 16, 1},
                                {8, 8, 12, 6, 8, 64},  {0, 16, 16, 16, 16, 0},  {4, 16, 16, 4, 16, 0}};

/// Every number of flush reads, alone and coalesced.
template <typename Module>
void compare(const Parameters& parameters, std::uint32_t runs) {
    std::uint32_t reads = 0, packs = 0;
    for (std::uint32_t run = 0; run < runs; ++run) {
        CAPTURE(run);
        const std::uint32_t outstanding = 1 + run / 2 % parameters.tags;
        PmPair<Module> pair(parameters, outstanding, run % 2 != 0, run);
        std::mt19937 random(run);
        for (int turn = 0; turn < 8; ++turn) {
            const Traffic& traffic = kTraffic[random() % std::size(kTraffic)];
            for (int i = 0; i < 64; ++i) REQUIRE(pair.cycle(traffic));
        }
        reads += pair.reads;
        packs += pair.packs;
    }
    // There was something to compare.
    CHECK(reads > runs);
    CHECK(packs > runs);
}

TEST_CASE("pm_module: model and Verilog are equal in each cycle", "[cosim]") {
    compare<Vpm_module>({8, 16, 24, 16}, 2000);
}

TEST_CASE("pm_module: with one place model and Verilog are equal in each cycle", "[cosim]") {
    compare<Vpm_module_least>({2, 2, 24, 1}, 1000);
}

TEST_CASE("pm_module: with numbers that are no powers of two model and Verilog are equal in each cycle", "[cosim]") {
    compare<Vpm_module_odd>({5, 3, 4, 7}, 2000);
}

}  // namespace
}  // namespace rnicsim
