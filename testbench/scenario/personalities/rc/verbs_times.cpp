// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/rc/verbs_times.h"

#include "model/rnic/rc/end/end_config.h"
#include "tlm/ethernet/frame.h"

namespace rnicsim {
namespace {

/// What a packet and its answer take in this card.
Time inside(const VerbsEndConfig& end) {
    const rc::CardConfig& card = end.card;
    return card.clock.time(card.tx_path + card.rx_path + card.gmac.tx_latency + card.gmac.rx_latency);
}

}  // namespace

std::optional<std::int64_t> least_rate(const VerbsEndConfig& end) {
    return end.card.transport.congestion->least_rate(end.card.transport);
}

Time time_at_rate(const VerbsEndConfig& end, std::int64_t packets, std::int64_t rate) {
    constexpr std::int64_t kAround = 38;  // bytes: preamble, MAC header, FCS, gap
    const std::int64_t bits = 8 * packets * (end.attributes.path_mtu + kPacketHeaders + kAround);
    return Time{bits * (kSecond.ps / rate + 1)};
}

Time answer_time(const RunConfig& config, const Routes& routes, unsigned from, unsigned to) {
    const VerbsEndConfig& end = verbs_of(config, from);
    const VerbsEndConfig& peer = verbs_of(config, to);
    Time answer = inside(end) + inside(peer);
    for (const Routes::Port& hop : routes.path(from, to)) {
        const LinkConfig& link = config.links[hop.link];
        answer += link.delay * 2 + link.timing.serialisation(frame_bytes(end.attributes.path_mtu + kPacketHeaders)) +
                  link.timing.serialisation(kMinFrameBytes);
        const Node& next = link.between.at(1 - hop.side);
        if (next.kind == Node::Kind::network_switch) answer += config.switches[next.index].latency * 2;
    }
    // READs and flush reads wait for what the peer's IIO holds.
    if (peer.host.persistence) answer += peer.host.persistence->iio.hold;
    return answer;
}

Time firmware_time(const VerbsTraffic& item, const VerbsEndConfig& responder) {
    using enum PersistScheme;
    const bool flushes = item.scheme == fig10 || item.scheme == flush;
    return responder.card.transport.persist.firmware * (flushes ? 2 : item.scheme == fig11 ? 1 : 0);
}

}  // namespace rnicsim
