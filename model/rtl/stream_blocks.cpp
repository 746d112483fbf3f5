// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/stream_blocks.h"

#include "model/rtl/stream_filter.h"
#include "model/rtl/stream_mac.h"
#include "model/rtl/verilated_stream.h"
#include "stream_modules.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

struct StreamBlock {
    Block block;
    StreamManifest manifest;
    std::function<std::unique_ptr<StreamPins>(const char* instance, const BlockPlace& place)> make;
};

template <typename Module>
auto maker(std::int64_t period) {
    return [period](const char* instance, const BlockPlace& place) -> std::unique_ptr<StreamPins> {
        return std::make_unique<VerilatedStream<Module>>(instance, place, Clock{Time{period}});
    };
}

const std::vector<StreamBlock>& stream_blocks() {
    static const std::vector<StreamBlock> kAll{
#define RNICSIM_STREAM_BLOCK(of, name, period, in_bytes, in_least, in_most, in_stalls, out_bytes, out_least, out_most, \
                             out_stalls, rx_er, runt, oversize)                                                        \
    {Block::of,                                                                                                        \
     {#name,                                                                                                           \
      Time{period},                                                                                                    \
      {in_bytes, in_least, in_most, in_stalls},                                                                        \
      {out_bytes, out_least, out_most, out_stalls},                                                                    \
      rx_er},                                                                                                          \
     maker<Vstream_##name>(period)},
#include "stream_blocks.inc"
#undef RNICSIM_STREAM_BLOCK
    };
    return kAll;
}

const StreamBlock* find(Block block, const std::string& name) {
    const auto at = std::ranges::find_if(
        stream_blocks(), [&](const StreamBlock& one) { return one.block == block && one.manifest.name == name; });
    return at == stream_blocks().end() ? nullptr : &*at;
}

}  // namespace

std::unique_ptr<MacEngine> stream_mac(const std::string& name, const BlockPlace& place) {
    const StreamBlock* const block = find(Block::gmac, name);
    if (block == nullptr) return nullptr;
    return std::make_unique<StreamMac>(block->make("gmac_tx", place), block->make("gmac_rx", place), block->manifest,
                                       place);
}

std::unique_ptr<FilterEngine> stream_filter(const std::string& name, const MacAddress& own,
                                            std::unique_ptr<FilterEngine> model, const BlockPlace& place) {
    const StreamBlock* const block = find(Block::frame_filter, name);
    if (block == nullptr) return nullptr;
    return std::make_unique<StreamFilter>(block->make("frame_filter", place), block->manifest, own, std::move(model),
                                          place);
}

Time stream_period(Block block, const std::string& name) {
    const StreamBlock* const found = find(block, name);
    return found == nullptr ? Time{} : found->manifest.period;
}

}  // namespace rnicsim
