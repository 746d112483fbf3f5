// SPDX-License-Identifier: Apache-2.0
// The words for samples of ordinary frames between plain hosts.
#pragma once

#include "testbench/records/sample_kind.h"

#include <array>
#include <cstddef>

namespace rnicsim {

/// Where the time of a frame goes: in its sender, and on the way. Of one that was lost the first only.
enum class FramePart : std::uint8_t { waiting, wire, count };
inline constexpr std::size_t kFrameParts = static_cast<std::size_t>(FramePart::count);
inline constexpr std::array<std::string_view, kFrameParts> kFramePartNames{"waiting", "wire"};

/// `status` of a frame that has not arrived.
inline constexpr std::uint8_t kFrameLost = 1;

/// Marked: "congestion experienced". `id` is the order at its sender within the item, `bytes` MAC client data.
inline constexpr SampleKind kFrameSample{.name = "frame",
                                         .parts = kFramePartNames,
                                         .may_be_lost = true,
                                         .operation = [](std::uint8_t) { return std::string_view("frame"); },
                                         .mark = [](bool is) { return std::string_view(is ? "marked" : ""); }};

/// When its preamble begins at its sender.
constexpr Time sent_at(const Sample& frame) {
    return frame.start + Time{frame.parts[static_cast<std::size_t>(FramePart::waiting)]};
}

}  // namespace rnicsim
