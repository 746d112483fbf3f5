// SPDX-License-Identifier: Apache-2.0
// Memory of programs as devices of a host reach it: each program has a window of the bus, 2^48 bytes, above the host's
// own memory. The pages stay the program's own: DMA reads and writes them there.
//
// A region's pages are pinned: a program may give them back to its system, and the card still has them. So what a
// program gives back is kept here, in a window of the region's own, whose other pages are the program's.
#pragma once

#include "model/host/memory.h"
#include "testbench/programs/server/memory_map.h"

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace rnicsim::programs {

class ProcessMemory final : public OutsideMemory {
  public:
    using Window = std::uint16_t;
    /// A program does not have memory any more that it has registered, and nobody has kept it: from now on it is
    /// memory of zeros. Told once a page.
    using Fault = std::function<void(Window window, std::uint64_t address)>;
    /// A program's memory is written, and can see that from `visible` on. True: the bytes are kept for deliver(); once
    /// they are, so are all later ones until then.
    using Keep = std::function<bool(Window window, Time visible)>;
    ProcessMemory(Fault fault, Keep keep) : fault_(std::move(fault)), keep_(std::move(keep)) {}

    /// From 1. Throws std::runtime_error if there are none left.
    Window open(pid_t process);
    /// Its pages that were kept are gone.
    void close(Window window);
    /// Has the program all of this memory, and may it write there, too?
    [[nodiscard]] bool has(Window window, const MemoryRange& range, bool writes) const;
    /// A program gives this memory back: of a region that lies in `window` the card keeps it. Returns where the region
    /// lies from now on, a window of its own; nothing: there are no windows left.
    std::optional<Window> pin(Window window, const MemoryRange& range);

    /// On the bus.
    [[nodiscard]] static std::uint64_t bus(Window window, std::uint64_t address) {
        return std::uint64_t{window} << kShift | in_program(address);
    }
    /// The program's own address of a byte on the bus.
    [[nodiscard]] static std::uint64_t in_program(std::uint64_t bus) {
        return bus & ((std::uint64_t{1} << kShift) - 1);
    }
    bool read(std::uint64_t address, std::span<std::uint8_t> to) override;
    bool write(std::uint64_t address, std::span<const std::uint8_t> from, Time visible) override;
    /// The oldest write that is kept for a program, if there is one.
    void deliver(Window window);
    [[nodiscard]] bool keeps(Window window) const;

  private:
    struct Kept {
        Window window;
        std::uint64_t address;
        std::vector<std::uint8_t> bytes;
    };
    using Page = std::array<std::uint8_t, kPageBytes>;
    struct Process {
        pid_t id = 0;
        Window program = 0;                   // the window of all its memory
        std::vector<MemoryRange> given_back;  // in whole pages
        std::map<std::uint64_t, Page> pages;  // of these, but for those that are all zeros
    };
    std::optional<Window> open(const Process& process);
    /// Null: the program has it.
    static Page* page_of(Process& of, std::uint64_t address);
    [[nodiscard]] Window program_of(Window window) const;
    void put(Window window, std::uint64_t there, std::span<const std::uint8_t> from);
    template <typename Bytes>
    void access(Window window, std::uint64_t there, Bytes here);

    static constexpr unsigned kShift = 48;  // user addresses have 47 bits
    std::map<Window, Process> processes_;
    Window last_ = 0;
    Fault fault_;
    Keep keep_;
    std::deque<Kept> kept_;
};

}  // namespace rnicsim::programs
