// Fault tapes as text: one fault per line, to be read, edited and written by hand (testbench/tape/README.md).
#pragma once

#include "model/faults/tape.h"
#include "model/host_names.h"

#include <string>
#include <string_view>

namespace rnicsim {

/// Reads a tape. `name`: of the file, for messages. Throws ScenarioError, "file:line: what is wrong, what was
/// expected".
FaultTape read_tape(std::string_view text, const std::string& name, const HostNames& hosts = {});
/// Reads the tape in a file. Throws ScenarioError, also if there is no such file.
FaultTape load_tape(const std::string& name, const HostNames& hosts = {});

/// One line, without its end.
std::string tape_line(const TapeEntry& entry, const HostNames& hosts);
/// The whole text; read_tape() gives the same tape again.
std::string write_tape(const FaultTape& tape, const HostNames& hosts = {});

}  // namespace rnicsim
