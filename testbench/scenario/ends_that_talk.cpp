#include "testbench/scenario/ends_that_talk.h"

#include "model/rnic/tx_arbiter.h"
#include "testbench/ping_load.h"
#include "testbench/scenario/least_times.h"
#include "tlm/drp_header.h"
#include "tlm/ethernet_frame.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

constexpr unsigned kA = 0;
constexpr unsigned kB = 1;

/// A responder refuses a request with another segment than its own (model/rnic/transport_responder.cpp).
void check_segments(const RunConfig& config, std::array<Lookup, 2>& ends) {
    const std::string path = "system.rnic.transport.segment";
    if (config.ends[kA].rnic.transport.segment == config.ends[kB].rnic.transport.segment) return;
    const unsigned odd = ends[kB].written(path) ? kB : kA;  // the other one has its default, or comes first in the file
    ends[odd].refuse(path, path,
                     "found '" + ends[odd].text(path) + "', expected the other end's " + ends[1 - odd].text(path) +
                         ": each refuses a request with another segment than its own");
}

/// The largest echo request fits the sender's MTU (rules.cpp); one that the other end cannot receive is not answered.
void check_pings(const RunConfig& config, std::array<Lookup, 2>& ends) {
    for (const unsigned end : {kA, kB}) {
        const std::uint32_t mtu = config.ends[1 - end].rnic.gmac.mtu;
        for (const std::uint32_t size : config.ends[end].host.ping.sizes) {
            if (size <= mtu) continue;
            ends[end].refuse("system.host.ping.sizes", "system.rnic.gmac.mtu",
                             "found " + std::to_string(size) +
                                 " B, expected at most the other end's MTU: " + std::to_string(mtu) + " B");
        }
    }
}

/// With a share of 100 % data waits for a moment without an ordinary frame (PROTOCOL.md 3.22).
void check_ordinary_share(const RunConfig& config, std::array<Lookup, 2>& ends) {
    for (const unsigned end : {kA, kB}) {
        const EndSystemConfig& self = config.ends[end];
        if (TxArbiter::data_has_turns(self.rnic.transport.ordinary_share)) continue;
        if (ping_load(config, end) < 1) continue;
        const std::string path = "system.rnic.transport.ordinary_share";
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
    unsigned end = kA;
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
std::optional<Cycle> latest_found(const RunConfig& config, unsigned end) {
    const TransportConfig& t = config.ends.at(end).rnic.transport;
    if (serialisation(frame_bytes(kDrpHeaderBytes + t.segment)) <= t.decision * 8) return std::nullopt;
    const std::int64_t frames = std::max(t.window, config.ends.at(1 - end).rnic.transport.window);
    const std::int64_t waiting = std::int64_t{config.workload.in_flight} * 4 * (frames + 4) + 8;
    return Cycle{t.table_entries} + t.decision * waiting;
}

/// Timers are never early. A scenario is refused only if even the latest one expires too soon.
std::optional<Refusal> too_short(const RunConfig& config, unsigned end, const Patience& patience,
                                 const LeastSteps& needed, const std::string& what, std::array<Lookup, 2>& ends) {
    const std::optional<Cycle> late = latest_found(config, end);
    if (!late || (patience.length + *late) * patience.times >= total(needed)) return std::nullopt;
    const std::string path = std::string("system.rnic.transport.") + patience.timer;
    const Key& key = *find_key(path);
    const LeastStep most = longest(needed);
    // The far end's own value, where it has one.
    std::string most_of_it(most.key);
    const std::string own = may_differ_by_end(most_of_it) ? path_of_end(most_of_it, config.names[most.end]) : "";
    if (!own.empty() && ends.at(end).written(own)) most_of_it = own;
    return Refusal{end, path, most_of_it,
                   "found '" + ends.at(end).text(path) + "', expected " + patience.budget + " x " + patience.timer +
                       " longer than " + what + ": " + write_limit(key, total(needed).n) + ", most of it " +
                       most_of_it + " (" + write_limit(key, most.time.n) + ")"};
}

/// The first reason why every transfer of this initiator fails.
std::optional<Refusal> hopeless(const RunConfig& config, std::span<const Method> methods, unsigned initiator,
                                std::array<Lookup, 2>& ends) {
    const unsigned responder = 1 - initiator;
    const RegistrationConfig& registration = config.ends.at(responder).host.registration;
    if (registration.failure >= 1) {
        const std::string path = "system.host.registration.failure";
        return Refusal{responder, path, path,
                       "found '" + ends.at(responder).text(path) +
                           "', expected less than 100 %: no registration would succeed at the end that answers"};
    }
    const TransportConfig& t = config.ends.at(initiator).rnic.transport;
    const auto check = [&](const Patience& patience, const LeastSteps& needed, const std::string& what) {
        return too_short(config, initiator, patience, needed, what, ends);
    };
    std::optional<Refusal> found =
        check({"request_timer", t.request_timer, "max_requests", t.max_requests}, least_connecting(config, initiator),
              "the way there and back with a registration between them");
    const std::int64_t tries = std::int64_t{t.max_retransmissions} + 1;
    if (!found) {
        found = check({"release_timer", t.release_timer, "(max_retransmissions + 1)", tries},
                      least_release(config, initiator), "the way there and back");
    }
    // The dynamic method sends data before the connection is there, and those tries do not count (PROTOCOL.md 4.9).
    if (found || std::ranges::find(methods, Method::traditional) == methods.end()) return found;
    const Patience data{"data_timer", t.data_timer, "(max_retransmissions + 1)", tries};
    // Of a read each REQ_ACK that is repeated starts the timer anew (PROTOCOL.md 5.6).
    Patience repeated = data;
    repeated.budget = "(max_retransmissions + 1 + max_requests of both)";
    repeated.times += std::int64_t{t.max_requests} + config.ends.at(responder).rnic.transport.max_requests;
    if (config.link.duplication > 0) {  // of REQ, and of the REQ_ACK to each
        repeated.budget = "4 x (max_retransmissions + 1 + max_requests of both)";
        repeated.times *= 4;
    }
    std::optional<Refusal> write = check(data, least_acknowledgement(config, initiator),
                                         "a first data frame's way and its ACK's (traditional method)");
    std::optional<Refusal> read = check(repeated, least_first_data(config, initiator),
                                        "the way of \"ready\" and of a first data frame (traditional method)");
    switch (config.workload.operation) {
        case OperationMix::write: return write;
        case OperationMix::read: return read;
        case OperationMix::alternate: return write ? read : std::nullopt;
    }
    return found;
}

}  // namespace

void check_ends_talk(const RunConfig& config, std::span<const Method> methods, std::array<Lookup, 2>& ends,
                     Lookup& common) {
    check_segments(config, ends);
    check_pings(config, ends);
    check_ordinary_share(config, ends);
    check_link(config.link, common);
    std::optional<Refusal> refusal;
    for (const unsigned initiator : {kA, kB}) {
        const Direction direction = config.workload.direction;
        if (direction == (initiator == kA ? Direction::b_to_a : Direction::a_to_b)) continue;
        refusal = hopeless(config, methods, initiator, ends);
        if (!refusal) return;  // where both initiate, one direction is enough
    }
    if (refusal) ends.at(refusal->end).refuse(refusal->path, refusal->other, refusal->what);
}

}  // namespace rnicsim
