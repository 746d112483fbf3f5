// SPDX-License-Identifier: Apache-2.0
// A ladder as a picture.
#pragma once

#include "testbench/observe/ladder.h"

#include <string>

namespace rnicsim {

/// A whole SVG file, light or dark as the reader's system. Events stand one below the other with their times at the
/// left; a long pause breaks the lines.
std::string draw_svg(const Ladder& ladder);
/// The same inside a page that needs nothing else.
std::string draw_html(const Ladder& ladder);

}  // namespace rnicsim
