// SPDX-License-Identifier: Apache-2.0
// A ladder for the terminal.
#pragma once

#include "testbench/observe/ladder.h"

#include <string>

namespace rnicsim {

/// Lines of at most 120 columns, of an item of a scheme 140, with kernels 170; UTF-8.
std::string draw_text(const Ladder& ladder);

}  // namespace rnicsim
