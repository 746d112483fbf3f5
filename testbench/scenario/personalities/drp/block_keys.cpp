// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/drp/block_keys.h"

#include "model/rtl/block_names.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::string_view kSimulation = "simulation.";

/// What `simulation.rnic` speaks of: each block of the core, but not the core itself.
std::string_view blocks_not_named() {
    static const std::string kText = [] {
        std::string text;
        constexpr auto kLast = static_cast<std::size_t>(Block::rnic_core) - 1;
        for (std::size_t i = 0; i <= kLast; ++i) {
            text += i == 0 ? "" : i == kLast ? " and " : ", ";
            text += kBlockNames[i];
        }
        return text + ", those that are not named themselves";
    }();
    return kText;
}

Declared of_block(std::string path, std::vector<std::string_view> words, std::string_view meaning) {
    Key key;
    key.path = std::move(path);
    key.kind = Kind::choice;
    key.choices = std::move(words);
    key.meaning = meaning;
    key.source = "-";
    return {std::move(key), {}};
}

}  // namespace

Declarations block_declarations() {
    return {
        of_block(std::string(kRnicBlocks), {"model", "rtl"}, blocks_not_named()),
#define RNICSIM_BLOCK(name, meaning) of_block("simulation." #name, block_choices(Block::name), meaning),
#include "model/rnic/drp/block_list.inc"
    };
}

bool is_block_key(std::string_view common) {
    if (common == kRnicBlocks) return true;
    return common.starts_with(kSimulation) &&
           std::ranges::find(kBlockNames, common.substr(kSimulation.size())) != kBlockNames.end();
}

std::string block_key(Block block) {
    return std::string(kSimulation) + std::string(kBlockNames[static_cast<std::size_t>(block)]);
}

BlockNames read_blocks(Lookup& in) {
    BlockNames blocks(in.word(std::string(kRnicBlocks)));
    blocks[Block::rnic_core] = "model";  // it stands in for none of them
    for (std::size_t i = 0; i < kBlockNames.size(); ++i) {
        const auto block = static_cast<Block>(i);
        const std::string path = block_key(block);
        const std::string name = in.word(path);
        if (in.written(path)) blocks[block] = name;
    }
    return blocks;
}

}  // namespace rnicsim
