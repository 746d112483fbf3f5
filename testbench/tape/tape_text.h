// SPDX-License-Identifier: Apache-2.0
// Fault tapes as text: one fault per line, to be read, edited and written by hand (testbench/tape/README.md).
#pragma once

#include "model/faults/tape.h"
#include "testbench/tape/tape_names.h"

#include <array>
#include <string>
#include <string_view>

namespace rnicsim {

/// By FrameFault.
inline constexpr std::array<std::string_view, 6> kFrameFaultNames{"lost",    "corrupted", "duplicated",
                                                                  "delayed", "overtaken", "marked"};

/// Reads a tape. `name`: of the file, for messages. Throws ScenarioError, "file:line: what is wrong, what was
/// expected".
FaultTape read_tape(std::string_view text, const std::string& name, const TapeNames& names = {});
/// The text in a file. Throws ScenarioError if there is none.
std::string load_tape_text(const std::string& name);

/// One line, without its end.
std::string tape_line(const TapeEntry& entry, const TapeNames& names);
/// The whole text; read_tape() gives the same tape again.
std::string write_tape(const FaultTape& tape, const TapeNames& names = {});

}  // namespace rnicsim
