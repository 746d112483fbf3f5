// SPDX-License-Identifier: Apache-2.0
// What is left of items where a run has really stopped, and of what their initiators had been told.
#pragma once

#include "testbench/records/cut_report.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rnicsim {

struct CutFinding {
    /// One with which something is the matter.
    struct Item {
        std::string name;                      ///< of the message: "a.q0.7"
        std::array<bool, kCutStates> is{};     ///< by CutState
        std::uint32_t bytes = 0, durable = 0;  ///< all in all; that are there when the power is back
        std::optional<std::uint64_t> line;     ///< the first of which bytes are missing; none: all that came are there
        WriteStage stage = WriteStage::nowhere;  ///< where its write is
        Time told_written = kEndOfTime, told_persisted = kEndOfTime;
    };

    unsigned host = 0;
    CutRow row;  ///< at its time, and as the fold of a run has it
    std::vector<Item> items;
    std::uint64_t posted = 0, told = 0, durable = 0;  ///< items: all; told persisted; of which all bytes are there
};

}  // namespace rnicsim
