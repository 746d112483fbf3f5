#include "model/rtl/rtl_blocks.h"
#include "Vdrp_frame_filter.h"
#include "Vgmac_rx.h"
#include "Vgmac_tx.h"
#ifdef RNICSIM_OWN_GMAC_TX
#include "Vown_gmac_tx.h"
#endif
#ifdef RNICSIM_OWN_GMAC_RX
#include "Vown_gmac_rx.h"
#endif
#ifdef RNICSIM_OWN_FRAME_FILTER
#include "Vown_frame_filter.h"
#endif
#include "model/rtl/filter_rtl.h"
#include "model/rtl/gmac_rtl.h"

#include <string>

/// Verilator calls this when an assertion in the Verilog fails; its own version would end the process without a word to
/// the run that it is part of.
void vl_stop(const char* file, int line, const char* /*hierarchy*/) {
    throw rnicsim::RtlFault(std::string(file) + ":" + std::to_string(line) + ": assertion failed");
}

namespace rnicsim {

std::unique_ptr<MacEngine> RtlBlocks::mac(const RnicConfig& config) const {
    const std::string& name = config.blocks[Block::gmac];
    if (name == "rtl") return std::make_unique<GmacRtl<Vgmac_tx, Vgmac_rx>>();
#ifdef RNICSIM_OWN_GMAC_TX
    if (name == RNICSIM_OWN_GMAC_TX) return std::make_unique<GmacRtl<Vown_gmac_tx, Vgmac_rx>>();
#endif
#ifdef RNICSIM_OWN_GMAC_RX
    if (name == RNICSIM_OWN_GMAC_RX) return std::make_unique<GmacRtl<Vgmac_tx, Vown_gmac_rx>>();
#endif
    return BlockFactory::mac(config);
}

std::unique_ptr<FilterEngine> RtlBlocks::filter(const RnicConfig& config, const MacAddress& own) const {
    const std::string& name = config.blocks[Block::frame_filter];
    if (name == "rtl") return std::make_unique<FilterRtl<Vdrp_frame_filter>>(own);
#ifdef RNICSIM_OWN_FRAME_FILTER
    if (name == RNICSIM_OWN_FRAME_FILTER) return std::make_unique<FilterRtl<Vown_frame_filter>>(own);
#endif
    return BlockFactory::filter(config, own);
}

}  // namespace rnicsim
