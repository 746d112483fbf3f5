#include "testbench/programs/server/process_memory.h"

#include <sys/uio.h>

#include <algorithm>
#include <stdexcept>

namespace rnicsim::programs {
namespace {

using Copy = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long, unsigned long);

/// Returns how many bytes were copied.
std::size_t copy(Copy how, pid_t process, void* here, std::uint64_t there, std::size_t bytes) {
    const iovec local{here, bytes};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process
    const iovec remote{reinterpret_cast<void*>(there), bytes};
    const ssize_t done = how(process, &local, 1, &remote, 1, 0);
    return done < 0 ? 0 : static_cast<std::size_t>(done);
}

}  // namespace

ProcessMemory::Window ProcessMemory::open(pid_t process) {
    for (unsigned tries = 0; tries < 0xFFFF; ++tries) {
        if (++last_ == 0) ++last_;
        if (processes_.try_emplace(last_, process).second) return last_;
    }
    throw std::runtime_error("65,535 programs at once");
}

bool ProcessMemory::read(std::uint64_t address, std::span<std::uint8_t> to) {
    const auto window = static_cast<Window>(address >> kShift);
    while (keeps(window)) deliver(window);
    const std::uint64_t there = in_program(address);
    const auto process = processes_.find(window);
    const std::size_t done =
        process == processes_.end() ? 0 : copy(process_vm_readv, process->second, to.data(), there, to.size());
    if (done == to.size()) return true;
    std::ranges::fill(to.subspan(done), std::uint8_t{0});
    if (process != processes_.end()) fault_(window, there + done);
    return true;  // the packet is on its way; the region is gone from now on
}

bool ProcessMemory::write(std::uint64_t address, std::span<const std::uint8_t> from, Time visible) {
    const auto window = static_cast<Window>(address >> kShift);
    const std::uint64_t there = in_program(address);
    if (keep_(window, visible)) {
        kept_.push_back({window, there, {from.begin(), from.end()}});
    } else {
        put(window, there, from);
    }
    return true;
}

void ProcessMemory::put(Window window, std::uint64_t there, std::span<const std::uint8_t> from) {
    const auto process = processes_.find(window);
    if (process == processes_.end()) return;  // it has ended
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): an iovec has no const
    void* const here = const_cast<std::uint8_t*>(from.data());
    const std::size_t done = copy(process_vm_writev, process->second, here, there, from.size());
    if (done != from.size()) fault_(window, there + done);
}

bool ProcessMemory::keeps(Window window) const {
    return std::ranges::find(kept_, window, &Kept::window) != kept_.end();
}

void ProcessMemory::deliver(Window window) {
    const auto oldest = std::ranges::find(kept_, window, &Kept::window);
    if (oldest == kept_.end()) return;
    const Kept kept = std::move(*oldest);
    kept_.erase(oldest);
    put(window, kept.address, kept.bytes);
}

}  // namespace rnicsim::programs
