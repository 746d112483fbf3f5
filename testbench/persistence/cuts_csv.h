// cuts.csv: the columns are described in results/README.md.
#pragma once

#include "testbench/persistence/cut_report.h"

#include <ostream>
#include <string>

namespace rnicsim {

std::string cuts_csv_header();
std::string cuts_csv_row(const CutRow& row);

/// Writes the rows as they come.
class CutsCsv final : public CutObserver {
  public:
    explicit CutsCsv(std::ostream& out) : out_(out) { out_ << cuts_csv_header(); }
    void row(const CutRow& row) override { out_ << cuts_csv_row(row); }

  private:
    std::ostream& out_;
};

}  // namespace rnicsim
