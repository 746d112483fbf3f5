// SPDX-License-Identifier: Apache-2.0
// What a cut at one instant finds, byte by byte, from everything that was reported: the oracle of PowerCutLedger. It
// replays the whole list for each instant, and shares nothing with the ledger but the records.
#pragma once

#include "testbench/records/line_write.h"
#include "tlm/time/time.h"

#include <array>
#include <cstdint>
#include <map>
#include <variant>
#include <vector>

namespace rnicsim {

/// Everything that was reported, in the order of booking.
struct CutRecords {
    struct Write {
        LineWrite write;
        std::uint64_t message = 0;
    };
    struct Message {
        std::uint64_t id = 0, connection = 0, order = 0, bytes = 0;
        Time told_written = kEndOfTime, told_persisted = kEndOfTime;
    };
    std::vector<std::variant<Write, LineWriteBack>> lines;
    std::vector<Message> messages;  // by id
};

struct CutSnapshot {
    /// By line, of each byte the version that is there when the power is back; 0: what was there before.
    std::map<std::uint64_t, std::array<std::uint64_t, 64>> content;
    std::uint64_t iio_bytes = 0, llc_bytes = 0, imc_bytes = 0;
    struct Lost {
        std::uint64_t number = 0;
        WriteStage stage = WriteStage::nowhere;
    };
    std::vector<Lost> lost_writes;  ///< those that have been posted and are not safe, by number
    /// Ids of messages.
    std::vector<std::uint64_t> safe, vulnerable, unproven, torn, false_persistence, inverted;
};

CutSnapshot cut_at(Time at, Domain domain, const CutRecords& records);

}  // namespace rnicsim
