// SPDX-License-Identifier: Apache-2.0
// The models of the MAC and of the frame filter; who makes the models of all blocks.
#include "model/rnic/drp/blocks.h"

#include "model/rnic/drp/transport_logic.h"
#include "tlm/drp/drp_frame.h"

#include <algorithm>

namespace rnicsim {
namespace {

class MacModel final : public MacEngine {
  public:
    explicit MacModel(const GmacConfig& config) : config_(config) {}

    Sent send(Frame& frame, Cycle now) override {
        frame.seal();
        const Cycle first_byte = std::max(now + config_.tx_latency, wire_free_at_);
        const Cycle end = first_byte + serialisation(frame.length());
        wire_free_at_ = end + config_.interpacket_gap;
        return {end, wire_free_at_ - config_.tx_latency};
    }

    Received receive(Frame& frame, Cycle due) override {
        if (frame.length() < kMinFrameBytes) return {Verdict::runt, {}};
        if (frame.length() > config_.mtu + kEthernetHeaderBytes + kFcsBytes) return {Verdict::oversize, {}};
        if (!frame.fcs_good()) return {Verdict::bad_fcs, {}};
        return {Verdict::good, due + config_.rx_latency};
    }

  private:
    const GmacConfig config_;
    Cycle wire_free_at_;
};

class FilterModel final : public FilterEngine {
  public:
    FilterModel(const FilterConfig& config, const MacAddress& own) : config_(config), own_(own) {}

    Classified classify(const Frame& frame, Cycle due) override {
        Classified result;
        result.at = due + config_.latency;
        const bool group = (frame.destination()[0] & 1U) != 0;  // broadcast and multicast, IEEE 802.3 clause 3.2.3
        if (!group && !std::ranges::equal(frame.destination(), own_)) {
            result.kind = Kind::other_destination;
        } else if (frame.ether_type() != kDrpEtherType) {
            result.kind = Kind::ordinary;
        } else {
            const DrpView& drp = drp_of(frame);
            result.reason = drp.error;
            result.header = drp.header;
            result.kind = result.reason == DrpError::none ? Kind::drp : Kind::malformed;
        }
        return result;
    }

  private:
    const FilterConfig config_;
    const MacAddress own_;
};

}  // namespace

std::unique_ptr<MacEngine> BlockFactory::mac(const RnicConfig& config) const {
    return std::make_unique<MacModel>(config.gmac);
}

std::unique_ptr<FilterEngine> BlockFactory::filter(const RnicConfig& config, const MacAddress& own) const {
    return std::make_unique<FilterModel>(config.filter, own);
}

std::unique_ptr<CoreObserver> BlockFactory::core(const RnicConfig& /*config*/, const MacAddress& /*own*/,
                                                 const MacAddress& /*peer*/) const {
    return nullptr;
}

std::unique_ptr<TransportEngine> BlockFactory::transport(const RnicConfig& config) const {
    return std::make_unique<TransportLogic>(config.transport);
}

std::unique_ptr<DmaEngine> BlockFactory::dma_engine(const RnicConfig& config) const {
    return std::make_unique<DmaEngineModel>(config.pcie);
}

std::unique_ptr<IndirectBufferEngine> BlockFactory::indirect_buffer(const RnicConfig& config) const {
    const TransportConfig& t = config.transport;
    return std::make_unique<IndirectBuffer>(t.method == Method::dynamic ? t.indirect_buffer : 0, t.segment);
}

}  // namespace rnicsim
