// SPDX-License-Identifier: Apache-2.0
#include "testbench/kits/rc/verbs_waits.h"

#include "model/rnic/rc/ack_time.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/kits/waits.h"
#include "tlm/roce/syndrome.h"

#include <algorithm>
#include <cstdint>

namespace rnicsim {
namespace {

/// What all items may have under way at once, at any host.
struct UnderWay {
    std::int64_t messages = 1, receives = 0;
    std::int64_t lines = 0;  ///< of the messages' bytes in a host's memory
};

UnderWay all_under_way(const RunConfig& config) {
    UnderWay all;
    for (const TrafficConfig& item : config.traffic) {
        const auto qps = static_cast<std::int64_t>(item.from.size() * item.to.size()) * item.verbs.connections;
        const std::int64_t lines = 2 + std::int64_t{item.size} / kLineBytes;  // wherever in a line it begins
        all.messages += qps * item.verbs.under_way();
        all.receives += qps * item.verbs.receives();
        all.lines += qps * item.verbs.under_way() * lines;
    }
    return all;
}

constexpr std::int64_t kRequestsOfMessage = 8;  // DMA: doorbell, WQE, context, keys, payload, CQE, some of them twice

/// What a host with a RoCEv2 RNIC may do before anything is seen of it: receives posted, calls, and for each message
/// that may wait some requests by DMA and one packet, all after the other.
Time held_by_work(const VerbsEndConfig& end, const UnderWay& all) {
    const rc::CardConfig& card = end.card;
    const VerbsCosts& costs = end.host.costs;
    const Cycle request = card.pcie.latency * 2 + card.pcie.request_overhead + end.host.memory.latency;
    const Cycle packet = card.packet_interval + card.qp_interval + card.tx_path + card.rx_path + card.loopback +
                         card.atomic_busy + request * kRequestsOfMessage;
    const CpuConfig& cpu = end.host.cpu;
    const Cycle told = end.host.interrupt_latency + cpu.wake + cpu.event_read + cpu.arm;
    const Cycle turn = end.host.threads > 1 ? cpu.context_switch : Cycle{};  // before each of six charges
    const Cycle calls = (costs.post + costs.push + costs.poll + told + turn * 6) * all.messages;
    const Time firmware = card.transport.persist.firmware * 2;
    return card.clock.time(packet * all.messages) + firmware * all.messages +
           end.host.clock.time(calls + (costs.receive + turn) * (all.receives + end.host.shared_receives));
}

/// A line through all stages of a host's persistence path, after any other has made room for it, and a read of it.
Time through_path(const PersistenceConfig& path) {
    const ScmConfig& scm = path.scm;
    return path.iio.hold + path.iio.latency + time_of(kLineBytes, path.iio.bandwidth) + path.llc.latency +
           path.imc.latency + time_of(scm.line, scm.write * scm.modules) + scm.read_latency +
           time_of(scm.line, scm.read * scm.modules);
}

/// The same for lines that wait in a host's persistence path, and for its processor, which flushes those of each
/// message. What a processor has left in the LLC goes first.
Time held_by_path(const VerbsEndConfig& end, const UnderWay& all) {
    if (!end.host.persistence) return {};
    const PersistenceConfig& path = *end.host.persistence;
    const std::int64_t before = (path.iio.capacity + path.imc.capacity * path.scm.modules) / kLineBytes;
    const std::int64_t lines = all.lines * (path.llc.dirty ? 2 : 1) + all.messages * kRequestsOfMessage + before;
    return through_path(path) * lines + path.flush.base * all.messages + path.flush.line * all.lines;
}

/// All repeats of a WRITE_PERSIST that is received, and has no persist ACK.
Time held_by_repeats(const RunConfig& config, const VerbsEndConfig& end) {
    const bool any = std::ranges::any_of(config.traffic, [](const TrafficConfig& item) {
        return has_write_persist(item.verbs.scheme) && item.verbs.persist.acknowledges_reception();
    });
    return any ? end.card.transport.persist.timer * (end.attributes.retry_cnt + 2) : Time{};
}

}  // namespace

Time held_by_verbs(const RunConfig& config) {
    const UnderWay all = all_under_way(config);
    Time longest, hop, work;
    for (const LinkConfig& link : config.links) hop = std::max(hop, link.delay + link.lateness * 2 + link.jitter);
    for (const VerbsEndConfig& end : verbs_ends(config)) {
        work += held_by_work(end, all) + held_by_path(end, all);
        const rc::QpAttributes& qp = end.attributes;
        const Time timeout = rc::ack_time(qp.timeout);
        longest = std::max(longest, timeout * (qp.retry_cnt + 2) + roce::rnr_time(qp.min_rnr_timer) * 8 +
                                        held_by_repeats(config, end));
    }
    if (!has_verbs(config)) return {};
    return longest + work + hop * most_hops(config) * 2 + held_by_switches(config) * 2;
}

}  // namespace rnicsim
