// SPDX-License-Identifier: Apache-2.0
// All events of a run in a file, to be looked at later by the program that has written it: not a format for others,
// which --events is for.
#pragma once

#include "testbench/observe/observation.h"
#include "testbench/records/output_file.h"

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

namespace rnicsim {

class RecordingWriter final : public EventWriter {
  public:
    /// Throws RequestError.
    RecordingWriter(const std::string& name, const RunConfig& run);

    void event(const LoggedEvent& event, std::span<const std::uint8_t> frame) override;
    /// Which programs and connections there are has to be known at all times.
    void outside(const LoggedEvent& event) override;
    void finish() override;

  private:
    OutputFile file_;
    std::uint64_t events_ = 0;
};

class Recording {
  public:
    /// Throws RequestError: it cannot be read, is none, of another program or system, or has no end.
    Recording(const std::string& name, const RunConfig& run);

    /// Was it made with all settings of this run?
    [[nodiscard]] bool has_same_settings() const { return same_settings_; }
    /// The next event; none after the last. Throws RequestError.
    std::optional<LoggedEvent> next();

  private:
    std::string name_;
    std::ifstream file_;
    std::size_t nodes_;
    std::uint64_t left_ = 0;  // events
    bool same_settings_ = true;
};

}  // namespace rnicsim
