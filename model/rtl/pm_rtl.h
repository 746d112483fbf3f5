// SPDX-License-Identifier: Apache-2.0
// The persist module in Verilog behind PersistEngine: each call is a cycle of its own, as the decisions have no time.
// Its waveform counts those cycles, 8 ns each.
#pragma once

#include "model/request_error.h"
#include "model/rnic/rc/persist/pm_module.h"
#include "model/rtl/clocked.h"
#include "model/rtl/port_check.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace rnicsim {

template <typename Module>
class PmRtl final : public rc::PersistEngine {
  public:
    static constexpr std::uint32_t kQps = 256;  ///< its parameter Qps: those that have persists at once

    /// In a strict place each answer is held to the model's.
    PmRtl(const rc::PmConfig& config, const BlockPlace& place)
        : module_("persist_module", place), model_(config), check_("persist_module", "rtl", place) {
        module_->cfg_outstanding_i = config.outstanding;
        module_->cfg_coalesce_i = config.coalesce;
        module_.settle();
        for (std::uint32_t i = kQps; i > 0; --i) free_.push_back(i - 1);
    }

    [[nodiscard]] bool has_room() const override {
        check_.expect(now_, "accept_ready_o", module_->accept_ready_o, model_.has_room(), "the place is free");
        return module_->accept_ready_o != 0;
    }
    void accept(const rc::PersistRequest& request) override {
        module_->accept_qp_i = place_of(request.qp);
        module_->accept_psn_i = request.psn.n;
        module_->accept_address_i = request.address;
        pulse(module_->accept_valid_i);
        if (check_.strict()) model_.accept(request);
    }
    void posted() override {
        pulse(module_->posted_i);
        if (check_.strict()) model_.posted();
    }
    std::optional<rc::FlushRead> next_read() override {
        std::optional<rc::FlushRead> read;
        if (module_->read_valid_o != 0) read = {module_->read_tag_o, module_->read_address_o};
        if (check_.strict()) {
            const std::optional<rc::FlushRead> expected = model_.next_read();
            check_.expect(now_, "read_valid_o", read.has_value(), expected.has_value(), "a flush read is to be issued");
            if (read) {
                check_.expect(now_, "read_tag_o", read->tag, expected->tag, "the lowest free tag");
                check_.expect(now_, "read_address_o", read->address, expected->address, "the line of the persist");
            }
        }
        if (read) pulse(module_->read_ready_i);
        return read;
    }
    void completed(std::uint32_t tag) override {
        module_->completed_tag_i = tag;
        pulse(module_->completed_valid_i);
        if (check_.strict()) model_.completed(tag);
    }
    std::optional<rc::Pack> next_pack() override {
        std::optional<rc::Pack> pack;
        if (module_->pack_valid_o != 0) pack = {qps_[module_->pack_qp_o], rc::Psn{module_->pack_psn_o}};
        if (check_.strict()) {
            const std::optional<rc::Pack> expected = model_.next_pack();
            check_.expect(now_, "pack_valid_o", pack.has_value(), expected.has_value(), "somebody can be told");
            if (pack) {
                check_.expect(now_, "pack_qp_o", module_->pack_qp_o, places_.at(expected->qp.n), "whom");
                check_.expect(now_, "pack_psn_o", pack->psn.n, expected->psn.n, "persistent up to here");
            }
        }
        if (pack) pulse(module_->pack_ready_i);
        return pack;
    }
    void drop(rc::Qpn qp) override {
        const auto at = places_.find(qp.n);
        if (at == places_.end()) return;  // it has never asked for anything
        module_->drop_qp_i = at->second;
        pulse(module_->drop_valid_i);
        if (check_.strict()) model_.drop(qp);
        free_.push_back(at->second);
        places_.erase(at);
    }

  private:
    /// QPs have numbers of 24 bits; the module knows those that have asked, by a number of its own.
    std::uint32_t place_of(rc::Qpn qp) {
        const auto [at, fresh] = places_.try_emplace(qp.n, 0);
        if (!fresh) return at->second;
        if (free_.empty()) {
            throw RequestError("system.rnic.rc.simulated_by.persist_module: rtl knows " + std::to_string(kQps) +
                               " QPs that have asked for persistence, and here is one more: expected model");
        }
        at->second = free_.back();
        free_.pop_back();
        qps_[at->second] = qp;
        return at->second;
    }
    template <typename Port>
    void pulse(Port& port) {
        port = 1;
        module_.tick();
        port = 0;
        module_.settle();
        now_ += Cycle{1};
    }

    mutable Clocked<Module> module_;  // constant where ports are looked at
    rc::PmModule model_;
    PortCheck check_;
    Cycle now_;
    std::unordered_map<std::uint32_t, std::uint32_t> places_;
    std::vector<rc::Qpn> qps_ = std::vector<rc::Qpn>(kQps);
    std::vector<std::uint32_t> free_;
};

}  // namespace rnicsim
