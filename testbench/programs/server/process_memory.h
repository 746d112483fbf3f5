// Memory of programs as devices of a host reach it: each program has a window of the bus, 2^48 bytes, above the host's
// own memory. The pages stay the program's own: DMA reads and writes them there.
#pragma once

#include "model/host/memory.h"

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace rnicsim::programs {

class ProcessMemory final : public OutsideMemory {
  public:
    using Window = std::uint16_t;
    /// A program does not have memory where it has registered some; what was to be read is zero. Told once an access.
    using Fault = std::function<void(Window window, std::uint64_t address)>;
    /// A program's memory is written, and can see that from `visible` on. True: the bytes are kept for deliver(); once
    /// they are, so are all later ones until then.
    using Keep = std::function<bool(Window window, Time visible)>;
    ProcessMemory(Fault fault, Keep keep) : fault_(std::move(fault)), keep_(std::move(keep)) {}

    /// From 1. Throws std::runtime_error if there are none left.
    Window open(pid_t process);
    void close(Window window) { processes_.erase(window); }
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
    void put(Window window, std::uint64_t there, std::span<const std::uint8_t> from);

    static constexpr unsigned kShift = 48;  // user addresses have 47 bits
    std::map<Window, pid_t> processes_;
    Window last_ = 0;
    Fault fault_;
    Keep keep_;
    std::deque<Kept> kept_;
};

}  // namespace rnicsim::programs
