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
    std::string_view name;                    ///< of one: "transfer"
    std::span<const std::string_view> parts;  ///< of Sample::parts, in order; the others are 0
    int decimals = 6;                         ///< of microseconds, in summaries of them
    /// Nobody calls it an error if one does not complete: it is lost, and has not failed.
    bool may_be_lost = false;
    /// Among those of its initiator and item: "12", "q0.12".
    std::string (*number)(const Sample&) = [](const Sample& of) { return std::to_string(of.id); };
    std::string_view (*operation)(std::uint8_t);                               ///< "write"
    std::string_view (*mark)(bool) = [](bool) { return std::string_view(); };  ///< "indirect"
    std::string_view (*status)(std::uint8_t) = [](std::uint8_t of) {           ///< why it did not complete
        return std::string_view(of == 0 ? "" : "lost");
    };
};

}  // namespace rnicsim
