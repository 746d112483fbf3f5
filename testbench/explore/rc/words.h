// SPDX-License-Identifier: Apache-2.0
// Steps of an exploration in words.
#pragma once

#include "testbench/explore/rc/step.h"
#include "tlm/roce/header.h"

#include <string>

namespace rnicsim::rc {

/// Of an arrival or a fault of this packet. `way`: "a>b".
std::string frame_in_words(Step step, const std::string& way, const roce::Header& header);
/// Of the others. `who`: "a".
std::string host_in_words(Step step, const std::string& who);

}  // namespace rnicsim::rc
