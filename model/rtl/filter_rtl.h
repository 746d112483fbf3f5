// The frame filter in Verilog behind FilterEngine: a frame is streamed in, a byte a cycle, ending in the cycle before
// `due`.
#pragma once

#include "model/rtl/clocked.h"
#include "model/rtl/ports.h"

namespace rnicsim {

template <typename Filter>
class FilterRtl final : public FilterEngine {
  public:
    explicit FilterRtl(const MacAddress& own) { filter_->own_address_i = ports::address(own); }

    Classified classify(const Frame& frame, Cycle due) override {
        filter_.at(due - Cycle{static_cast<std::int64_t>(frame.length() - kFcsBytes)});
        filter_->good_i = 1;
        filter_->valid_i = 1;
        filter_->first_i = 1;
        for (const std::uint8_t byte : frame.bytes().first(frame.length() - kFcsBytes)) {
            filter_->data_i = byte;
            filter_.tick();
            filter_->first_i = 0;
        }
        filter_->valid_i = 0;
        filter_->end_i = 1;
        Classified result;
        result.at = due;
        Patience patience("frame_filter", "a frame gets no verdict");
        do {
            filter_.tick();
            filter_->end_i = 0;
            result.at += Cycle{1};
            patience.tick();
        } while (!(filter_->drp_o || filter_->ordinary_o || filter_->other_destination_o || filter_->malformed_o));
        result.kind = filter_->drp_o                 ? Kind::drp
                      : filter_->ordinary_o          ? Kind::ordinary
                      : filter_->other_destination_o ? Kind::other_destination
                                                     : Kind::malformed;
        if (result.kind == Kind::malformed) result.reason = static_cast<DrpError>(filter_->reason_o);
        if (result.kind == Kind::drp) result.header = header();
        filter_.tick();  // the verdict goes away
        return result;
    }

  private:
    [[nodiscard]] DrpHeader header() {
        DrpHeader h = ports::header(filter_->ctrl_o, filter_->tid_o);
        h.len = filter_->len_o;
        h.sn = filter_->sn_o;
        h.ackn = filter_->ackn_o;
        h.sba = filter_->sba_o;
        h.dba = filter_->dba_o;
        return h;
    }

    Clocked<Filter> filter_{"frame_filter"};
};

}  // namespace rnicsim
