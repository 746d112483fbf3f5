// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/persistence/cuts_csv.h"

#include <fmt/format.h>

namespace rnicsim {

std::string cuts_csv_header() {
    std::string text = "time_ps,iio_bytes,llc_bytes,imc_bytes";
    for (const std::string_view name : kCutStateNames) text.append(",").append(name);
    return text + '\n';
}

std::string cuts_csv_row(const CutRow& row) {
    std::string text = fmt::format("{},{},{},{}", row.time.ps, row.iio_bytes, row.llc_bytes, row.imc_bytes);
    for (const std::uint64_t n : row.messages) text += fmt::format(",{}", n);
    return text + '\n';
}

}  // namespace rnicsim
