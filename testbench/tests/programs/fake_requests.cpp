// SPDX-License-Identifier: Apache-2.0
// Requests of the stand-in.
#include "testbench/tests/programs/fake_state.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace rnicsim::programs::fake {
namespace {

Device device() {
    Device said{.guid = 0x0100c0fffe000200,  // in network order
                .mtu = 1024,
                .mbps = 100'000,
                .max_qp = 1000,
                .max_qp_wr = 16384,
                .max_sge = 16,
                .max_sge_rd = 16,
                .max_cq = 1000,
                .max_cqe = 1 << 20,
                .max_mr = 1000,
                .max_pd = 1000,
                .max_qp_rd_atom = 16,
                .max_qp_init_rd_atom = 16,
                .max_srq = 100,
                .max_srq_wr = 16384,
                .max_srq_sge = 16,
                .max_inline = 220,
                .max_ah = 1000,
                .max_mr_size = std::uint64_t{1} << 40};
    const std::uint8_t gid[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1};
    std::copy_n(gid, sizeof gid, said.gid[0]);
    return said;
}

template <class Objects>
bool has(const Objects& objects, Handle handle, pid_t process) {
    const auto found = objects.find(handle);
    if (found == objects.end()) return false;
    if constexpr (requires { found->second.owner; })
        return found->second.owner == process;
    else
        return found->second == process;
}

template <class Objects>
int remove(Objects& objects, Handle handle, pid_t process) {
    if (!has(objects, handle, process)) return EINVAL;
    objects.erase(handle);
    return 0;
}

Handle open_stream(State& state, pid_t process, bool async, int& descriptor) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) != 0) return 0;
    descriptor = ends[1];
    state.streams[++state.last] = {process, ends[0], async};
    return state.last;
}

int close_stream(State& state, Handle handle, pid_t process) {
    if (!has(state.streams, handle, process)) return EINVAL;
    close(state.streams[handle].socket);
    state.streams.erase(handle);
    return 0;
}

int register_memory(State& state, pid_t process, const Registration& wanted, std::uint32_t key, Bytes& to) {
    if (!has(state.pds, wanted.pd, process)) return EINVAL;
    state.regions[key] = {process, wanted.pd, wanted.access, wanted.address, wanted.bytes, wanted.iova};
    append(to, Registered{key, key, key});
    return 0;
}

int reregister(State& state, pid_t process, const Reregistration& wanted, Bytes& to) {
    if (!has(state.regions, wanted.region, process)) return EINVAL;
    const Region old = state.regions[wanted.region];
    Registration now{old.pd, old.access, old.address, old.bytes, old.iova};
    if ((wanted.what & IBV_REREG_MR_CHANGE_PD) != 0) now.pd = wanted.to.pd;
    if ((wanted.what & IBV_REREG_MR_CHANGE_ACCESS) != 0) now.access = wanted.to.access;
    if ((wanted.what & IBV_REREG_MR_CHANGE_TRANSLATION) != 0) {
        now.address = wanted.to.address;
        now.bytes = wanted.to.bytes;
        now.iova = wanted.to.iova;
    }
    return register_memory(state, process, now, wanted.region, to);
}

int destroy_cq(State& state, pid_t process, Handle cq) {
    const auto uses = [cq](const auto& qp) { return qp.second.made.send_cq == cq || qp.second.made.receive_cq == cq; };
    return std::ranges::any_of(state.qps, uses) ? EBUSY : remove(state.cqs, cq, process);
}

int create_qp(State& state, pid_t process, const QpRequest& wanted, Bytes& to) {
    if (!has(state.pds, wanted.pd, process) || !has(state.cqs, wanted.send_cq, process)) return EINVAL;
    Qp& qp = state.qps[++state.last];
    qp.owner = process;
    qp.made = wanted;
    qp.attributes.qpn = state.last;
    append(to, QpMade{.qpn = state.last,
                      .send_wqes = wanted.send_wqes,
                      .receive_wqes = wanted.receive_wqes,
                      .send_sges = wanted.send_sges,
                      .receive_sges = wanted.receive_sges,
                      .inline_bytes = wanted.inline_bytes});
    return 0;
}

int poll(State& state, pid_t process, const Poll& wanted, Bytes& to) {
    if (!has(state.cqs, wanted.cq, process)) return EINVAL;
    auto& completions = state.cqs[wanted.cq].completions;
    const auto count = std::min<std::uint32_t>(wanted.most, static_cast<std::uint32_t>(completions.size()));
    append(to, Polled{.count = count});
    for (std::uint32_t i = 0; i < count; ++i) append(to, completions[i]);
    completions.erase(completions.begin(), completions.begin() + count);
    return 0;
}

}  // namespace

