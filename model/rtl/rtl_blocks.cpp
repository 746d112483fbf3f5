// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/rtl_blocks.h"

#include "model/rtl/core_shadow.h"
#include "model/rtl/dma_rtl.h"
#include "model/rtl/filter_rtl.h"
#include "model/rtl/gmac_rtl.h"
#include "model/rtl/icrc_rtl.h"
#include "model/rtl/indirect_buffer_rtl.h"
#include "model/rtl/packet_rtl.h"
#include "model/rtl/pm_rtl.h"
#include "model/rtl/psn_rtl.h"
#include "model/rtl/request_check_rtl.h"
#include "model/rtl/stream_blocks.h"
#include "model/rtl/transport_beside.h"
#include "model/rtl/transport_rtl.h"
#include "model/rtl/verilated_modules.h"
#include "model/rtl/verilog_says.h"

#include <cstdio>
#include <string>
#include <utility>

namespace {

// What the last assertion had to say. Global because Verilator calls a C function without a context.
thread_local std::string failed;

}  // namespace

void rnicsim::verilog_says(const std::string& text) {
    if (text.find("] %Error: ") != std::string::npos || text.find("] %Fatal: ") != std::string::npos) {
        failed = text;
    } else {
        std::fputs(text.c_str(), stdout);
    }
}

/// Verilator calls this when an assertion in the Verilog fails, after its text; its own version would end the process
/// without a word to the run that it is part of.
void vl_stop(const char* file, int line, const char* /*hierarchy*/) {
    const std::string line_of = ':' + std::to_string(line) + ": ";
    std::string text = std::exchange(failed, {});
    while (!text.empty() && text.back() == '\n') text.pop_back();
    const std::size_t at = text.find(line_of);  // behind a time, which is nobody's, and the file
    throw rnicsim::RtlFault(file + line_of +
                            (at == std::string::npos ? "assertion failed" : text.substr(at + line_of.size())));
}

