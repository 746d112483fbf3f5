// What a power cut is judged by: which stage each write of a device had reached when, and what programs were told.
#pragma once

#include "tlm/time/time.h"

#include <cstdint>
#include <string_view>

namespace rnicsim {

/// Where a write of a device is, from the device to the medium. iMC: the write queue that ADR saves.
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

/// What is saved when the power goes: SCM alone; with the iMC; with the LLC, too; with the IIO, too.
enum class PersistenceDomain : std::uint8_t { none, adr, eadr, wsp };

constexpr bool survives(WriteStage stage, PersistenceDomain domain) {
    switch (domain) {
        case PersistenceDomain::none: return stage >= WriteStage::scm;
        case PersistenceDomain::adr: return stage >= WriteStage::imc;
        case PersistenceDomain::eadr: return stage >= WriteStage::llc;
        case PersistenceDomain::wsp: return stage >= WriteStage::iio;
    }
    return false;
}

/// A device's write of (a part of) a line of 64 bytes: a version of it. kEndOfTime: never so far.
struct LineWrite {
    std::uint64_t number = 0;    ///< from 1 on over all of the host; of a line they rise as they are posted
    std::uint64_t line = 0;      ///< address / 64
    std::uint64_t mask = 0;      ///< bit i: byte i is written
    Time posted = kEndOfTime;    ///< it enters the IIO
    Time iio = kEndOfTime;       ///< it leaves it; until the next stage has it, it still counts there
    Time llc = kEndOfTime;       ///< it enters the LLC
    Time adr = kEndOfTime;       ///< it enters the iMC's queue
    Time scm_done = kEndOfTime;  ///< it is on the medium
};

/// The LLC's copy of a line as it was since this version came into it enters the iMC: a CPU has flushed it, or it was
/// evicted. What an older version has left in the copy goes with it.
struct LineWriteBack {
    std::uint64_t number = 0;
    Time adr = kEndOfTime;
    Time scm_done = kEndOfTime;
};

}  // namespace rnicsim
