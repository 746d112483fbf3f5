// SPDX-License-Identifier: Apache-2.0
// A host's software with streams: TCP runs beside the driver, on the same cores.
#pragma once

#include "model/host/root_complex.h"
#include "model/host/tcp/tcp_stack.h"
#include "model/host/verbs/verbs_driver.h"
#include "model/rnic/rc/rings.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace rnicsim {

class StreamHost final : public HostSoftware, private TcpHost {
  public:
    /// Where its rings and sockets are, and for how many.
    struct Place {
        std::uint64_t address = 0;
        std::uint32_t streams = 0;
    };
    /// `host`: its number. Nothing is owned.
    StreamHost(const VerbsHostConfig& config, unsigned host, Memory& memory, RootComplex& root_complex,
               VerbsDriver& driver, ClockedWakeup& wakeup, const Place& place, StreamProgram& program)
        : interrupt_latency_(config.interrupt_latency),
          memory_(memory),
          root_complex_(root_complex),
          driver_(driver),
          wakeup_(wakeup),
          stack({config.tcp, config.cpu, config.costs.poll, config.clock, host}, *this, program, place.address,
                place.streams) {}

    // HostSoftware
    void run(Cycle now) override {
        while (next_due() <= now) {
            driver_.run(now);
            stack.run(now);
        }
    }
    [[nodiscard]] Cycle next_due() const override { return std::min(driver_.next_due(), stack.next_due()); }
    /// Frames of all streams have one interrupt, which is the first thread's.
    [[nodiscard]] Thread handled_by(std::uint32_t vector) const override {
        return vector == rc::page::kEthernetVector ? Thread::first : driver_.handled_by(vector);
    }
    void interrupt(Cycle at, std::uint32_t vector) override {
        if (vector != rc::page::kEthernetVector) return driver_.interrupt(at, vector);
        stack.interrupted(at + interrupt_latency_);
    }
    [[nodiscard]] bool idle() const override { return driver_.idle() && stack.idle(); }

  private:
    // MemoryWatcher
    void written(std::uint64_t address, std::uint64_t bytes, Time visible) override {
        if (stack.written(address, wakeup_.clock().edge(visible))) return;
        static_cast<MemoryWatcher&>(driver_).written(address, bytes, visible);
    }

    // TcpHost
    Cycle work(Thread thread, Cycle from, Charge kind, Cycle cost) override {
        const bool kernel = !stack.polls();
        return driver_.occupy(thread, from, kind, cost, kernel ? WorkedBy::kernel : WorkedBy::thread);
    }
    Cycle serve(Thread thread, Cycle from, Charge kind, Cycle cost) override {
        return driver_.serve(thread, from, kind, cost);
    }
    void wake(Thread thread, Cycle now) override { driver_.wake(thread, now); }
    void run_at(Cycle due) override { wakeup_.at(due); }
    std::span<std::uint8_t> memory(std::uint64_t address, std::uint64_t bytes) override {
        return memory_.at(address, bytes);
    }
    void write_register(Cycle now, std::uint64_t offset, std::uint32_t value) override {
        std::array<std::uint8_t, 8> words{};
        boost::endian::store_little_u32(words.data(), value);
        root_complex_.write_register(now, offset, words);
    }

    const Cycle interrupt_latency_;
    Memory& memory_;
    RootComplex& root_complex_;
    VerbsDriver& driver_;
    ClockedWakeup& wakeup_;

  public:
    TcpStack stack;
};

}  // namespace rnicsim
