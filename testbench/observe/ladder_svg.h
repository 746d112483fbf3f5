// A ladder as a picture.
#pragma once

#include "testbench/observe/ladder.h"

#include <string>

namespace rnicsim {

/// A whole SVG file, light or dark as the reader's system is. Time runs downwards in the order of events; their times
/// stand at the left, and where much of it passes the lines are broken.
std::string draw_svg(const Ladder& ladder);
/// The same inside a page that needs nothing else.
std::string draw_html(const Ladder& ladder);

}  // namespace rnicsim
