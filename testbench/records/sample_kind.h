// SPDX-License-Identifier: Apache-2.0
// How the samples of one kind of work are read: the words for what a Sample has as numbers.
#pragma once

#include "testbench/records/sample.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rnicsim {

struct SampleKind {
    std::string_view name;                        ///< of one: "transfer"
    std::string_view failed;                      ///< what becomes of it if it does not complete: "failed"
    std::span<const std::string_view> parts;      ///< of Sample::parts, in order; the others are 0
    int decimals = 6;                             ///< of microseconds, in summaries of them
    std::string (*number)(const Sample&);         ///< among those of its initiator and item: "12", "q0.12"
    std::string_view (*operation)(std::uint8_t);  ///< "write"
    std::string_view (*mark)(bool);               ///< "indirect"
    std::string_view (*status)(std::uint8_t);     ///< "", "request_timeout"
};

}  // namespace rnicsim
