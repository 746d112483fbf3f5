// Steps of an exploration in words.
#pragma once

#include "testbench/explore/rc/step.h"
#include "tlm/roce/header.h"

#include <string>
#include <string_view>

namespace rnicsim::rc {

/// Of an arrival or a fault of this packet.
std::string frame_in_words(Step step, const roce::Header& header);
/// Of the others.
std::string_view host_in_words(Step step);

}  // namespace rnicsim::rc
