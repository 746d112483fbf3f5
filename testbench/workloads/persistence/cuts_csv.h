// SPDX-License-Identifier: Apache-2.0
// cuts.csv: the columns are described in results/README.md.
#pragma once

#include "testbench/records/cut_report.h"

#include <functional>
#include <string>
#include <utility>

namespace rnicsim {

std::string cuts_csv_header();
std::string cuts_csv_row(const CutRow& row);

/// Writes the rows as they come.
class CutsCsv final : public CutObserver {
  public:
    using Write = std::function<void(const std::string&)>;
    explicit CutsCsv(Write write) : write_(std::move(write)) { write_(cuts_csv_header()); }
    void row(const CutRow& row) override { write_(cuts_csv_row(row)); }

  private:
    Write write_;
};

}  // namespace rnicsim
