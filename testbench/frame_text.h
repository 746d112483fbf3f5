// A frame in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace rnicsim {

/// `head`: the first bytes of the frame, at least up to the end of a DRP header; `length`: of the whole frame.
std::string frame_text(std::span<const std::uint8_t> head, std::size_t length);

}  // namespace rnicsim
