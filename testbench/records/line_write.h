// SPDX-License-Identifier: Apache-2.0
// What a power cut is judged by: which stage each write of a device had reached when, and what programs were told.
#pragma once

#include "model/host/persistence/config.h"
#include "model/host/persistence/line_observer.h"
#include "tlm/time/time.h"

#include <cstdint>
#include <string_view>

namespace rnicsim {

/// Where a write of a device is: Stage, and before it the card.
enum class WriteStage : std::uint8_t { nowhere, iio, llc, imc, scm };

constexpr std::string_view stage_name(WriteStage stage) {
    switch (stage) {
        case WriteStage::nowhere: break;
        case WriteStage::iio: return "iio";
        case WriteStage::llc: return "llc";
        case WriteStage::imc: return "imc";
        case WriteStage::scm: return "scm";
    }
    return "nowhere";
}

constexpr bool survives(WriteStage stage, Domain domain) {
    return stage != WriteStage::nowhere && survives(static_cast<Stage>(static_cast<int>(stage) - 1), domain);
}

/// The LLC's copy of a line as it was since this version came into it enters the iMC: a CPU has flushed it, or it was
/// evicted. What an older version has left in the copy goes with it.
struct LineWriteBack {
    std::uint64_t number = 0;
    Time adr = kEndOfTime;
    Time scm_done = kEndOfTime;
};

}  // namespace rnicsim
