// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/in_use.h"

#include "model/network/routes.h"
#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/applications/application.h"
#include "testbench/kits/rc/verbs_message.h"
#include "testbench/scenario/applications.h"

#include <algorithm>
#include <utility>

namespace rnicsim {

namespace {

constexpr std::uint8_t bit_of(unsigned of_class) { return static_cast<std::uint8_t>(1U << of_class); }
bool marks(const LinkConfig& link) { return link.ecn_marking > 0; }
bool marks(const SwitchConfig& of) { return of.ecn.at != EcnConfig::At::off; }

void add(Passing& to, const Passing& frames) {
    to.any = to.any || frames.any;
    to.markable = to.markable || frames.markable;
    to.classes |= frames.classes;
}

void add_copied(HostUse& to, std::uint64_t bytes) {
    to.largest_copied = std::max(to.largest_copied, bytes);
    to.smallest_copied = std::min(to.smallest_copied, bytes);
}

}  // namespace

InUse::InUse(const RunConfig& config, bool everywhere)
    : config_(config),
      hosts_(config.names.size()),
      by_programs_(everywhere),
      everywhere_(everywhere || !config.network || std::ranges::any_of(config.switches, &SwitchConfig::learning)) {
    for (const TrafficConfig& item : config.traffic) {
        for (const unsigned from : item.from) {
            for (const unsigned to : item.responders(from)) {
                hosts_[from].initiates = hosts_[to].responds = true;
                if (item.workload == Workload::verbs) add_verbs(item, from, to);
            }
        }
    }
    const auto tells_gaps = [](const VerbsEndConfig& end) { return end.card.transport.nak_cnp; };
    if (everywhere && std::ranges::any_of(verbs_ends(config), tells_gaps)) {
        for (HostUse& host : hosts_) host.is_notified = true;
    }
    pings_ = drp_hosts(config).size() == 2 && std::ranges::any_of(drp_ends(config), [](const DrpEndConfig& end) {
                 return !end.host.ping.sizes.empty();
             });
}

/// Both ends of an application send; they receive where they have receive WQEs.
void InUse::add_application(const applications::Application& protocol, const TrafficConfig& item, unsigned from,
                            unsigned to) {
    const applications::Plan plan = protocol.plan(item);
    for (unsigned side = 0; side < 2; ++side) {
        HostUse& here = hosts_[side == 0 ? from : to];
        HostUse& there = hosts_[side == 0 ? to : from];
        if (plan.verbs) {
            here.posts = here.is_requester = there.is_responder = here.asks_for_acks = there.gives_acks = true;
            const bool receives = plan.sides.at(side).receives != 0;
            here.gets_receives = here.gets_receives || receives;
            const bool may_lack_one = receives && !protocol.has_receives_ahead(item);
            here.is_told_rnr = here.is_told_rnr || may_lack_one;
            there.asks_receives = there.asks_receives || may_lack_one;
        }
        if (plan.sides.at(side).reads)
            here.gets_reads = there.answers_reads = here.has_answers = there.has_answers = true;
        if (plan.sides.at(side).atomics) here.has_answers = there.has_answers = there.does_atomics = true;
        here.has_application = true;
        here.registers = here.registers || plan.sides.at(side).registers;
        here.streams = here.streams || plan.stream;
        here.stores = here.stores || plan.bridge;
        here.hears_doorbells = here.hears_doorbells || plan.sides.at(side).hears_doorbells;
        there.rings_doorbells = there.rings_doorbells || plan.sides.at(side).hears_doorbells;
        here.loads = here.loads || plan.sides.at(side).loads;
        there.is_loaded = there.is_loaded || plan.sides.at(side).loads;
        here.uses_qps = here.uses_qps || plan.verbs;
        here.copies = here.copies || plan.sides.at(side).copies;
        for (const std::uint64_t bytes : plan.sides.at(side).copied) add_copied(here, bytes);
        here.copies_else = here.copies_else || (plan.sides.at(side).copies && plan.sides.at(side).copied.empty());
        here.touches = here.touches || plan.sides.at(side).touches;
        here.calls = here.calls || plan.sides.at(side).calls;
        here.system_calls = here.system_calls || plan.sides.at(side).system_calls;
        here.is_notified = here.is_notified || verbs_of(config_, side == 0 ? to : from).card.transport.nak_cnp;
        here.qps += item.verbs.connections;
        here.acting_qps += item.verbs.connections;
    }
}

void InUse::add_verbs(const TrafficConfig& item, unsigned from, unsigned to) {
    if (const applications::Application* const protocol = protocol_of(item))
        return add_application(*protocol, item, from, to);
    const VerbsTraffic& verbs = item.verbs;
    HostUse& here = hosts_[from];
    HostUse& there = hosts_[to];
    const bool in_turn = verbs.pattern == VerbsPattern::ping_pong && !verbs.any(rc::brings_data);
    const bool by_processor = is_by_processor(verbs.scheme);
    const bool scheme = verbs.scheme != PersistScheme::none;
    here.posts = here.uses_qps = there.uses_qps = true;
    there.posts = there.posts || in_turn || by_processor || verbs.sends_table;
    const bool receives = by_processor || (!scheme && verbs.any(rc::takes_receive));
    there.gets_receives = there.gets_receives || receives;
    here.gets_receives = here.gets_receives || (receives && in_turn) || by_processor || verbs.sends_table;
    if (verbs.is_reliable()) {
        add_reliable(verbs, from, to);
        here.asks_receives = here.asks_receives || receives;
        there.is_told_rnr = there.is_told_rnr || receives;
        if (in_turn || by_processor) {
            add_reliable(verbs, to, from);
            there.asks_receives = there.asks_receives || receives;
            here.is_told_rnr = here.is_told_rnr || receives;
        }
        if (verbs.sends_table) {
            there.is_requester = here.is_responder = there.asks_for_acks = here.gives_acks = true;
            there.asks_receives = here.is_told_rnr = true;
            there.is_notified = there.is_notified || verbs_of(config_, from).card.transport.nak_cnp;
        }
    }
    using enum PersistScheme;
    const bool answers =
        scheme ? verbs.scheme == fig2 || verbs.scheme == apm || verbs.scheme == flush : verbs.any(rc::brings_data);
    here.has_answers = here.has_answers || answers;
    there.has_answers = there.has_answers || answers;
    there.does_atomics = there.does_atomics || (!scheme && verbs.any(rc::is_atomic));
    there.card_flushes = there.card_flushes || verbs.scheme == fig10 || verbs.scheme == flush;
    there.has_persist_unit =
        there.has_persist_unit || verbs.scheme == fig10 || verbs.scheme == fig11 || verbs.scheme == flush;
    there.processor_flushes = there.processor_flushes || by_processor;
    here.persists = here.persists || scheme;
    there.persists = there.persists || scheme;
    here.waits_for_pack = here.waits_for_pack || (has_write_persist(verbs.scheme) && verbs.persist.waits_for_pack());
    here.keeps_packs = here.keeps_packs || verbs.scheme == fig11;
    here.qps += verbs.connections;
    there.qps += verbs.connections;
    here.acting_qps += verbs.connections;
    if (acts(item, 1)) there.acting_qps += verbs.connections;
}

/// Of READs, atomics and FLUSHes each asks for its own answer. A scheme has a WRITE or SEND in each direction.
void InUse::add_reliable(const VerbsTraffic& verbs, unsigned from, unsigned to) {
    HostUse& here = hosts_[from];
    HostUse& there = hosts_[to];
    here.is_requester = there.is_responder = true;
    using enum PersistScheme;
    const bool scheme = verbs.scheme != none;
    const bool acks = scheme || verbs.any([](rc::Verb verb) { return !rc::has_answer(verb); });
    const bool reads = scheme ? verbs.scheme == fig2 || verbs.scheme == apm
                              : verbs.any([](rc::Verb verb) { return verb == rc::Verb::read; });
    here.asks_for_acks = here.asks_for_acks || acks;
    there.gives_acks = there.gives_acks || acks;
    here.gets_reads = here.gets_reads || reads;
    there.answers_reads = there.answers_reads || reads;
    here.is_notified = here.is_notified || verbs_of(config_, to).card.transport.nak_cnp;
}

/// With what comes back.
Passing InUse::frames_of(const TrafficConfig& item, unsigned from, unsigned to) const {
    switch (item.workload) {
        case Workload::transfers: break;
        case Workload::frames: return {true, item.ecn_capable, bit_of(item.traffic_class)};
        case Workload::verbs: {
            Passing frames{true, false, 0};
            const applications::Application* const protocol = protocol_of(item);
            const applications::Plan plan = protocol == nullptr ? applications::Plan{} : protocol->plan(item);
            if (plan.stream) frames.classes |= bit_of(0);  // frames of TCP
            frames.any = plan.stream || plan.verbs;        // what goes over a bridge has none
            if (!plan.verbs) return frames;
            for (const unsigned host : {from, to}) {
                const auto& card = verbs_of(config_, host).card;
                frames.classes |= bit_of(item.verbs.dscp.value_or(card.dscp) >> 3U);
                if (!item.verbs.is_reliable() || !card.transport.congestion->hears_marks()) continue;
                frames.markable = true;
                frames.classes |= bit_of(card.cnp_dscp >> 3U);
            }
            return frames;
        }
    }
    return {true, false, bit_of(0)};
}

/// Each pair of hosts once.
std::vector<InUse::Way> InUse::list_ways() const {
    std::vector<Way> all;
    for (const TrafficConfig& item : config_.traffic) {
        for (const unsigned from : item.from) {
            for (const unsigned to : item.responders(from)) all.push_back({from, to, frames_of(item, from, to)});
        }
    }
    if (pings_) all.push_back({0, 1, {true, false, bit_of(0)}});
    std::ranges::sort(all, {}, [](const Way& way) { return std::pair(way.from, way.to); });
    std::vector<Way> ways;
    for (const Way& way : all) {
        if (ways.empty() || ways.back().from != way.from || ways.back().to != way.to) {
            ways.push_back(way);
        } else {
            add(ways.back().frames, way.frames);
        }
    }
    return ways;
}

InUse::Ways InUse::follow_ways() const {
    Ways found{std::vector<Passing>(config_.links.size()), std::vector<Passing>(config_.switches.size()),
               std::vector<bool>(config_.names.size()), std::vector<bool>(config_.names.size())};
    const Routes routes(config_.names.size(), config_.switches.size(), config_.links);
    for (const Way& way : list_ways()) {
        bool marked = false;
        for (const std::vector<Routes::Port>& path : {routes.path(way.from, way.to), routes.path(way.to, way.from)}) {
            for (const Routes::Port& hop : path) {
                add(found.links[hop.link], way.frames);
                marked = marked || marks(config_.links[hop.link]);
                const Node& next = config_.links[hop.link].between.at(1 - hop.side);
                if (next.kind != Node::Kind::network_switch) continue;
                add(found.switches[next.index], way.frames);
                marked = marked || marks(config_.switches[next.index]);
            }
        }
        if (!marked) continue;
        for (const unsigned host : {way.from, way.to}) {
            found.passes_marks[host] = true;
            found.is_marked[host] = found.is_marked[host] || way.frames.markable;
        }
    }
    return found;
}

/// A switch that learns sends frames to unknown hosts over all links, and programs send from where they like.
InUse::Ways InUse::all_ways() const {
    Passing frames{true, false, 0};
    for (const Way& way : list_ways()) add(frames, way.frames);
    for (const VerbsEndConfig& end : verbs_ends(config_)) {
        if (!end.card.transport.congestion->hears_marks()) continue;
        frames.markable = true;
        frames.classes |= bit_of(end.card.cnp_dscp >> 3U);
    }
    const bool marked = std::ranges::any_of(config_.links, [](const LinkConfig& link) { return marks(link); }) ||
                        std::ranges::any_of(config_.switches, [](const SwitchConfig& of) { return marks(of); });
    return {std::vector<Passing>(config_.links.size(), frames), std::vector<Passing>(config_.switches.size(), frames),
            std::vector<bool>(config_.names.size(), marked),
            std::vector<bool>(config_.names.size(), marked && frames.markable)};
}

const InUse::Ways& InUse::ways() const {
    if (!ways_) ways_ = everywhere_ ? all_ways() : follow_ways();
    return *ways_;
}

}  // namespace rnicsim
