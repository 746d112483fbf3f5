// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/drp/ends_that_talk.h"

#include "model/network/routes.h"
#include "model/rnic/common/tx_arbiter.h"
#include "model/rnic/drp/end/end_config.h"
#include "testbench/kits/drp/ping_load.h"
#include "testbench/scenario/personalities/drp/least_times.h"
#include "tlm/drp/drp_header.h"
#include "tlm/ethernet/frame.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

/// A responder refuses a request with another segment than its own (model/rnic/drp/transport_responder.cpp).
void check_segments(const RunConfig& config, std::vector<Lookup>& ends) {
    const std::string path = "system.rnic.drp.segment";
    for (const unsigned here : drp_hosts(config)) {
        for (const unsigned there : peers_of(config, here)) {
            if (drp_of(config, here).rnic.transport.segment == drp_of(config, there).rnic.transport.segment) continue;
            // The other one has its default, or comes first in the file.
            const unsigned later = std::max(here, there);
            const unsigned odd = ends[later].written(path) ? later : std::min(here, there);
            const unsigned other = odd == here ? there : here;
            ends[odd].refuse(path, path,
                             "found '" + ends[odd].text(path) + "', expected the other end's " +
                                 ends[other].text(path) + ": each refuses a request with another segment than its own");
        }
    }
}

/// The largest echo request fits the sender's MTU (rules.cpp); one that the other end cannot receive is not answered.
void check_pings(const RunConfig& config, std::vector<Lookup>& ends) {
    const std::vector<unsigned> all = drp_hosts(config);
    if (all.size() != 2) return;  // nobody pings
    for (const unsigned end : all) {
        const std::uint32_t mtu = drp_of(config, end == all[0] ? all[1] : all[0]).rnic.gmac.mtu;
        for (const std::uint32_t size : drp_of(config, end).host.ping.sizes) {
            if (size <= mtu) continue;
            ends[end].refuse("system.host.ping.sizes", "system.rnic.gmac.mtu",
                             "found " + std::to_string(size) +
                                 " B, expected at most the other end's MTU: " + std::to_string(mtu) + " B");
        }
    }
}

/// With a share of 100 % data waits for a moment without an ordinary frame (PROTOCOL.md 3.22).
void check_ordinary_share(const RunConfig& config, std::vector<Lookup>& ends) {
    for (const unsigned end : drp_hosts(config)) {
        const DrpEndConfig& self = drp_of(config, end);
        if (TxArbiter::data_has_turns(self.rnic.transport.ordinary_share)) continue;
        if (ping_load(config, end) < 1) continue;
        const std::string path = "system.rnic.drp.ordinary_share";
        ends[end].refuse(path, "system.host.ping.interval",
                         "found '" + ends[end].text(path) +
                             "', expected at most 99.9 %: pings and the answers to them fill the wire, and data would "
                             "never be sent");
    }
}

void check_link(const LinkConfig& link, Lookup& in) {
    const bool bursts = link.loss_process == "gilbert_elliott";
    const auto refuse = [&](const char* key, const char* other, const std::string& why) {
        in.refuse(key, other, "found '" + in.text(key) + "', expected less than " + why);
    };
    const std::string nothing = "100 %: no frame would arrive";
    // A burst that begins with the first frame and never ends leaves no frame outside.
    const bool always_in_burst = bursts && link.burst.begin >= 1 && link.burst.end <= 0;
    if (link.loss >= 1 && (!bursts || link.burst.begin <= 0 || link.burst.loss >= 1)) {
        refuse("system.link.loss", "system.link.loss_process", nothing);
    }
    if (always_in_burst && link.burst.loss >= 1) refuse("system.link.burst.loss", "system.link.burst.begin", nothing);
    if (link.corruption >= 1) refuse("system.link.corruption", "system.link.corruption", nothing + " whole");
    if (link.down.probability >= 1 && link.down.duration >= link.down.period) {
        refuse("system.link.down.duration", "system.link.down.period",
               "the period: " + in.text("system.link.down.period") + ", or the link would never be up");
    }
}

/// Why no transfer can end well: a value that does not go together with another.
struct Refusal {
    unsigned end = 0;
    std::string path;
    std::string other;
    std::string what;
};

/// A transfer is given up when this timer has expired so often.
struct Patience {
    const char* timer = "";
    Cycle length;
    const char* budget = "";
    std::int64_t times = 0;
};

/// How late the scanner can find an expired timer, if there is a bound: it needs a lap of the table, and it looks only
/// when nothing else waits. A data frame takes at most eight decisions (fetch, departure, arrival, acknowledgement, in
/// both directions). If they take longer than the frame on the wire, frames queue up and the scanner may never get to
/// it.
std::optional<Cycle> latest_found(const RunConfig& config, unsigned end, unsigned peer) {
    const TransportConfig& t = drp_of(config, end).rnic.transport;
    if (serialisation(frame_bytes(kDrpHeaderBytes + t.segment)) <= t.decision * 8) return std::nullopt;
    const std::int64_t frames = std::max(t.window, drp_of(config, peer).rnic.transport.window);
    const AtOnce transfers = transfers_at_once(config, end);
    const std::int64_t waiting = std::max(transfers.asked, transfers.answered) * 4 * (frames + 4) + 8;
    return Cycle{t.table_entries} + t.decision * waiting;
}

