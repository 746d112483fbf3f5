// A RunResult as text and back: what a worker sends through its pipe and what the journal keeps.
#pragma once

#include "testbench/run_result.h"

#include <stdexcept>
#include <string>
#include <string_view>

namespace rnicsim::runner {

struct CodecError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One line of JSON without a line end.
std::string encode_result(const RunResult& result);

/// Throws CodecError on anything that encode_result cannot have written; blanks and the order of keys do not matter.
RunResult decode_result(std::string_view text);

}  // namespace rnicsim::runner
