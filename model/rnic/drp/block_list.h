// SPDX-License-Identifier: Apache-2.0
// The blocks of the RNIC that can be simulated in more than one way: by the model, by the Verilog of rtl/, or by
// Verilog of one's own. Named and explained in block_list.inc, the one list.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rnicsim {

/// rnic_core: all of them, as one module, which follows the run.
enum class Block : std::uint8_t {
#define RNICSIM_BLOCK(name, meaning) name,
#include "model/rnic/drp/block_list.inc"
};

/// By Block.
inline constexpr std::array kBlockNames{
#define RNICSIM_BLOCK(name, meaning) std::string_view(#name),
#include "model/rnic/drp/block_list.inc"
};

/// Who simulates each block: "model", "rtl", or the name of a block that was built in.
class BlockNames {
  public:
    BlockNames() { names_.fill("model"); }
    explicit BlockNames(const std::string& of_all) { names_.fill(of_all); }

    [[nodiscard]] std::string& operator[](Block block) { return names_[static_cast<std::size_t>(block)]; }
    [[nodiscard]] const std::string& operator[](Block block) const { return names_[static_cast<std::size_t>(block)]; }
    friend bool operator==(const BlockNames&, const BlockNames&) = default;

  private:
    std::array<std::string, kBlockNames.size()> names_;
};

}  // namespace rnicsim
