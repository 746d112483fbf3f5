// SPDX-License-Identifier: Apache-2.0
// Where a block in Verilog stands: what it is called in messages, whether somebody draws it, how strictly it is judged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rnicsim {

class StreamReports;
class Waves;

struct BlockPlace {
    std::string end;         ///< its end system, "a" or "b"; empty: outside of a system
    Waves* waves = nullptr;  ///< draws what it is asked for; not owned; nullptr = no waveforms
    /// Held to all that rtl/README.md promises of the ports; else only to what others need to go on.
    bool strict = true;
    StreamReports* reports = nullptr;  ///< gets the latencies of blocks with streams; not owned; nullptr = nobody asks
    /// Streams pause where their manifest lets them, as drawn from this seed; then latencies are not judged.
    std::optional<std::uint32_t> stalls{};
};

}  // namespace rnicsim
