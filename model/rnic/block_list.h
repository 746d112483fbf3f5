// The blocks of the RNIC that can be simulated in more than one way: by the model, by the Verilog of rtl/, or by
// Verilog of one's own. The one list: scenario keys, factories, co-simulation and the reference go through it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rnicsim {

enum class Block : std::uint8_t {
    gmac,
    frame_filter,
    transport_controller,
    indirect_buffer,
    dma_engine,
    rnic_core,  ///< all of them, as one module: it follows the run
};

inline constexpr std::string_view kBlockSection = "simulation.";
struct BlockKey {
    std::string_view path;  ///< in a scenario
    std::string_view meaning;
    [[nodiscard]] constexpr std::string_view name() const { return path.substr(kBlockSection.size()); }
};
/// By Block.
inline constexpr std::array<BlockKey, 6> kBlockKeys{{
    {"simulation.gmac", "MAC: model, or Verilog equal to it to the cycle"},
    {"simulation.frame_filter", "frame filter: model, or Verilog"},
    {"simulation.transport_controller", "transport controller with its connection table: model, or Verilog"},
    {"simulation.indirect_buffer", "indirect buffer with its memory: model, or Verilog"},
    {"simulation.dma_engine", "DMA engine: model, or Verilog"},
    {"simulation.rnic_core",
     "the whole core: model, or followed by Verilog that has to do the same in the same cycles"},
}};

/// Who simulates each block: "model", "rtl", or the name of a block that was built in.
class BlockNames {
  public:
    BlockNames() { names_.fill("model"); }
    explicit BlockNames(const std::string& of_all) { names_.fill(of_all); }

    [[nodiscard]] std::string& operator[](Block block) { return names_[static_cast<std::size_t>(block)]; }
    [[nodiscard]] const std::string& operator[](Block block) const { return names_[static_cast<std::size_t>(block)]; }
    friend bool operator==(const BlockNames&, const BlockNames&) = default;

  private:
    std::array<std::string, kBlockKeys.size()> names_;
};

}  // namespace rnicsim