namespace rnicsim {
namespace {

constexpr const char* kOurs = "rtl";

}  // namespace

std::unique_ptr<MacEngine> RtlBlocks::mac(const RnicConfig& config) const {
    const std::string& name = config.blocks[Block::gmac];
    if (name == "rtl") return std::make_unique<GmacRtl<Vgmac_tx, Vgmac_rx>>(kOurs, kOurs, place_);
#ifdef RNICSIM_OWN_GMAC_TX
    if (name == RNICSIM_OWN_GMAC_TX)
        return std::make_unique<GmacRtl<Vown_gmac_tx, Vgmac_rx>>(RNICSIM_OWN_GMAC_TX, kOurs, place_);
#endif
#ifdef RNICSIM_OWN_GMAC_RX
    if (name == RNICSIM_OWN_GMAC_RX)
        return std::make_unique<GmacRtl<Vgmac_tx, Vown_gmac_rx>>(kOurs, RNICSIM_OWN_GMAC_RX, place_);
#endif
    if (auto mac = stream_mac(name, place_)) return mac;
    return BlockFactory::mac(config);
}

std::unique_ptr<FilterEngine> RtlBlocks::filter(const RnicConfig& config, const MacAddress& own) const {
    const std::string& name = config.blocks[Block::frame_filter];
    const auto model = [&] { return BlockFactory::filter(config, own); };
    if (name == "rtl") return std::make_unique<FilterRtl<Vdrp_frame_filter>>(own, kOurs, model(), place_);
#ifdef RNICSIM_OWN_FRAME_FILTER
    if (name == RNICSIM_OWN_FRAME_FILTER) {
        return std::make_unique<FilterRtl<Vown_frame_filter>>(own, RNICSIM_OWN_FRAME_FILTER, model(), place_);
    }
#endif
    if (auto filter = stream_filter(name, own, model(), place_)) return filter;
    return BlockFactory::filter(config, own);
}

std::unique_ptr<TransportEngine> RtlBlocks::transport(const RnicConfig& config) const {
    const std::string& name = config.blocks[Block::transport_controller];
    const auto beside_the_model = [&](std::unique_ptr<TransportEngine> verilog) -> std::unique_ptr<TransportEngine> {
        if (!place_.strict) return verilog;
        return std::make_unique<TransportBeside>(std::move(verilog), BlockFactory::transport(config),
                                                 PortCheck("transport_controller", name, place_));
    };
    if (name == "rtl") {
        return beside_the_model(std::make_unique<TransportRtl<Vtransport_controller>>(config.transport, kOurs, place_));
    }
#ifdef RNICSIM_OWN_TRANSPORT_CONTROLLER
    if (name == RNICSIM_OWN_TRANSPORT_CONTROLLER) {
        return beside_the_model(std::make_unique<TransportRtl<Vown_transport_controller>>(
            config.transport, RNICSIM_OWN_TRANSPORT_CONTROLLER, place_));
    }
#endif
    return BlockFactory::transport(config);
}

std::unique_ptr<IndirectBufferEngine> RtlBlocks::indirect_buffer(const RnicConfig& config) const {
    const std::string& name = config.blocks[Block::indirect_buffer];
    if (name == "rtl") return std::make_unique<IndirectBufferRtl<Vindirect_buffer>>(config.transport, kOurs, place_);
#ifdef RNICSIM_OWN_INDIRECT_BUFFER
    if (name == RNICSIM_OWN_INDIRECT_BUFFER) {
        return std::make_unique<IndirectBufferRtl<Vown_indirect_buffer>>(config.transport, RNICSIM_OWN_INDIRECT_BUFFER,
                                                                         place_);
    }
#endif
    return BlockFactory::indirect_buffer(config);
}

std::unique_ptr<DmaEngine> RtlBlocks::dma_engine(const RnicConfig& config) const {
    const std::string& name = config.blocks[Block::dma_engine];
    if (name == "rtl") return std::make_unique<DmaRtl<Vdma_engine>>(config.pcie, kOurs, place_);
#ifdef RNICSIM_OWN_DMA_ENGINE
    if (name == RNICSIM_OWN_DMA_ENGINE) {
        return std::make_unique<DmaRtl<Vown_dma_engine>>(config.pcie, RNICSIM_OWN_DMA_ENGINE, place_);
    }
#endif
    return BlockFactory::dma_engine(config);
}

std::unique_ptr<rc::PersistEngine> RtlBlocks::persist_module(const rc::CardConfig& config) const {
    if (!config.in_verilog.persist_module) return rc::CardBlocks::persist_module(config);
    return std::make_unique<PmRtl<Vpm_module_card>>(rc::pm_config(config), place_);
}

std::unique_ptr<rc::IcrcEngine> RtlBlocks::icrc(const rc::CardConfig& config) const {
    if (!config.in_verilog.icrc) return rc::CardBlocks::icrc(config);
    return std::make_unique<IcrcRtl<Vicrc_insert, Vicrc_check>>(place_);
}

std::unique_ptr<rc::RequestCheckEngine> RtlBlocks::request_check(const rc::CardConfig& config) const {
    if (!config.in_verilog.request_check) return rc::CardBlocks::request_check(config);
    return std::make_unique<RequestCheckRtl<Vrequest_check>>(place_);
}

std::unique_ptr<rc::PsnEngine> RtlBlocks::responder_psn(const rc::CardConfig& config) const {
    if (!config.in_verilog.responder_psn) return rc::CardBlocks::responder_psn(config);
    return std::make_unique<PsnRtl<Vresponder_psn>>(place_);
}

std::unique_ptr<rc::PacketParser> RtlBlocks::packet_parser(const rc::CardConfig& config) const {
    if (!config.in_verilog.packet_parser) return rc::CardBlocks::packet_parser(config);
    return std::make_unique<PacketParserRtl<Vpacket_parser>>(place_);
}

std::unique_ptr<rc::PacketBuilder> RtlBlocks::packet_builder(const rc::CardConfig& config) const {
    if (!config.in_verilog.packet_builder) return rc::CardBlocks::packet_builder(config);
    return std::make_unique<PacketBuilderRtl<Vpacket_builder>>(place_);
}

std::unique_ptr<CoreObserver> RtlBlocks::core(const RnicConfig& config, const MacAddress& own,
                                              const MacAddress& peer) const {
    const std::string& name = config.blocks[Block::rnic_core];
    const bool dynamic = config.transport.method == Method::dynamic;
    if (name == "rtl") {
        if (dynamic) return std::make_unique<CoreShadow<Vrnic_core>>(config, own, peer, place_);
        return std::make_unique<CoreShadow<Vrnic_core_traditional>>(config, own, peer, place_);
    }
#ifdef RNICSIM_OWN_RNIC_CORE
    if (name == RNICSIM_OWN_RNIC_CORE) {
        if (dynamic) return std::make_unique<CoreShadow<Vown_rnic_core>>(config, own, peer, place_);
        return std::make_unique<CoreShadow<Vown_rnic_core_traditional>>(config, own, peer, place_);
    }
#endif
    return BlockFactory::core(config, own, peer);
}

}  // namespace rnicsim
