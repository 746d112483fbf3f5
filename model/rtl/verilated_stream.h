// SPDX-License-Identifier: Apache-2.0
// StreamPins of a wrapper that Verilator has compiled.
#pragma once

#include "model/rtl/clocked.h"
#include "model/rtl/ports.h"
#include "model/rtl/stream_pins.h"

#include <cstring>

namespace rnicsim {

/// `Module`: a class made by Verilator of a wrapper made by scripts/wrap_block.
template <typename Module>
class VerilatedStream final : public StreamPins {
  public:
    VerilatedStream(const char* name, const BlockPlace& place, Clock clock) : module_(name, place, clock) {}

    void own_address(const MacAddress& own) override { module_->own_address_i = ports::address(own); }
    void drive(const Beat& in, bool out_ready) override {
        std::memcpy(&module_->in_tdata_i[0], in.data.data(), kMostStreamBytes);  // both begin with the least byte
        module_->in_tkeep_i = in.keep;
        module_->in_tvalid_i = in.valid;
        module_->in_tlast_i = in.last;
        module_->in_tuser_i = in.bad;
        module_->out_tready_i = out_ready;
    }
    void drive(GmiiByte received) override {
        module_->gmii_rxd_i = received.data;
        module_->gmii_rx_dv_i = received.enable;
        module_->gmii_rx_er_i = received.error;
    }
    void settle() override { module_.settle(); }
    [[nodiscard]] bool in_ready() const override { return module_->in_tready_o != 0; }
    [[nodiscard]] Beat out() const override {
        Beat beat;
        beat.valid = module_->out_tvalid_o != 0;
        if (!beat.valid) return beat;
        std::memcpy(beat.data.data(), &module_->out_tdata_o[0], kMostStreamBytes);
        beat.keep = module_->out_tkeep_o;
        beat.last = module_->out_tlast_o != 0;
        beat.bad = module_->out_tuser_o != 0;
        return beat;
    }
    [[nodiscard]] GmiiByte sent() const override {
        return {module_->gmii_txd_o, module_->gmii_tx_en_o != 0, module_->gmii_tx_er_o != 0};
    }
    void tick() override { module_.tick(); }
    void reset(bool on) override { module_->rst_ni = !on; }
    void at(Cycle now) override { module_.at(now); }

  private:
    mutable Clocked<Module> module_;
};

}  // namespace rnicsim
