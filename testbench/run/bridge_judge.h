// SPDX-License-Identifier: Apache-2.0
// What a host's stores have brought to the other host's memory, through a bridge: each byte as it was sent, in the
// order in which it was, at the address to which the window leads, and nothing else.
#pragma once

#include "model/ntb/bridge.h"
#include "tlm/ring.h"
#include "tlm/taps.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rnicsim {

class BridgeJudge final : public Observer {
  public:
    /// Bridges by their number. `names`: by side, for what its host sends. Not owned. Before the simulation starts.
    void add(const ntb::Bridge& bridge, const std::array<unsigned, 2>& between, std::array<std::string, 2> names);

    /// Empty, or the first thing that is wrong.
    [[nodiscard]] const std::string& violation() const { return violation_; }
    /// Nothing is under way any more: a store that is in no memory is lost.
    void check_idle();

    void bridge_sent(const Crossing& way, tlm::tlm_generic_payload& transaction, Time left) override;
    void bridge_crossed(const Crossing& way, tlm::tlm_generic_payload& transaction, Crossed how) override;
    void memory_access(unsigned host, const tlm::tlm_generic_payload& transaction) override;
    void upstream_tlp(unsigned /*end*/, tlm::tlm_generic_payload& /*transaction*/, Time /*due*/) override {}
    void frame_sent(unsigned /*end*/, const Frame& /*frame*/, Time /*left*/) override {}

  private:
    struct Store {
        const tlm::tlm_generic_payload* transaction = nullptr;
        std::uint64_t address = 0;  // at its host, then at the other one
        std::uint32_t bytes = 0;
        std::array<std::uint8_t, kMostPosted> data{};
    };
    struct Direction {
        const ntb::Side* from = nullptr;  // not owned
        std::string name;
        std::array<unsigned, 2> hosts{};  // from, to
        Ring<Store> sent, delivered;      // that have not crossed; that are in no memory
    };
    [[nodiscard]] Direction& of(const Crossing& way);
    [[nodiscard]] static std::optional<std::uint64_t> leads_to(const ntb::Registers& registers, const Store& store);
    void wrong(const Direction& of, const Store& store, const std::string& what);

    std::vector<Direction> directions_;
    std::string violation_;
};

}  // namespace rnicsim
