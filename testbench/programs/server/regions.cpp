// Memory that programs have registered at a card.
#include "testbench/programs/server/host_service.h"
#include "testbench/programs/server/values.h"

#include <infiniband/verbs.h>

namespace rnicsim::programs {
namespace {

/// A remote right to write needs the local one (ibv_reg_mr(3)).
rc::Access rights_of(std::uint32_t flags) {
    constexpr std::uint32_t kWrites = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
    if ((flags & kWrites) != 0 && (flags & IBV_ACCESS_LOCAL_WRITE) == 0) throw Refusal{EINVAL};
    return access_of(flags);
}

}  // namespace

Reply HostService::register_memory(Program& program, const Registration& r) {
    ProtectionDomain* const pd = pds_.find(r.pd, program);
    if (pd == nullptr || r.bytes == 0) throw Refusal{EINVAL};
    const auto key = end_.rnic.add_region(rc::Pd{r.pd}, {r.iova, r.bytes}, rights_of(r.access), config_.host.page,
                                          ProcessMemory::bus(program.window, r.address));
    if (!key) throw Refusal{ENOMEM};
    ++pd->users;
    const Handle handle = regions_.add({&program, *key, r.pd, r.address, r.bytes, r});
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
    if (!end_.rnic.change_region(region->key, rc::Pd{to.pd}, {to.iova, to.bytes}, rights_of(to.access),
                                 config_.host.page, ProcessMemory::bus(program.window, to.address)))
        throw Refusal{EINVAL};  // a peer has invalidated it, or its memory is gone
    ++pd->users;
    --pds_.find(region->pd, program)->users;
    region->pd = to.pd, region->address = to.address, region->bytes = to.bytes, region->as = to;
    if (around_.observer != nullptr) around_.observer->registered(program, region->key, to);
    return Reply(Registered{r.region, region->key, region->key});
}

Reply HostService::free_memory(Program& program, Handle handle) {
    const Region* const region = regions_.find(handle, program);
    if (region == nullptr) throw Refusal{EINVAL};
    end_.rnic.remove_region(region->key);
    --pds_.find(region->pd, program)->users;
    regions_.remove(handle);
    return {};
}

}  // namespace rnicsim::programs
