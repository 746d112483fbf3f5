// SPDX-License-Identifier: Apache-2.0
// A core's way to a device: instructions in order, one at a time; stores through write-combining buffers, or uncached;
// loads. Its own times are picoseconds, but what it gives to a root port goes at an edge of the host's clock.
//
// W1 A buffer has the bytes of one line. W2 Stores to it merge; without a buffer a victim leaves, and the store waits.
// One across lines splits, low first. W3 A full line leaves at once, as one MWr. W4 A partial one leaves as aligned
// chunks of 8 bytes, or as one MWr. W5 A fence, a locked instruction, an uncached access, an interrupt and the end of
// `hold` make all leave (Intel SDM volume 3A, 11.3.1). W6 A fence ends `fence` after the port has taken the last piece.
// W7 A load's own line goes before it. W8 Each uncached store is a MWr, in order.
//
// It is no process: the host's calls run() at next_due(). Of one instant: pieces go to the port, then the instruction
// acts, then buffers that have been held for long enough leave.
#pragma once

#include "model/host/cpu/line_eviction.h"
#include "model/host/cpu/store_config.h"
#include "model/host/cpu/store_observer.h"
#include "model/host/root_complex.h"
#include "tlm/wakeup.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rnicsim {

/// What runs on the core.
class InstructionTarget {
  public:
    virtual ~InstructionTarget() = default;
    /// The instruction ends at `at`. This is told before, or at the first edge of the host's clock from then on. The
    /// next one may be given during the call.
    virtual void ended(Time at) = 0;
};

class StorePath : private PlaceTarget, private LoadTarget {
  public:
    /// `core`: its number among those whose draws `random` has.
    StorePath(const StoreConfig& config, RootComplex& root, ClockedWakeup& wakeup, InstructionTarget& program,
              const RandomSource& random = {}, std::uint64_t core = 0);

    /// Not owned; nullptr: none. `core`: its number for it.
    void set_observer(StoreObserver* observer, std::size_t core) {
        observer_ = observer;
        core_ = core;
    }

    // Instructions. Each begins at `from`, not before the end of the previous one; addresses are a device's.
    // Precondition of all: not busy().
    /// 1..64 bytes, which are kept; those of the lower line first. Uncached: a MWr for each line.
    void store(Time from, std::uint64_t address, std::span<const std::uint8_t> bytes,
               Mapping mapping = Mapping::write_combining);
    /// Line after line, one in part as long as a whole one; uncached: 8 bytes after 8 bytes. They must stay valid until
    /// the end, and be some.
    void copy(Time from, std::uint64_t address, std::span<const std::uint8_t> bytes,
              Mapping mapping = Mapping::write_combining);
    /// All buffers leave. Ends `fence` after the port has taken the last piece, and not before `from` + `fence`. So do
    /// locked instructions.
    void fence(Time from);
    /// At least one byte, `width` at a time. `into` must stay valid until the end. The line's own buffer goes before
    /// each; all of them if it is uncached.
    void load(Time from, std::uint64_t address, std::span<std::uint8_t> into,
              Mapping mapping = Mapping::write_combining);

    /// The core is interrupted: all buffers leave. Nobody waits for them.
    void interrupt(Cycle now);

    [[nodiscard]] bool busy() const { return instruction_.kind != Kind::none; }
    /// Has all that was stored gone to the port?
    [[nodiscard]] bool empty() const { return lines_.empty(); }
    [[nodiscard]] Cycle next_due() const;
    /// All that is due by now.
    void run(Cycle now);

  private:
    enum class Kind : std::uint8_t { none, store, copy, fence, load };
    struct Instruction {
        Kind kind = Kind::none;
        Mapping mapping = Mapping::write_combining;
        std::uint64_t address = 0;           // of what is left
        std::size_t left = 0;                // bytes
        const std::uint8_t* from = nullptr;  // the same
        std::uint8_t* into = nullptr;
    };
    /// A MRd of the load.
    struct Flight {
        std::uint8_t* into = nullptr;
        Time free_from;  // kEndOfTime: on its way
    };

    void begin(Time acts, const Instruction& instruction);
    void act(Cycle now);
    void merge();
    void store_uncached(Cycle now);
    void wait_for_lines();
    void load_next(Cycle now);
    void end(Time at);
    void advance(std::size_t bytes);
    void hand_over(Cycle now);
    [[nodiscard]] bool has_place(Cycle now, std::uint64_t address);
    /// The instruction waits for lines that leave, or for a place.
    void wait() {
        waits_ = true;
        waits_since_ = next_;
        next_ = kEndOfTime;
    }
    void go_on(Time at) {
        if (waits_ && observer_ != nullptr) report_wait(at);
        if (waits_) next_ = at;
        waits_ = false;
    }
    void report_wait(Time until) const;
    void report(StoreWait why, Time from, Time to) const {
        if (observer_ != nullptr && from < to) observer_->waited(core_, why, from, to);
    }
    /// Bytes up to the next multiple of a power of two.
    [[nodiscard]] std::size_t part(std::uint32_t boundary) const;
    [[nodiscard]] Time hands_over_at() const;
    [[nodiscard]] Time instruction_due() const;
    void place_free(Cycle now) override;
    void loaded(Time at, std::uint64_t context, std::span<const std::uint8_t> bytes) override;

    const StoreConfig config_;
    RootComplex& root_;
    ClockedWakeup& wakeup_;
    InstructionTarget& program_;
    StoreObserver* observer_ = nullptr;  // not owned
    std::size_t core_ = 0;
    LineEviction lines_;
    Instruction instruction_;
    std::array<std::uint8_t, WriteCombining::kLine> stored_{};  // of a store
    Time next_ = kEndOfTime;                                    // when the instruction acts
    bool waits_ = false;                                        // and does not before something has gone to the port
    Time waits_since_, began_;                                  // the latter: the instruction
    bool asked_ = false, granted_ = false;                      // a place of the port
    Time hands_over_from_;                                      // there was none before
    Time taken_;                                                // the last bytes by the port
    Time uncached_from_;
    std::vector<Flight> flights_;
    std::size_t flying_ = 0;
    Time load_ends_;
};

}  // namespace rnicsim