/// Timers are never early. A scenario is refused only if even the latest one expires too soon.
std::optional<Refusal> too_short(const RunConfig& config, unsigned end, unsigned peer, const Patience& patience,
                                 const LeastSteps& needed, const std::string& what, std::vector<Lookup>& ends) {
    const std::optional<Cycle> late = latest_found(config, end, peer);
    if (!late || (patience.length + *late) * patience.times >= total(needed)) return std::nullopt;
    const std::string path = std::string("system.rnic.drp.") + patience.timer;
    const Key& key = *find_key(path);
    const LeastStep most = longest(needed);
    // The far end's own value, where it has one.
    const std::string most_of_it =
        may_differ_by_end(most.key) ? ends.at(most.end).nearest_path(std::string(most.key)) : std::string(most.key);
    const std::int64_t least = (total(needed).n + patience.times - 1) / patience.times - late->n;
    return Refusal{end, path, most_of_it,
                   "found '" + ends.at(end).text(path) + "', expected at least " + write_limit(key, least) + ": " +
                       patience.budget + " x " + patience.timer + " longer than " + what + ": " +
                       write_limit(key, total(needed).n) + ", most of it " + most_of_it + " (" +
                       write_limit(key, most.time.n) + ")"};
}

/// The first reason why every transfer of this initiator fails.
std::optional<Refusal> hopeless(const RunConfig& config, const Routes& routes, const TrafficConfig& item,
                                unsigned initiator, unsigned responder, std::vector<Lookup>& ends) {
    const RegistrationConfig& registration = drp_of(config, responder).host.registration;
    if (registration.failure >= 1) {
        const std::string path = "system.host.registration.failure";
        return Refusal{responder, path, path,
                       "found '" + ends.at(responder).text(path) +
                           "', expected less than 100 %: no registration would succeed at the end that answers"};
    }
    const TransportConfig& t = drp_of(config, initiator).rnic.transport;
    const auto check = [&](const Patience& patience, const LeastSteps& needed, const std::string& what) {
        return too_short(config, initiator, responder, patience, needed, what, ends);
    };
    std::optional<Refusal> found = check({"request_timer", t.request_timer, "max_requests", t.max_requests},
                                         least_connecting(config, routes, initiator, responder),
                                         "the way there and back with a registration between them");
    const std::int64_t tries = std::int64_t{t.max_retransmissions} + 1;
    if (!found) {
        found = check({"release_timer", t.release_timer, "(max_retransmissions + 1)", tries},
                      least_release(config, routes, initiator, responder), "the way there and back");
    }
    // A dynamic sender sends data before the connection is there, and those tries do not count (PROTOCOL.md 4.9).
    const auto dynamic = [&](unsigned end) { return drp_of(config, end).rnic.transport.method == Method::dynamic; };
    if (found) return found;
    const Patience data{"data_timer", t.data_timer, "(max_retransmissions + 1)", tries};
    // Of a read each REQ_ACK that is repeated starts the timer anew (PROTOCOL.md 5.6).
    Patience repeated = data;
    repeated.budget = "(max_retransmissions + 1 + max_requests of both)";
    repeated.times += std::int64_t{t.max_requests} + drp_of(config, responder).rnic.transport.max_requests;
    const bool copies = std::ranges::any_of(config.links, [](const LinkConfig& link) { return link.duplication > 0; });
    if (copies) {  // of REQ, and of the REQ_ACK to each
        repeated.budget = "4 x (max_retransmissions + 1 + max_requests of both)";
        repeated.times *= 4;
    }
    std::optional<Refusal> write, read;
    if (!dynamic(initiator)) {
        write = check(data, least_acknowledgement(config, routes, initiator, responder),
                      "a first data frame's way and its ACK's (traditional method)");
    }
    if (!dynamic(responder)) {
        read = check(repeated, least_first_data(config, routes, initiator, responder),
                     "the way of \"ready\" and of a first data frame (traditional method)");
    }
    switch (item.operation) {
        case OperationMix::write: return write;
        case OperationMix::read: return read;
        case OperationMix::alternate: return write ? read : std::nullopt;
    }
    return found;
}

}  // namespace

void check_ends_talk(const RunConfig& config, Lookups& in) {
    check_segments(config, in.ends);
    check_pings(config, in.ends);
    check_ordinary_share(config, in.ends);
    for (std::size_t i = 0; i < config.links.size(); ++i) check_link(config.links[i], in.links[i]);
    const Routes routes(config.names.size(), config.switches.size(), config.links);
    std::optional<Refusal> refusal;
    for (const TrafficConfig& item : config.traffic) {
        if (item.workload != Workload::transfers) continue;
        for (const unsigned initiator : item.from) {
            for (const unsigned responder : item.responders(initiator)) {
                refusal = hopeless(config, routes, item, initiator, responder, in.ends);
                if (!refusal) return;  // of several pairs one that can succeed is enough
            }
        }
    }
    if (refusal) in.ends.at(refusal->end).refuse(refusal->path, refusal->other, refusal->what);
}

}  // namespace rnicsim
