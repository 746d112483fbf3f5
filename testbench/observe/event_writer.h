// SPDX-License-Identifier: Apache-2.0
// Every event of a run as a row: CSV or JSON Lines. The columns: testbench/observe/README.md.
#pragma once

#include "model/config.h"
#include "testbench/observe/observation.h"
#include "testbench/observe/transfer_of.h"
#include "testbench/records/output_file.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {

/// Version of the columns: counts their changes.
inline constexpr int kEventColumnsVersion = 2;
inline constexpr std::array<std::string_view, 17> kEventColumns{
    "v",    "time_ps", "since_ps", "end", "unit", "event", "transfer", "tid",  "role",
    "type", "sn",      "ackn",     "len", "mode", "bytes", "address",  "cause"};

class EventTableWriter : public EventWriter {
  public:
    /// `name` ends with .csv or .jsonl. Throws RequestError.
    EventTableWriter(const std::string& name, const RunConfig& run);

    void event(const LoggedEvent& event, std::span<const std::uint8_t> frame) override;
    void outside(const LoggedEvent& event) override { static_cast<void>(names_.of(event)); }
    void finish() override { file_.close(); }

  private:
    bool json_;
    OutputFile file_;
    const HostNames hosts_;
    std::vector<std::string> bridges_;
    TransferNames names_;
    std::string line_;
    std::vector<std::string> cause_;  // of a host's last decision, for its results
};

}  // namespace rnicsim
