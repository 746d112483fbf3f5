// SPDX-License-Identifier: Apache-2.0
// Host memory and its controller: real bytes, a latency, a bandwidth shared by reads and writes, first come first
// served.
#pragma once

#include "model/host/config.h"
#include "model/host/persistence/persistence_path.h"
#include "tlm/time/clock.h"

#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <memory>
#include <span>
#include <systemc>
#include <tlm>

namespace rnicsim {

/// Sees what devices write: software that polls.
class MemoryWatcher {
  public:
    virtual ~MemoryWatcher() = default;
    /// `visible`: when the processor can see it, now or later, never before that of an earlier write.
    virtual void written(std::uint64_t address, std::uint64_t bytes, Time visible) = 0;
};

/// Memory that is not the model's own, behind its end: that of programs outside.
class OutsideMemory {
  public:
    virtual ~OutsideMemory() = default;
    /// Both: false if nothing is there.
    virtual bool read(std::uint64_t address, std::span<std::uint8_t> to) = 0;
    /// `visible`: as for a MemoryWatcher.
    virtual bool write(std::uint64_t address, std::span<const std::uint8_t> from, Time visible) = 0;
};

class Memory : public sc_core::sc_module, private HeldBytesTarget {
  public:
    /// `bytes`: size; addresses are 0 .. bytes - 1. Pages that are never touched take no memory of the machine.
    Memory(sc_core::sc_module_name name, const MemoryConfig& config, const Clock& clock, std::uint64_t bytes);

    /// Accesses of devices: b_transport copies at once and annotates when the last byte is done.
    tlm_utils::simple_target_socket<Memory> port{"port"};

    /// Accesses of the host's own processor, free of charge. Precondition: inside the memory.
    [[nodiscard]] std::span<std::uint8_t> at(std::uint64_t address, std::uint64_t bytes);

    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// Not owned; nullptr = none.
    void set_watcher(MemoryWatcher* watcher) { watcher_ = watcher; }
    /// The same.
    void set_outside(OutsideMemory* outside) { outside_ = outside; }
    /// The same. Writes of devices come through it, and a part of the addresses is SCM.
    void set_persistence(PersistencePath* path);

  private:
    struct Unmap {
        std::uint64_t bytes;
        void operator()(std::uint8_t* pointer) const;
    };

    bool copy(tlm::tlm_generic_payload& transaction, Time visible);
    void access(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
    struct Times {
        Time visible, answered;  ///< what is written; what is read
    };
    void access_through(PersistencePath& path, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
    Times times_through(PersistencePath& path, const tlm::tlm_generic_payload& transaction, Time now);
    [[nodiscard]] Time take(Time from, std::uint64_t bytes);
    void seen(std::uint64_t address, std::uint64_t bytes, Time at) override;

    const std::int64_t bytes_per_second_;
    const Time latency_;
    std::uint64_t size_;
    std::unique_ptr<std::uint8_t, Unmap> bytes_;
    Time free_at_;
    MemoryWatcher* watcher_ = nullptr;
    OutsideMemory* outside_ = nullptr;
    PersistencePath* path_ = nullptr;
    BusyTimes busy_;  // where there is a path: what is written later does not keep reads waiting
};

}  // namespace rnicsim
