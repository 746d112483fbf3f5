// SPDX-License-Identifier: Apache-2.0
// Why a card did not take a key, its bounds or its rights: a line for each work request that a program hears of as
// failed for that, as the status alone does not say which of them it was.
#include "model/rnic/rc/rings.h"
#include "testbench/programs/server/host_service.h"
#include "testbench/programs/server/values.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace rnicsim::programs {
namespace {

constexpr unsigned kMostLines = 20;  // of a host

/// What a request needs of the region at its other end.
struct Need {
    rc::Access access{};
    const char* what = "";
};
Need remote_need(const rc::SendWqe& wqe) {
    switch (wqe.verb) {
        case rc::Verb::read: return {rc::kRemoteRead, "remote reads"};
        case rc::Verb::compare_swap:
        case rc::Verb::fetch_add: return {rc::kRemoteAtomic, "remote atomics"};
        case rc::Verb::flush: {
            const bool persists = wqe.flush.placement != roce::FlushPlacement::visible;
            return persists ? Need{rc::kFlushPersistent, "FLUSHes for persistence"}
                            : Need{rc::kFlushVisible, "FLUSHes for visibility"};
        }
        default: return {rc::kRemoteWrite, "remote writes"};
    }
}

bool names_memory(rc::Verb verb) {
    return verb != rc::Verb::send && verb != rc::Verb::send_imm && verb != rc::Verb::send_inv;
}

bool needs_alignment(rc::Verb verb) {
    return verb == rc::Verb::compare_swap || verb == rc::Verb::fetch_add || verb == rc::Verb::atomic_write;
}

}  // namespace

/// Empty: nothing is wrong with it, now.
std::string HostService::fault_of(std::uint32_t key, rc::Pd pd, rc::Range range, rc::Access access,
                                  const char* what) const {
    const auto found = std::ranges::find_if(regions_.all(), [&](const auto& r) { return r.second.key == key; });
    if (found == regions_.all().end()) return fmt::format("no region of {} has this key", around_.names[around_.host]);
    const Region& region = found->second;
    if (rc::Pd{region.pd} != pd) return "the region of this key is of another protection domain than the QP";
    const std::uint64_t begin = region.as.iova, end = begin + region.bytes;
    if (range.address < begin || range.address > end || range.length > end - range.address)
        return fmt::format("the region of this key has {:#x} to {:#x}, {} B", begin, end - 1, region.bytes);
    if (!access_of(region.as.access).includes(access))
        return fmt::format("the region of this key is not registered for {}", what);
    return {};
}

std::string HostService::why_refused(rc::Qpn number, const rc::SendWqe& wqe) const {
    const rc::Qp* const qp = end_.rnic.transport().qp(number);
    if (qp == nullptr) return "its QP is gone";
    if (!names_memory(wqe.verb))
        return "the message is longer than the receive buffer, or its key to invalidate is of no region";
    const Need need = remote_need(wqe);
    if (!qp->attributes.access.includes(need.access))
        return fmt::format("QP {} there does not allow {} (qp_access_flags)", number.n, need.what);
    if (needs_alignment(wqe.verb) && wqe.remote_address % 8 != 0) return "the address is no multiple of 8";
    const std::string fault =
        fault_of(wqe.remote_key, qp->init.pd, {wqe.remote_address, rc::bytes_of(wqe)}, need.access, need.what);
    return fault.empty() ? "what was wrong when it came is not any more" : fault;
}

std::string HostService::why_not_taken(rc::Pd pd, std::span<const rc::Sge> sges, bool written) const {
    for (std::size_t i = 0; i < sges.size(); ++i) {
        const rc::Sge& sge = sges[i];
        const std::string fault = fault_of(sge.lkey, pd, {sge.address, sge.length},
                                           written ? rc::kLocalWrite : rc::kLocalRead, "local writes");
        if (!fault.empty())
            return fmt::format("SGE {}, {} B at {:#x} with key {:#x}: {}", i, sge.length, sge.address, sge.lkey, fault);
    }
    return "what was wrong with its memory then is not any more";
}

void HostService::tell_fault(const QueuePair& qp, const rc::Completion& c) {
    const bool local = c.status == rc::Status::loc_prot;
    if (!local && c.status != rc::Status::rem_access && c.status != rc::Status::rem_inv_req) return;
    if (faults_told_++ >= kMostLines) return;
    const rc::Qp& card = *end_.rnic.transport().qp(c.qp);
    const std::string who =
        fmt::format("{} on {}: work request {} of QP {}", qp.owner->name, around_.names[around_.host], c.index, c.qp.n);
    if (c.receive) {
        if (!local || !qp.own_receives)
            return spdlog::warn("{}, a receive: its buffer has a wrong key, bounds or rights", who);
        const rc::ReceiveRing& ring = *qp.own_receives;
        const std::uint64_t at = ring.address + std::uint64_t{c.index & (ring.entries - 1)} * ring.stride;
        const rc::ReceiveSges sges = rc::read_receive(end_.host.memory.at(at, ring.stride));
        return spdlog::warn("{}, a receive: {}", who, why_not_taken(card.init.pd, {sges.begin(), sges.end()}, true));
    }
    const std::uint64_t at = qp.sends.address + std::uint64_t{c.index & (qp.sends.entries - 1)} * qp.sends.stride;
    const rc::SendWqe wqe = rc::read_wqe(end_.host.memory.at(at, qp.sends.stride)).wqe;
    if (local) {
        const bool written =
            wqe.verb == rc::Verb::read || wqe.verb == rc::Verb::compare_swap || wqe.verb == rc::Verb::fetch_add;
        return spdlog::warn("{}, {}: {}", who, rc::verb_name(wqe.verb),
                            why_not_taken(card.init.pd, {wqe.sges.begin(), wqe.sges.end()}, written));
    }
    const auto peer = static_cast<unsigned>(card.attributes.peer);
    const std::string what = names_memory(wqe.verb)
                                 ? fmt::format("{} of {} B at {:#x} with key {:#x}", rc::verb_name(wqe.verb),
                                               rc::bytes_of(wqe), wqe.remote_address, wqe.remote_key)
                                 : fmt::format("{} of {} B", rc::verb_name(wqe.verb), rc::bytes_of(wqe));
    if (peer >= around_.hosts) return;
    spdlog::warn("{}, {}, is refused by {}: {}", who, what, around_.names[peer],
                 around_.why(peer, card.attributes.dest_qpn, wqe));
}

}  // namespace rnicsim::programs
