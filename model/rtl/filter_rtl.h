// SPDX-License-Identifier: Apache-2.0
// The frame filter in Verilog behind FilterEngine: a frame is streamed in, a byte a cycle, ending in the cycle before
// `due`.
#pragma once

#include "model/rtl/clocked.h"
#include "model/rtl/port_check.h"
#include "model/rtl/ports.h"

#include <memory>
#include <utility>

namespace rnicsim {

template <typename Filter>
class FilterRtl final : public FilterEngine {
  public:
    /// `expected`: the model, whose verdicts a strict one has to give.
    FilterRtl(const MacAddress& own, const char* module, std::unique_ptr<FilterEngine> expected,
              const BlockPlace& place)
        : filter_("frame_filter", place), expected_(std::move(expected)), check_("frame_filter", module, place) {
        filter_->own_address_i = ports::address(own);
    }

    Classified classify(const Frame& frame, Cycle due) override {
        Cycle now = due - Cycle{static_cast<std::int64_t>(frame.length() - kFcsBytes)};
        filter_.pass(now, [this](Cycle idle) { look_at_none(idle); });
        const auto tick = [&] {
            filter_.tick();
            now += Cycle{1};
        };
        Classified expected;
        if (check_.strict()) expected = expected_->classify(frame, due);
        filter_->good_i = 1;
        filter_->valid_i = 1;
        filter_->first_i = 1;
        for (const std::uint8_t byte : frame.without_fcs()) {
            filter_->data_i = byte;
            tick();
            look_at_none(now);
            filter_->first_i = 0;
        }
        filter_->valid_i = 0;
        filter_->end_i = 1;
        Classified result;
        result.at = due;
        Watchdog watchdog(check_, "drp_o", "a frame gets no verdict");
        do {
            tick();
            filter_->end_i = 0;
            if (now != expected.at)
                look_at_none(now);
            else
                look_at_verdict(now, expected, frame);
            result.at += Cycle{1};
            watchdog.tick(now);
        } while (!(filter_->drp_o || filter_->ordinary_o || filter_->other_destination_o || filter_->malformed_o));
        result.kind = filter_->drp_o                 ? Kind::drp
                      : filter_->ordinary_o          ? Kind::ordinary
                      : filter_->other_destination_o ? Kind::other_destination
                                                     : Kind::malformed;
        if (result.kind == Kind::malformed) result.reason = static_cast<DrpError>(filter_->reason_o);
        if (result.kind == Kind::drp) result.header = header();
        tick();  // the verdict goes away
        look_at_none(now);
        return result;
    }

  private:
    void look_at_none(Cycle now) const {
        constexpr const char* kPromise = "a verdict comes for one cycle, 3 cycles after end_i";
        check_.expect(now, "drp_o", filter_->drp_o, 0, kPromise);
        check_.expect(now, "ordinary_o", filter_->ordinary_o, 0, kPromise);
        check_.expect(now, "other_destination_o", filter_->other_destination_o, 0, kPromise);
        check_.expect(now, "malformed_o", filter_->malformed_o, 0, kPromise);
    }
    void look_at_verdict(Cycle now, const Classified& expected, const Frame& frame) const {
        constexpr const char* kPromise = "the verdict on the frame, 3 cycles after end_i";
        check_.expect(now, "drp_o", filter_->drp_o, expected.kind == Kind::drp, kPromise);
        check_.expect(now, "ordinary_o", filter_->ordinary_o, expected.kind == Kind::ordinary, kPromise);
        check_.expect(now, "other_destination_o", filter_->other_destination_o,
                      expected.kind == Kind::other_destination, kPromise);
        check_.expect(now, "malformed_o", filter_->malformed_o, expected.kind == Kind::malformed, kPromise);
        if (expected.kind == Kind::malformed) {
            check_.expect(now, "reason_o", filter_->reason_o, static_cast<unsigned>(expected.reason),
                          "the first reason that holds");
        }
        if (expected.kind == Kind::drp || expected.kind == Kind::ordinary) {
            check_.expect(now, "frame_bytes_o", filter_->frame_bytes_o, frame.length() - kFcsBytes,
                          "destination address to the end of the padding");
        }
        if (expected.kind != Kind::drp) return;
        constexpr const char* kField = "what the header says";
        const DrpHeader& h = expected.header;
        check_.expect(now, "ctrl_o", filter_->ctrl_o, ports::ctrl(h), kField);
        check_.expect(now, "tid_o", filter_->tid_o, raw(h.tid), kField);
        check_.expect(now, "len_o", filter_->len_o, h.len, kField);
        check_.expect(now, "sn_o", filter_->sn_o, h.sn, kField);
        check_.expect(now, "ackn_o", filter_->ackn_o, h.ackn, kField);
        check_.expect(now, "sba_o", filter_->sba_o, h.sba, kField);
        check_.expect(now, "dba_o", filter_->dba_o, h.dba, kField);
    }
    [[nodiscard]] DrpHeader header() {
        DrpHeader h = ports::header(filter_->ctrl_o, filter_->tid_o);
        h.len = filter_->len_o;
        h.sn = filter_->sn_o;
        h.ackn = filter_->ackn_o;
        h.sba = filter_->sba_o;
        h.dba = filter_->dba_o;
        return h;
    }

    mutable Clocked<Filter> filter_;
    std::unique_ptr<FilterEngine> expected_;
    PortCheck check_;
};

}  // namespace rnicsim
