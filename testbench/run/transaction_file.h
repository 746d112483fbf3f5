// SPDX-License-Identifier: Apache-2.0
// Every frame that goes through a block with AXI-Stream, as a line of JSON: vectors for somebody else's testbench.
#pragma once

#include "model/rtl/stream_reports.h"
#include "testbench/records/output_file.h"

#include <optional>
#include <string>

namespace rnicsim {

/// {"stream": "a.gmac.rx", "at_ps": 12000, "in": "0200...", "bad": false, "out": "0200...", "latency": 3}: bytes as
/// hex, of GMII without preamble and SFD; "out" is null for a frame that does not pass, and then there is no latency.
class TransactionFile {
  public:
    /// Empty name: nobody wants it. Throws RequestError.
    explicit TransactionFile(const std::string& name);
    void add(const std::string& stream, const Transaction& transaction);
    /// Throws RunError if it could not be written.
    void close();

  private:
    std::optional<OutputFile> file_;
    std::string line_;
};

}  // namespace rnicsim
