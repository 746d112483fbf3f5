// SPDX-License-Identifier: Apache-2.0
// Memory that programs have registered at a card.
#include "testbench/programs/server/host_service.h"
#include "testbench/programs/server/pinning.h"
#include "testbench/programs/server/values.h"

#include <infiniband/verbs.h>

#include <algorithm>
#include <vector>

namespace rnicsim::programs {
namespace {

/// A remote right to write needs the local one (ibv_reg_mr(3)).
rc::Access rights_of(std::uint32_t flags) {
    constexpr std::uint32_t kWrites = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
    if ((flags & kWrites) != 0 && (flags & IBV_ACCESS_LOCAL_WRITE) == 0) throw Refusal{EINVAL};
    return access_of(flags);
}

/// By the card, so that the pages have to be written to while they are pinned (ib_access_writable() of Linux).
bool is_written(std::uint32_t flags) {
    return (flags & (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) != 0;
}

std::uint64_t pages_of(const MemoryRange& range) { return whole_pages(range).bytes / kPageBytes; }

}  // namespace

/// As often as they are needed, but each page of the machine's memory is pinned once.
void HostService::check_pinning(const Program& program, const MemoryRange& range) const {
    const std::uint64_t pages = program.pinned_pages + pages_of(range);
    if (const int error = why_not_locked(program.process, pages); error != 0) throw Refusal{error};
    if (pages <= pages_of_machine()) return;
    std::vector<MemoryRange> all{whole_pages(range)};
    for (const auto& [handle, region] : regions_.all()) {
        if (region.owner == &program) all.push_back(whole_pages({region.address, region.bytes}));
    }
    std::ranges::sort(all, {}, &MemoryRange::begin);
    std::uint64_t bytes = 0, end = 0;
    for (const MemoryRange& each : all) {
        const std::uint64_t from = std::max(each.begin, end), to = each.begin + each.bytes;
        if (to <= from) continue;
        bytes += to - from;
        end = to;
    }
    if (bytes / kPageBytes > pages_of_machine()) throw Refusal{ENOMEM};
}

Reply HostService::register_memory(Program& program, const Registration& r) {
    ProtectionDomain* const pd = pds_.find(r.pd, program);
    if (pd == nullptr || r.bytes == 0) throw Refusal{EINVAL};
    const rc::Access rights = rights_of(r.access);
    if (regions_.size() == kMostRegions || r.bytes > most_region_bytes()) throw Refusal{ENOMEM};
    if (!around_.memory.has(program.window, {r.address, r.bytes}, is_written(r.access))) throw Refusal{EFAULT};
    check_pinning(program, {r.address, r.bytes});
    const auto key = end_.rnic.add_region(rc::Pd{r.pd}, {r.iova, r.bytes}, rights, config_.host.page,
                                          ProcessMemory::bus(program.window, r.address));
    if (!key) throw Refusal{ENOMEM};
    ++pd->users;
    program.pinned_pages += pages_of({r.address, r.bytes});
    const Handle handle = regions_.add({&program, *key, r.pd, r.address, r.bytes, r, program.window});
    if (around_.observer != nullptr) around_.observer->registered(program, *key, r);
    return Reply(Registered{handle, *key, *key});
}

/// What is not to change stays as it was; so do the keys, which peers have.
Reply HostService::reregister_memory(Program& program, const Reregistration& r) {
    Region* const region = regions_.find(r.region, program);
    if (region == nullptr) throw Refusal{EINVAL};
    Registration to = region->as;
    if ((r.what & IBV_REREG_MR_CHANGE_TRANSLATION) != 0) {
        if (r.to.bytes == 0) throw Refusal{EINVAL};
        to.address = r.to.address, to.bytes = r.to.bytes, to.iova = r.to.iova;
    }
    if ((r.what & IBV_REREG_MR_CHANGE_PD) != 0) to.pd = r.to.pd;
    if ((r.what & IBV_REREG_MR_CHANGE_ACCESS) != 0) to.access = r.to.access;
    ProtectionDomain* const pd = pds_.find(to.pd, program);
    if (pd == nullptr) throw Refusal{EINVAL};
    const rc::Access rights = rights_of(to.access);
    const bool moves = (r.what & IBV_REREG_MR_CHANGE_TRANSLATION) != 0;
    if (to.bytes > most_region_bytes()) throw Refusal{ENOMEM};
    if (moves && !around_.memory.has(program.window, {to.address, to.bytes}, is_written(to.access)))
        throw Refusal{EFAULT};
    if (moves) check_pinning(program, {to.address, to.bytes});
    const ProcessMemory::Window window = moves ? program.window : region->window;
    if (!end_.rnic.has_region(region->key, rc::Pd{region->pd}))
        throw Refusal{EINVAL};  // a peer has invalidated it, or its memory is gone
    if (!end_.rnic.change_region(region->key, rc::Pd{to.pd}, {to.iova, to.bytes}, rights, config_.host.page,
                                 ProcessMemory::bus(window, to.address)))
        throw Refusal{ENOMEM};
    if (window != region->window) leave_window(*region);
    region->window = window;
    ++pd->users;
    --pds_.find(region->pd, program)->users;
    program.pinned_pages += pages_of({to.address, to.bytes}) - pages_of({region->address, region->bytes});
    region->pd = to.pd, region->address = to.address, region->bytes = to.bytes, region->as = to;
    if (around_.observer != nullptr) around_.observer->registered(program, region->key, to);
    return Reply(Registered{r.region, region->key, region->key});
}

void HostService::leave_window(const Region& region) {
    if (region.window != region.owner->window) around_.memory.close(region.window);
}

void HostService::end_region(const Region& region) {
    end_.rnic.remove_region(region.key);
    leave_window(region);
}

/// The card has pinned the pages: of regions they stay what they are now, as long as these are there.
void HostService::give_back_memory(const Program& program, const MemoryRange& range) {
    const MemoryRange gone = whole_pages(range);
    for (auto& [handle, region] : regions_.all()) {
        const MemoryRange its = whole_pages({region.address, region.bytes});
        if (region.owner != &program || (its.begin - gone.begin >= gone.bytes && gone.begin - its.begin >= its.bytes))
            continue;
        const std::uint64_t begin = std::max(its.begin, gone.begin);
        const std::uint64_t end = std::min(its.begin + its.bytes, gone.begin + gone.bytes);
        const auto window = around_.memory.pin(region.window, {begin, end - begin});
        if (!window || *window == region.window) continue;
        region.window = *window;
        end_.rnic.move_region(region.key, ProcessMemory::bus(region.window, region.address));
    }
}

Reply HostService::free_memory(Program& program, Handle handle) {
    const Region* const region = regions_.find(handle, program);
    if (region == nullptr) throw Refusal{EINVAL};
    end_region(*region);
    program.pinned_pages -= pages_of({region->address, region->bytes});
    --pds_.find(region->pd, program)->users;
    regions_.remove(handle);
    return {};
}

}  // namespace rnicsim::programs
