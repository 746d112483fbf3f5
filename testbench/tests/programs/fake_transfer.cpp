// SPDX-License-Identifier: Apache-2.0
// Work requests of the stand-in: from memory to memory at once, with the checks of keys.
#include "testbench/programs/protocol/flush_numbers.h"
#include "testbench/tests/programs/fake_state.h"

#include <sys/uio.h>

#include <algorithm>
#include <array>

namespace rnicsim::programs::fake {
namespace {

constexpr std::size_t kGrh = 40;

bool move_memory(pid_t process, std::uint64_t address, void* data, std::size_t bytes, bool writes) {
    const iovec here{data, bytes};
    const iovec there{reinterpret_cast<void*>(address), bytes};
    const ssize_t done =
        writes ? process_vm_writev(process, &here, 1, &there, 1, 0) : process_vm_readv(process, &here, 1, &there, 1, 0);
    return bytes == 0 || done == static_cast<ssize_t>(bytes);
}

/// The region that allows it, or null. `pd` 0: of any, as for the peer's rkeys here.
const Region* find(const State& state, std::uint32_t key, pid_t owner, std::uint64_t address, std::uint64_t bytes,
                   std::uint32_t access) {
    const auto found = state.regions.find(key);
    if (found == state.regions.end()) return nullptr;
    const Region& region = found->second;
    const bool inside =
        address >= region.iova && bytes <= region.bytes && address - region.iova <= region.bytes - bytes;
    return region.owner == owner && inside && (region.access & access) == access ? &region : nullptr;
}

bool move(const State& state, pid_t owner, std::uint32_t key, std::uint64_t address, char* data, std::uint64_t bytes,
          std::uint32_t access, bool writes) {
    if (bytes == 0) return true;
    const Region* const region = find(state, key, owner, address, bytes, access);
    return region != nullptr && move_memory(owner, region->address + (address - region->iova), data, bytes, writes);
}

std::uint64_t length_of(const std::vector<Sge>& sges) {
    std::uint64_t bytes = 0;
    for (const Sge& sge : sges) bytes += sge.length;
    return bytes;
}

bool gather(const State& state, const Qp& qp, const SendWr& wr, Bytes& to) {
    to = wr.inlined;
    for (const Sge& sge : wr.sges) {
        const std::size_t at = to.size();
        to.resize(at + sge.length);
        if (!move(state, qp.owner, sge.lkey, sge.address, to.data() + at, sge.length, 0, false)) return false;
    }
    return true;
}

bool scatter(const State& state, pid_t owner, const std::vector<Sge>& sges, Bytes from) {
    std::size_t at = 0;
    for (const Sge& sge : sges) {
        const std::size_t bytes = std::min<std::size_t>(sge.length, from.size() - at);
        if (!move(state, owner, sge.lkey, sge.address, from.data() + at, bytes, IBV_ACCESS_LOCAL_WRITE, true))
            return false;
        at += bytes;
    }
    return true;
}

/// An IPv4 header in the last 20 of 40 bytes, from and to the addresses of the GIDs' ends.
Bytes grh_of(const std::uint8_t* from, const std::uint8_t* to) {
    Bytes grh(kGrh);
    auto* const ipv4 = reinterpret_cast<std::uint8_t*>(grh.data()) + 20;
    ipv4[0] = 0x45;
    std::copy_n(from + 12, 4, ipv4 + 12);
    std::copy_n(to + 12, 4, ipv4 + 16);
    std::uint32_t sum = 0;
    for (int i = 0; i < 20; i += 2) sum += std::uint32_t{ipv4[i]} << 8 | ipv4[i + 1];
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    ipv4[10] = static_cast<std::uint8_t>(~sum >> 8);
    ipv4[11] = static_cast<std::uint8_t>(~sum);
    return grh;
}

std::deque<ReceiveWr>& receives_of(State& state, Qp& qp) {
    return qp.made.srq != 0 ? state.srqs[qp.made.srq].receives : qp.receives;
}

void take_receive(State& state, Qp& qp) {
    receives_of(state, qp).pop_front();
    if (qp.made.srq == 0) return;
    Srq& srq = state.srqs[qp.made.srq];
    if (srq.limit == 0 || srq.receives.size() >= srq.limit) return;
    srq.limit = 0;
    tell(state, srq.events, AsyncEvent{.cookie = srq.cookie, .type = IBV_EVENT_SRQ_LIMIT_REACHED});
}

struct Result {
    ibv_wc_status status = IBV_WC_SUCCESS;
    ibv_wc_opcode opcode = IBV_WC_SEND;
    std::uint32_t bytes = 0;
};

/// False: there is no receive for it yet.
bool receive(State& state, Qp& qp, Qp& peer, const SendWr& wr, Bytes data, ibv_wc_status& status) {
    auto& receives = receives_of(state, peer);
    if (receives.empty()) return false;
    const ReceiveWr to = receives.front();
    const bool is_ud = peer.made.type == IBV_QPT_UD, is_write = wr.send.opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
    Completion completion{.qpn = peer.attributes.qpn,
                          .index = to.index,
                          .receive = 1,
                          .from_srq = peer.made.srq != 0,
                          .opcode = static_cast<std::uint8_t>(is_write ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV),
                          .immediate_or_key = wr.send.immediate_or_key,
                          .source_qpn = qp.attributes.qpn,
                          .at = state.now};
    const bool has_immediate = is_write || wr.send.opcode == IBV_WR_SEND_WITH_IMM;
    if (has_immediate) completion.flags |= IBV_WC_WITH_IMM;
    if (wr.send.opcode == IBV_WR_SEND_WITH_INV) completion.flags |= IBV_WC_WITH_INV;
    if (is_ud) {
        const Bytes grh = grh_of(wr.send.peer_gid, wr.send.peer_gid);  // both on the one host
        data.insert(data.begin(), grh.begin(), grh.end());
        completion.flags |= IBV_WC_GRH;
    }
    completion.bytes = static_cast<std::uint32_t>(data.size());
    if (is_write) data.clear();
    if (data.size() > length_of(to.sges))
        completion.status = IBV_WC_LOC_LEN_ERR;
    else if (!scatter(state, peer.owner, to.sges, data))
        completion.status = IBV_WC_LOC_PROT_ERR;
    if (completion.status != IBV_WC_SUCCESS) status = IBV_WC_REM_OP_ERR;
    take_receive(state, peer);
    complete(state, peer.made.receive_cq, completion, (wr.send.flags & IBV_SEND_SOLICITED) != 0);
    return true;
}

ibv_wc_status read(State& state, const Qp& qp, const Qp& peer, const SendWr& wr, Result& result) {
    result.opcode = IBV_WC_RDMA_READ;
    Bytes data(length_of(wr.sges));
    result.bytes = static_cast<std::uint32_t>(data.size());
    const bool done = move(state, peer.owner, wr.send.rkey, wr.send.remote_address, data.data(), data.size(),
                           IBV_ACCESS_REMOTE_READ, false);
    if (!done) return IBV_WC_REM_ACCESS_ERR;
    return scatter(state, qp.owner, wr.sges, data) ? IBV_WC_SUCCESS : IBV_WC_LOC_PROT_ERR;
}

ibv_wc_status atomic(State& state, const Qp& qp, const Qp& peer, const SendWr& wr, Result& result) {
    const bool swaps = wr.send.opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
    result.opcode = swaps ? IBV_WC_COMP_SWAP : IBV_WC_FETCH_ADD;
    result.bytes = 8;
    std::uint64_t old = 0;
    const auto reach = [&](std::uint64_t& value, bool writes) {
        return move(state, peer.owner, wr.send.rkey, wr.send.remote_address, reinterpret_cast<char*>(&value),
                    sizeof value, IBV_ACCESS_REMOTE_ATOMIC, writes);
    };
    if (!reach(old, false)) return IBV_WC_REM_ACCESS_ERR;
    std::uint64_t then = old + wr.send.swap_or_add;
    if (swaps) then = old == wr.send.compare ? wr.send.swap_or_add : old;
    reach(then, true);
    const char* const bytes = reinterpret_cast<const char*>(&old);
    return scatter(state, qp.owner, wr.sges, {bytes, bytes + sizeof old}) ? IBV_WC_SUCCESS : IBV_WC_LOC_PROT_ERR;
}

ibv_wc_status flush(const State& state, const Qp& peer, const SendWr& wr, Result& result) {
    result.opcode = static_cast<ibv_wc_opcode>(kWcFlush);
    const std::uint32_t needs = wr.send.flush_placement * kAccessFlushGlobal;  // the same bits
    const bool may =
        find(state, wr.send.rkey, peer.owner, wr.send.remote_address, wr.send.flush_bytes, needs) != nullptr;
    return may ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR;
}

/// False: it has to wait.
bool run(State& state, Qp& qp, Qp& peer, const SendWr& wr, Result& result) {
    const auto opcode = static_cast<ibv_wr_opcode>(wr.send.opcode);
    const bool in_one = opcode == IBV_WR_ATOMIC_WRITE, no_receive = opcode == IBV_WR_RDMA_WRITE || in_one;
    const bool writes = no_receive || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
    if (opcode == IBV_WR_RDMA_READ)
        result.status = read(state, qp, peer, wr, result);
    else if (wr.send.opcode == kWrFlush)
        result.status = flush(state, peer, wr, result);
    else if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
        result.status = atomic(state, qp, peer, wr, result);
    else {
        Bytes data;
        result.opcode = in_one ? IBV_WC_ATOMIC_WRITE : writes ? IBV_WC_RDMA_WRITE : IBV_WC_SEND;
        if (!gather(state, qp, wr, data)) {
            result.status = IBV_WC_LOC_PROT_ERR;
            return true;
        }
        const bool lacks_receive = !no_receive && receives_of(state, peer).empty();
        if (lacks_receive) return qp.made.type != IBV_QPT_RC;  // unreliable: the message is lost
        const bool done = !writes || move(state, peer.owner, wr.send.rkey, wr.send.remote_address, data.data(),
                                          data.size(), IBV_ACCESS_REMOTE_WRITE, true);
        if (!done)
            result.status = IBV_WC_REM_ACCESS_ERR;
        else if (!no_receive)
            return receive(state, qp, peer, wr, data, result.status);
    }
    return true;
}

/// True: it did one.
bool run_first(State& state, Qp& qp) {
    if (qp.sends.empty()) return false;
    const SendWr wr = qp.sends.front();
    Result result;
    const std::uint32_t peer = qp.made.type == IBV_QPT_UD ? wr.send.peer_qpn : qp.attributes.dest_qpn;
    const auto found = state.qps.find(peer);
    if (qp.attributes.state == IBV_QPS_ERR)
        result.status = IBV_WC_WR_FLUSH_ERR;
    else if (found == state.qps.end() && qp.made.type == IBV_QPT_RC)
        return false;  // a card would try for long, and the program may end meanwhile
    else if (found != state.qps.end() && !run(state, qp, found->second, wr, result))
        return false;
    qp.sends.pop_front();
    if (result.status != IBV_WC_SUCCESS) qp.attributes.state = IBV_QPS_ERR;
    const bool signaled = qp.made.all_signaled != 0 || (wr.send.flags & IBV_SEND_SIGNALED) != 0;
    if (!signaled && result.status == IBV_WC_SUCCESS) return true;
    complete(state, qp.made.send_cq,
             {.qpn = qp.attributes.qpn,
              .index = wr.index,
              .status = static_cast<std::uint8_t>(result.status),
              .opcode = static_cast<std::uint8_t>(result.opcode),
              .bytes = result.bytes,
              .at = state.now},
             false);
    return true;
}

}  // namespace

void run_sends(State& state) {
    for (bool more = true; more;) {
        more = false;
        for (auto& [qpn, qp] : state.qps) more = run_first(state, qp) || more;
    }
}

void complete(State& state, Handle handle, const Completion& completion, bool solicited) {
    Cq& cq = state.cqs[handle];
    cq.completions.push_back(completion);
    if (!cq.armed || (cq.solicited_only && !solicited && completion.status == IBV_WC_SUCCESS)) return;
    cq.armed = false;
    if (cq.channel != 0) tell(state, cq.channel, ChannelEvent{.cookie = cq.cookie, .at = state.now});
}

}  // namespace rnicsim::programs::fake