void tell_bytes(State& state, Handle stream, const void* event, std::size_t bytes) {
    const auto found = state.streams.find(stream);
    if (found == state.streams.end()) return;
    if (send(found->second.socket, event, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;
    state.told.push_back(found->second.owner);
}

int answer(State& state, pid_t process, Op op, Reader in, Bytes& to, int& descriptor) {
    switch (op) {
        case Op::query_device: append(to, device()); return 0;
        case Op::alloc_pd:
            state.pds[++state.last] = process;
            append(to, Made{state.last});
            return 0;
        case Op::free_pd: {
            const auto pd = in.take<Handle>();
            const auto uses = [pd](const auto& region) { return region.second.pd == pd; };
            if (!has(state.pds, pd, process)) return EINVAL;
            return std::ranges::any_of(state.regions, uses) ? EBUSY : remove(state.pds, pd, process);
        }
        case Op::register_memory: return register_memory(state, process, in.take<Registration>(), ++state.last, to);
        case Op::reregister_memory: return reregister(state, process, in.take<Reregistration>(), to);
        case Op::free_memory: return remove(state.regions, in.take<Handle>(), process);
        case Op::create_channel:
        case Op::async_events:
            append(to, Made{open_stream(state, process, op == Op::async_events, descriptor)});
            return 0;
        case Op::destroy_channel: return close_stream(state, in.take<Handle>(), process);
        case Op::create_cq: {
            const auto wanted = in.take<CqInit>();
            state.cqs[++state.last] = {
                .owner = process, .cqes = wanted.cqes, .channel = wanted.channel, .cookie = wanted.cookie};
            append(to, CqMade{state.last, wanted.cqes});
            return 0;
        }
        case Op::resize_cq: {
            const auto wanted = in.take<CqSize>();
            append(to, CqMade{wanted.cq, wanted.cqes});
            const bool fits =
                has(state.cqs, wanted.cq, process) && wanted.cqes >= state.cqs[wanted.cq].completions.size();
            return fits ? 0 : EINVAL;
        }
        case Op::destroy_cq: return destroy_cq(state, process, in.take<Handle>());
        case Op::poll: return poll(state, process, in.take<Poll>(), to);
        case Op::create_srq: {
            const auto wanted = in.take<SrqInit>();
            state.srqs[++state.last] = {.owner = process,
                                        .events = wanted.events,
                                        .cookie = wanted.cookie,
                                        .wqes = wanted.wqes,
                                        .sges = wanted.sges};
            append(to, SrqMade{state.last, wanted.wqes, wanted.sges});
            return 0;
        }
        case Op::modify_srq: {
            const auto wanted = in.take<SrqChange>();
            if (!has(state.srqs, wanted.srq, process)) return EINVAL;
            if ((wanted.what & IBV_SRQ_LIMIT) != 0) state.srqs[wanted.srq].limit = wanted.limit;
            if ((wanted.what & IBV_SRQ_MAX_WR) != 0) state.srqs[wanted.srq].wqes = wanted.wqes;
            return 0;
        }
        case Op::query_srq: {
            const auto srq = in.take<Handle>();
            if (!has(state.srqs, srq, process)) return EINVAL;
            const Srq& found = state.srqs[srq];
            append(to, SrqChange{.srq = srq, .wqes = found.wqes, .sges = found.sges, .limit = found.limit});
            return 0;
        }
        case Op::destroy_srq: return remove(state.srqs, in.take<Handle>(), process);
        case Op::create_qp: return create_qp(state, process, in.take<QpRequest>(), to);
        case Op::modify_qp: return modify_qp(state, process, in.take<QpChange>(), to);
        case Op::query_qp: {
            const auto qpn = in.take<Handle>();
            if (!has(state.qps, qpn, process)) return EINVAL;
            append(to, state.qps[qpn].attributes);
            return 0;
        }
        case Op::destroy_qp: {
            const auto qpn = in.take<Handle>();
            if (!has(state.qps, qpn, process)) return EINVAL;
            drop_completions(state, state.qps[qpn], to);
            return remove(state.qps, qpn, process);
        }
        default: return ENOSYS;
    }
}

void forget(State& state, pid_t process) {
    const auto its = [process](const auto& object) { return object.second.owner == process; };
    std::erase_if(state.qps, its);
    std::erase_if(state.srqs, its);
    std::erase_if(state.cqs, its);
    std::erase_if(state.regions, its);
    for (const auto& [handle, stream] : state.streams) {
        if (stream.owner == process) close(stream.socket);
    }
    std::erase_if(state.streams, its);
    std::erase_if(state.pds, [process](const auto& pd) { return pd.second == process; });
}

}  // namespace rnicsim::programs::fake
