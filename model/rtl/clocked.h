// A verilated module and its clock: ticked only while it has work, so that an idle block costs nothing.
#pragma once

#include "model/rtl/rtl_blocks.h"

#include <verilated.h>

#include <memory>
#include <string>

namespace rnicsim {

/// `Module`: a class made by Verilator, with the ports clk_i and rst_ni.
template <typename Module>
class Clocked {
  public:
    explicit Clocked(const char* name) : module_(name) {
        module_.rst_ni = 0;
        tick();
        module_.rst_ni = 1;
        settle();
    }
    Clocked(const Clocked&) = delete;
    Clocked& operator=(const Clocked&) = delete;
    ~Clocked() { module_.final(); }

    Module* operator->() { return &module_; }

    /// To the next cycle: inputs are taken, outputs are those of the new cycle afterwards.
    void tick() {
        module_.clk_i = 1;
        module_.eval();
        module_.clk_i = 0;
        module_.eval();
    }
    /// Lets changed inputs through combinational logic.
    void settle() { module_.eval(); }

  private:
    Module module_;  // in Verilator's context of this thread, which its destructors (5.006) ask for in any case
};

/// Gives up on Verilog that would never come to an end.
class Patience {
  public:
    Patience(const char* block, const char* what) : block_(block), what_(what) {}
    void tick() {
        constexpr int kLongest = 8192;  // five frames of the longest kind
        if (++ticks_ > kLongest) throw RtlFault(std::string(block_) + " (Verilog): " + what_);
    }

  private:
    const char* block_;
    const char* what_;
    int ticks_ = 0;
};

}  // namespace rnicsim
