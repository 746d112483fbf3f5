// SPDX-License-Identifier: Apache-2.0
// A frame filter with AXI-Stream in and out behind FilterEngine: what comes out passes, what does not is dropped. The
// header of a DRP frame that passes is read here.
#pragma once

#include "model/rnic/drp/blocks.h"
#include "model/rtl/stream_bench.h"
#include "model/rtl/stream_reports.h"

#include <array>
#include <memory>

namespace rnicsim {

class StreamFilter final : public FilterEngine {
  public:
    /// `model`: says what each frame is.
    StreamFilter(std::unique_ptr<StreamPins> pins, StreamManifest manifest, const MacAddress& own,
                 std::unique_ptr<FilterEngine> model, const BlockPlace& place);

    Classified classify(const Frame& frame, Cycle due) override;
    /// For who tries it: a frame that its MAC has called bad, with tuser. Throws RtlFault if it passes.
    void try_bad(const Frame& frame, Cycle due);
    /// ... two frames that are to pass, the second right behind the first. Throws RtlFault if one is not as it was.
    void try_two(std::array<const Frame*, 2> frames, Cycle due);

  private:
    /// Returns how far the block's time is ahead of the run's, once the frame is out or will not come.
    Cycle pass(const Frame& frame, Cycle due, bool bad, bool expected);
    void look_at_passed(const Frame& frame, bool expected) const;

    StreamManifest manifest_;
    Clock clock_;
    PortCheck check_;
    bool judged_;
    std::unique_ptr<FilterEngine> model_;
    StreamBench bench_;
    StreamReports::Stream own_;  // where nobody asks
    StreamReports::Stream& report_;
    Cycle begin_;            // the first cycle in which the last frame was offered
    Cycle classified_;       // the last frame, in the run's time: their order stays
    bool came_out_ = false;  // the last frame, in time
};

}  // namespace rnicsim
