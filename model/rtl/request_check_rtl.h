// SPDX-License-Identifier: Apache-2.0
// request_check behind RequestCheckEngine: a question goes through in cycles of its own, as the decisions have no time,
// and the card's table of regions answers the lookup. Its waveform counts those cycles.
#pragma once

#include "model/rnic/rc/request_checks.h"
#include "model/rtl/clocked.h"
#include "model/rtl/port_check.h"
#include "model/rtl/request_check_ports.h"

namespace rnicsim {

template <typename Module>
class RequestCheckRtl final : public rc::RequestCheckEngine {
  public:
    /// In a strict place each answer is held to the model's.
    explicit RequestCheckRtl(const BlockPlace& place)
        : module_("request_check", place, kClock), check_("request_check", "rtl", place, kClock) {
        module_->verdict_ready_i = 1;
        module_.settle();
    }

    [[nodiscard]] rc::Verdict check(const rc::RequestKind& kind, const roce::Header& header, const rc::Qp& qp,
                                    const rc::MrTable& regions) const override {
        show_request(*module_, header, qp);
        module_->request_valid_i = 1;
        module_.settle();
        check_.require(now_, "request_ready_o", module_->request_ready_o, 1, "nothing is under way");
        const Cycle since = now_;
        tick(regions);
        module_->request_valid_i = 0;
        module_.settle();
        const bool goes_on = kind.write && !kind.first;
        const std::uint32_t index = rc::MrTable::index_of(goes_on ? qp.responder.key : header.key);
        Watchdog watchdog(check_, "verdict_valid_o", "the verdict never comes");
        while (true) {
            const bool looks_up = now_ - since == kLooksUp;
            check_.expect(now_, "lookup_valid_o", module_->lookup_valid_o, looks_up, "in the second cycle");
            if (looks_up) check_.expect(now_, "lookup_index_o", module_->lookup_index_o, index, "the key's region");
            check_.expect(now_, "verdict_valid_o", module_->verdict_valid_o, now_ - since == kTakes, "in the eighth");
            if (module_->verdict_valid_o != 0) break;
            tick(regions);
            watchdog.tick(now_);
        }
        const rc::Verdict found = verdict_of(*module_);
        if (check_.strict()) hold(found, kind, rc::RequestChecks().check(kind, header, qp, regions));
        tick(regions);
        return found;
    }

  private:
    static constexpr Clock kClock{Time{3'100}};  // a request a cycle (rtl/README.md)
    static constexpr Cycle kLooksUp{2}, kTakes{8};

    void tick(const rc::MrTable& regions) const {
        const bool looks_up = module_->lookup_valid_o != 0;
        const std::uint32_t index = module_->lookup_index_o;
        module_.tick();
        now_ += Cycle{1};
        if (!looks_up) return;
        show_region(*module_, regions.entry(index));
        module_.settle();
    }
    void hold(const rc::Verdict& found, const rc::RequestKind& kind, const rc::Verdict& expected) const {
        check_.expect(now_, "verdict_sequence_o", found.sequence, expected.sequence, "it goes on with its message");
        check_.expect(now_, "verdict_allowed_o", found.allowed, expected.allowed, "the peer may do this");
        check_.expect(now_, "verdict_length_o", found.length, expected.length, "its lengths are right");
        check_.expect(now_, "verdict_key_o", found.key, expected.key, "its key opens what it touches");
        check_.expect(now_, "verdict_kind_o", module_->verdict_kind_o, kind_bits(kind), "what its opcode says");
    }

    mutable Clocked<Module> module_;  // constant for who asks: the answers do not depend on what was asked before
    PortCheck check_;
    mutable Cycle now_;
};

}  // namespace rnicsim
