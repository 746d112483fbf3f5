// SPDX-License-Identifier: Apache-2.0
// Stores of a program to a device, on the cores of a host: each runs one list of instructions after the other.
#pragma once

#include "model/host/cpu/store_instruction.h"
#include "model/host/cpu/store_path.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace rnicsim {

class StoreTarget {
  public:
    virtual ~StoreTarget() = default;
    /// The core has begun at `began`, behind what it was given before, and the last instruction ends at `at`; this may
    /// be told before.
    virtual void stores_over(Time began, Time at, std::uint64_t context) = 0;
};

class StoreCores {
  public:
    /// `host`: whose draws `random` has.
    StoreCores(const StoreConfig& config, std::size_t cores, RootComplex& root, ClockedWakeup& wakeup,
               const RandomSource& random, unsigned host);

    /// Not owned; nullptr: none.
    void set_observer(StoreObserver* observer) {
        for (std::size_t core = 0; core < cores_.size(); ++core) cores_[core]->path.set_observer(observer, core);
    }
    /// At least one instruction; it begins at `from`, or when the core is over with those before.
    void begin(std::size_t core, Time from, std::span<const StoreInstruction> program, StoreTarget& target,
               std::uint64_t context);
    /// The core is interrupted at `at`, not in the past: all that it has stored by then leaves (W5).
    void interrupt(std::size_t core, Cycle at);
    /// How long it takes the core where nothing makes it wait.
    [[nodiscard]] Time least(std::span<const StoreInstruction> program) const;

    [[nodiscard]] Cycle next_due() const;
    void run(Cycle now);
    [[nodiscard]] bool idle() const;

  private:
    struct Program {
        Time from;  // it begins
        std::vector<StoreInstruction> instructions;
        StoreTarget* target = nullptr;  // not owned
        std::uint64_t context = 0;
    };
    class Core final : public InstructionTarget {
      public:
        Core(const StoreConfig& config, RootComplex& root, ClockedWakeup& wakeup, const RandomSource& random,
             std::uint64_t number)
            : path(config, root, wakeup, *this, random, number), mapping_(config.mapping) {}
        void add(Program program);
        [[nodiscard]] bool idle() const { return programs_.empty() && path.empty(); }

        StorePath path;

      private:
        void ended(Time at) override;
        void begin();
        void next(Time from);

        const Mapping mapping_;
        std::deque<Program> programs_;  // the first one is being run
        std::size_t next_ = 0;          // of its instructions
        Time over_;                     // when the one before it was
    };

    struct Interrupt {
        Cycle at;
        std::size_t core = 0;
    };

    const StoreConfig config_;
    std::vector<std::unique_ptr<Core>> cores_;
    std::vector<Interrupt> interrupts_;  // to come, by time
};

}  // namespace rnicsim
