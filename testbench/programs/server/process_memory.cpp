// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/process_memory.h"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <type_traits>

namespace rnicsim::programs {
namespace {

/// From the process into `here`, or from there into the process, as `here` is const. Returns how many bytes were
/// copied.
template <typename Bytes>
std::size_t copy(pid_t process, std::uint64_t there, Bytes here) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): an iovec has no const
    const iovec local{const_cast<std::uint8_t*>(here.data()), here.size()};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process
    const iovec remote{reinterpret_cast<void*>(there), here.size()};
    constexpr bool kReads = !std::is_const_v<typename Bytes::element_type>;
    const ssize_t done = kReads ? ::process_vm_readv(process, &local, 1, &remote, 1, 0)
                                : ::process_vm_writev(process, &local, 1, &remote, 1, 0);
    return done < 0 ? 0 : static_cast<std::size_t>(done);
}

constexpr std::size_t kChunk = 64;  // pages, at once

}  // namespace

std::optional<ProcessMemory::Window> ProcessMemory::open(const Process& process) {
    for (unsigned tries = 0; tries < 0xFFFF; ++tries) {
        if (++last_ == 0) ++last_;
        if (processes_.try_emplace(last_, process).second) return last_;
    }
    return {};
}

ProcessMemory::Window ProcessMemory::open(pid_t process) {
    const auto window = open(Process{process, 0, {}, {}});
    if (!window) throw std::runtime_error("65,535 programs at once");
    processes_.at(*window).program = *window;
    return *window;
}

ProcessMemory::Window ProcessMemory::program_of(Window window) const {
    const auto found = processes_.find(window);
    return found == processes_.end() ? window : found->second.program;
}

bool ProcessMemory::has(Window window, const MemoryRange& range, bool writes) const {
    const auto found = processes_.find(window);
    return found != processes_.end() && is_mapped(found->second.id, range, writes);
}

std::optional<ProcessMemory::Window> ProcessMemory::pin(Window window, const MemoryRange& range) {
    const auto found = processes_.find(window);
    if (found == processes_.end()) return {};
    while (keeps(found->second.program)) deliver(found->second.program);
    std::optional<Window> own = window;
    if (window == found->second.program) own = open(Process{found->second.id, window, {}, {}});
    if (!own) return {};
    Process& of = processes_.at(*own);
    const MemoryRange pages = whole_pages(range);
    std::vector<std::uint8_t> bytes(kChunk * kPageBytes);
    for (std::uint64_t done = 0; done < pages.bytes;) {
        const auto chunk = std::span(bytes).first(std::min<std::uint64_t>(bytes.size(), pages.bytes - done));
        const std::size_t got = copy(of.id, pages.begin + done, chunk) & ~(kPageBytes - 1);
        for (std::size_t at = 0; at < got; at += kPageBytes) {
            const auto page = chunk.subspan(at, kPageBytes);
            const std::uint64_t there = pages.begin + done + at;
            if (page_of(of, there) != nullptr || std::ranges::all_of(page, [](std::uint8_t b) { return b == 0; }))
                continue;  // it was given back before
            std::ranges::copy(page, of.pages[there].begin());
        }
        done += got == 0 ? kPageBytes : got;  // nobody has this one
    }
    of.given_back.push_back(pages);
    return own;
}

ProcessMemory::Page* ProcessMemory::page_of(Process& of, std::uint64_t address) {
    const std::uint64_t page = address & ~(kPageBytes - 1);
    const auto kept = of.pages.find(page);
    if (kept != of.pages.end()) return &kept->second;
    const bool gone =
        std::ranges::any_of(of.given_back, [&](const MemoryRange& r) { return page - r.begin < r.bytes; });
    return gone ? &of.pages[page] : nullptr;
}

/// What is kept, and what the program has. What nobody has is zeros, from now on.
template <typename Bytes>
void ProcessMemory::access(Window window, std::uint64_t there, Bytes here) {
    const auto found = processes_.find(window);
    if (found == processes_.end()) return;  // it has ended
    Process& of = found->second;
    while (!here.empty()) {
        const bool all_its_own = of.pages.empty() && of.given_back.empty();
        const std::uint64_t offset = there % kPageBytes;
        const std::size_t bytes = all_its_own ? here.size() : std::min<std::size_t>(here.size(), kPageBytes - offset);
        if (Page* const kept = all_its_own ? nullptr : page_of(of, there)) {
            if constexpr (std::is_const_v<typename Bytes::element_type>) {
                std::ranges::copy(here.first(bytes), kept->data() + offset);
            } else {
                std::copy_n(kept->data() + offset, bytes, here.begin());
            }
            there += bytes;
            here = here.subspan(bytes);
            continue;
        }
        const std::size_t done = copy(of.id, there, here.first(bytes));
        there += done;
        here = here.subspan(done);
        if (done == bytes) continue;
        if (done == 0 && errno != EFAULT) return;  // it ends just now
        of.pages[there & ~(kPageBytes - 1)];
        fault_(of.program, there);
    }
}

void ProcessMemory::close(Window window) {
    processes_.erase(window);
    std::erase_if(kept_, [window](const Kept& kept) { return kept.window == window; });
}

bool ProcessMemory::read(std::uint64_t address, std::span<std::uint8_t> to) {
    const auto window = static_cast<Window>(address >> kShift);
    const Window program = program_of(window);
    while (keeps(program)) deliver(program);
    std::ranges::fill(to, std::uint8_t{0});  // of a program that has ended
    access(window, in_program(address), to);
    return true;
}

bool ProcessMemory::write(std::uint64_t address, std::span<const std::uint8_t> from, Time visible) {
    const auto window = static_cast<Window>(address >> kShift);
    const std::uint64_t there = in_program(address);
    if (keep_(program_of(window), visible)) {
        kept_.push_back({window, there, {from.begin(), from.end()}});
    } else {
        put(window, there, from);
    }
    return true;
}

void ProcessMemory::put(Window window, std::uint64_t there, std::span<const std::uint8_t> from) {
    access(window, there, from);
}

bool ProcessMemory::keeps(Window window) const {
    return std::ranges::any_of(kept_, [&](const Kept& kept) { return program_of(kept.window) == window; });
}

void ProcessMemory::deliver(Window window) {
    const auto oldest = std::ranges::find_if(kept_, [&](const Kept& k) { return program_of(k.window) == window; });
    if (oldest == kept_.end()) return;
    const Kept kept = std::move(*oldest);
    kept_.erase(oldest);
    put(kept.window, kept.address, kept.bytes);
}

}  // namespace rnicsim::programs
