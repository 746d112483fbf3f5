// SPDX-License-Identifier: Apache-2.0
// What a run needs around the cards of one personality: its end systems are made, counted, checked and explained here.
#pragma once

#include "model/end_system.h"
#include "model/network/link/link.h"
#include "testbench/kits/counter_list.h"
#include "testbench/kits/sums.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {

class BlockFactory;
namespace rc {
class CardBlocks;
}

/// Who makes the blocks of a host's card; not owned, nullptr: models only.
struct BlockMakers {
    const BlockFactory* drp = nullptr;
    const rc::CardBlocks* rc = nullptr;
};

class PersonalityKit {
  public:
    virtual ~PersonalityKit() = default;
    /// The word of `rnic.personality`.
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// What its hosts do, for messages: "transfers".
    [[nodiscard]] virtual std::string_view traffic() const = 0;

    /// What a run adds to the configuration of a host.
    struct Build {
        std::uint64_t memory_bytes = 0;
        BlockMakers blocks;
    };
    [[nodiscard]] virtual std::unique_ptr<EndSystem> make(const EndSystem::Environment& environment,
                                                          const Build& build) const = 0;

    /// What names its frames on one direction of a link; nullptr: they have numbers alone.
    [[nodiscard]] virtual std::unique_ptr<FrameNamer> namer(const RunConfig& /*run*/, const System& /*system*/) const {
        return nullptr;
    }

    /// The counters of an end, all behind `name`: always the same names in the same order.
    virtual void count(const EndSystem& end, const RunConfig& run, const std::string& name, CounterList& out) const = 0;
    /// Frames with payload that it has sent, repeats included.
    [[nodiscard]] virtual std::uint64_t data_frames(const EndSystem& /*end*/) const { return 0; }
    /// What goes into the end comes out of it, is still in it, or is counted as lost. `out`, `in`: of its link.
    virtual void conserve(const EndSystem& end, const std::string& host, const Link::Lane& out, const Link::Lane& in,
                          Sums& sums) const = 0;

    /// How long all hosts of this personality may do nothing that can be seen: their share of the watchdog's limit.
    [[nodiscard]] virtual Time patience(const RunConfig& /*run*/) const { return {}; }
    /// May all frames of its hosts be on wires at once, and wait for pauses there?
    [[nodiscard]] virtual bool fills_wires() const { return true; }
    /// What else has not happened where a run stands still, behind a comma.
    [[nodiscard]] virtual std::string_view stands_still() const { return ""; }
    /// What the end waits for and holds, lines for the message of a failed run. `asked`: what its work waits for.
    [[nodiscard]] virtual std::string explain(const EndSystem& end, const RunConfig& run, unsigned host,
                                              const std::vector<std::string>& asked) const = 0;
};

}  // namespace rnicsim
