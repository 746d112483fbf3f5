// SPDX-License-Identifier: Apache-2.0
// What streams need of the host that they run on.
#pragma once

#include "model/host/cpu/charge.h"
#include "model/host/cpu/cores.h"

#include <cstdint>
#include <span>

namespace rnicsim {

class TcpHost {
  public:
    virtual ~TcpHost() = default;
    /// The thread works, behind what its core does. Returns when it is done.
    virtual Cycle work(Thread thread, Cycle from, Charge kind, Cycle cost) = 0;
    /// The same of an interrupt on its core, which is the thread of nobody.
    virtual Cycle serve(Thread thread, Cycle from, Charge kind, Cycle cost) = 0;
    /// If the thread sleeps it is woken, and pays for it.
    virtual void wake(Thread thread, Cycle now) = 0;
    /// Something is due then.
    virtual void run_at(Cycle due) = 0;
    [[nodiscard]] virtual std::span<std::uint8_t> memory(std::uint64_t address, std::uint64_t bytes) = 0;
    virtual void write_register(Cycle now, std::uint64_t offset, std::uint32_t value) = 0;
};

}  // namespace rnicsim
