// SPDX-License-Identifier: Apache-2.0
// A verilated module and its clock: ticked only while it has work, so that an idle block costs nothing.
#pragma once

#include "model/rtl/block_place.h"
#include "model/rtl/coverage.h"
#include "model/rtl/rtl_blocks.h"
#include "model/rtl/waves.h"
#include "tlm/time/clock.h"

#include <verilated.h>
#if VM_TRACE_FST
#include <verilated_fst_c.h>  // complete: Module::trace() looks into it
#endif

#include <algorithm>
#include <memory>
#include <string>

namespace rnicsim {

/// `Module`: a class made by Verilator, with the ports clk_i and rst_ni.
template <typename Module>
class Clocked {
  public:
    explicit Clocked(const char* name, const BlockPlace& place = {}, Clock clock = kGmiiClock)
        : name_(name),
          clock_(clock),
          wave_(place.waves != nullptr ? place.waves->of(place.end, name, clock) : nullptr),
          module_(&own_, wave_ ? wave_->scope() : name) {
        module_.rst_ni = 1;
        settle();  // the first evaluation sees no edges: none of the reset, if that were on already
        module_.rst_ni = 0;
        run();
        module_.rst_ni = 1;
        settle();
        if constexpr (VM_TRACE_FST) {
            if (!wave_) return;
            constexpr int kAllLevels = 99;
            module_.contextp()->traceEverOn(true);
            module_.trace(wave_->writer(), kAllLevels);
            wave_->open();
        }
    }
    Clocked(const Clocked&) = delete;
    Clocked& operator=(const Clocked&) = delete;
    ~Clocked() {
        if (wave_) show_last();
        module_.final();
#if VM_COVERAGE
        write_coverage(own_, name_);
#endif
        Verilated::threadContextp(&own_);  // until now that of the block made last, which may be gone
    }

    Module* operator->() { return &module_; }
    Module& operator*() { return module_; }

    /// The cycle that the next tick ends, if it is not the one after the last tick's: to be told at the start of a
    /// burst, before inputs change. Only waveforms ask. While a block has no work, its clock stands still.
    void at(Cycle now) {
        now_ = now;
        if (!wave_) return;
        if (wave_->holds_until(now)) show();
        wave_->go_to(now);
    }
    /// The same where a block may have something of its own to do until then, such as to keep a gap: lets so much of
    /// the idle time pass as that may take, and skips the rest. Inputs stay as they are; `look` is told of each cycle.
    template <typename Look>
    void pass(Cycle now, const Look& look) {
        constexpr Cycle kLongest{32};
        const Cycle until = std::min(now, now_ + kLongest);
        while (now_ < until) {
            tick();
            look(now_);
        }
        at(now);
    }
    /// To the next cycle: inputs are taken, outputs are those of the new cycle afterwards.
    void tick() {
        if (wave_) [[unlikely]] {
            if (wave_->wanted()) show();
            wave_->next();
        }
        const Cycle ended = now_;
        now_ += Cycle{1};
        try {
            run();
        } catch (const RtlFault& fault) {  // an assertion
            throw RtlFault(std::string(fault.what()) + ", in cycle " + std::to_string(ended.n) + " (" +
                           std::to_string(clock_.time(ended).ps) + " ps in its waveform)");
        }
    }
    /// Lets changed inputs through combinational logic.
    void settle() { module_.eval(); }

  private:
    void run() {
        module_.clk_i = 1;
        module_.eval();
        module_.clk_i = 0;
        module_.eval();
    }
    /// Draws the present cycle, with the inputs that the edge at its end will take. This clock is for the eye only:
    /// the module is not evaluated with it.
    void show() {
        settle();
        module_.clk_i = 1;
        wave_->rise();
        module_.clk_i = 0;
        settle();
        wave_->fall();
    }
    /// What the last tick led to, unless it led to a failed assertion.
    void show_last() noexcept {
        try {
            if (wave_->wanted()) show();
        } catch (const RtlFault&) { return; }
    }

    /// The thread's context is this block's until it is gone, and no dangling one after.
    struct ThreadContext {
        ThreadContext() = default;
        ThreadContext(const ThreadContext&) = delete;
        ThreadContext& operator=(const ThreadContext&) = delete;
        ~ThreadContext() { Verilated::threadContextp(Verilated::defaultContextp()); }
    };
    ThreadContext thread_context_;  // first: it ends last
    // Each block for itself: a context is for models that are drawn into one file (Verilator 5.032 was seen to crash
    // with a file each), and counters of coverage end with their block.
    VerilatedContext own_;
    [[maybe_unused]] const char* name_;
    Clock clock_;
    std::unique_ptr<Wave> wave_;
    Cycle now_;      // that the ports show
    Module module_;  // its destructor (5.006) asks for the thread's context in any case
};

}  // namespace rnicsim
