// SPDX-License-Identifier: Apache-2.0
// A RunResult as a line of text and two files of records, and back: what a worker leaves and what the journal keeps.
#pragma once

#include "testbench/records/run_result.h"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rnicsim::runner {

struct CodecError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One line of JSON without a line end. Its records go to the files of this base (testbench/records/record_files.h):
/// files that have another name get this one, and there is none where there are no records. Throws std::system_error.
std::string encode_result(const RunResult& result, const std::filesystem::path& records);

/// The records stay in their files. Throws CodecError on anything that encode_result cannot have written, in the text
/// or in the files; blanks and the order of keys do not matter.
RunResult decode_result(std::string_view text, const std::filesystem::path& records);

}  // namespace rnicsim::runner
