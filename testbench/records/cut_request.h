// SPDX-License-Identifier: Apache-2.0
// What somebody wants to know of power cuts beside what each run says of them.
#pragma once

#include "tlm/time/time.h"

#include <string>
#include <vector>

namespace rnicsim {

struct CutRequest {
    /// Rising. The run really stops at each, where what was due before has happened, and ends at the last.
    std::vector<Time> at;
    std::string csv;    ///< file for what a cut finds at all instants of a run that does not stop; empty: none
    unsigned host = 0;  ///< of the csv
};

}  // namespace rnicsim
