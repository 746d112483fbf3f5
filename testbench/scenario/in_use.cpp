#include "testbench/scenario/in_use.h"

#include "model/network/routes.h"

#include <algorithm>

namespace rnicsim {

InUse::InUse(const RunConfig& config) : config_(config), hosts_(config.names.size()) {
    for (const TrafficConfig& item : config.traffic) {
        for (const unsigned from : item.from) {
            for (const unsigned to : item.responders(from)) {
                hosts_[from].initiates = hosts_[to].responds = true;
                if (item.workload == Workload::verbs) add_verbs(item, from, to);
            }
        }
        if (item.workload == Workload::frames) {
            markable_ = markable_ || item.ecn_capable;
            classes_.insert(item.traffic_class);
        } else if (item.workload == Workload::transfers) {
            classes_.insert(0);
        }
    }
    for (const VerbsEndConfig& end : config.verbs) {
        if (!end.card.transport.congestion->on()) continue;
        markable_ = true;
        classes_.insert(end.card.cnp_dscp >> 3U);
    }
    marks_ =
        std::ranges::any_of(config.links, [](const LinkConfig& link) { return link.ecn_marking > 0; }) ||
        std::ranges::any_of(config.switches, [](const SwitchConfig& of) { return of.ecn.at != EcnConfig::At::off; });
    pings_ = config.ends.size() == 2 &&
             std::ranges::any_of(config.ends, [](const EndSystemConfig& end) { return !end.host.ping.sizes.empty(); });
}

void InUse::add_verbs(const TrafficConfig& item, unsigned from, unsigned to) {
    const VerbsTraffic& verbs = item.verbs;
    HostUse& here = hosts_[from];
    HostUse& there = hosts_[to];
    const bool in_turn = verbs.pattern == VerbsPattern::ping_pong && !verbs.any(rc::brings_data);
    const bool by_processor = is_by_processor(verbs.scheme);
    const bool scheme = verbs.scheme != PersistScheme::none;
    here.posts = true;
    there.posts = there.posts || in_turn || by_processor;
    const bool receives = by_processor || (!scheme && verbs.any(rc::takes_receive));
    there.gets_receives = there.gets_receives || receives;
    here.gets_receives = here.gets_receives || (receives && in_turn) || by_processor;
    if (verbs.is_reliable()) {
        here.is_requester = there.is_responder = true;
        here.asks_receives = here.asks_receives || receives;
        there.is_told_rnr = there.is_told_rnr || receives;
        if (in_turn || by_processor) {
            there.is_requester = here.is_responder = true;
            there.asks_receives = there.asks_receives || receives;
            here.is_told_rnr = here.is_told_rnr || receives;
        }
    }
    using enum PersistScheme;
    const bool answers =
        scheme ? verbs.scheme == fig2 || verbs.scheme == apm || verbs.scheme == flush : verbs.any(rc::brings_data);
    here.has_answers = here.has_answers || answers;
    there.has_answers = there.has_answers || answers;
    there.does_atomics = there.does_atomics || (!scheme && verbs.any(rc::is_atomic));
    there.card_flushes = there.card_flushes || verbs.scheme == fig10 || verbs.scheme == flush;
    there.processor_flushes = there.processor_flushes || by_processor;
    here.persists = here.persists || scheme;
    there.persists = there.persists || scheme;
    here.waits_for_pack = here.waits_for_pack || (has_write_persist(verbs.scheme) && verbs.persist.waits_for_pack());
    here.keeps_packs = here.keeps_packs || verbs.scheme == fig11;
    here.qps += verbs.connections;
    there.qps += verbs.connections;
    classes_.insert(verbs.dscp.value_or(verbs_of(config_, from).card.dscp) >> 3U);
}

/// A switch that learns sends frames to unknown hosts over all links.
void InUse::add_ways() const {
    const bool all = !config_.network || std::ranges::any_of(config_.switches, &SwitchConfig::learning);
    links_.assign(config_.links.size(), all);
    if (all) return;
    const Routes routes(config_.names.size(), config_.switches.size(), config_.links);
    std::set<std::pair<unsigned, unsigned>> seen;
    for (const TrafficConfig& item : config_.traffic) {
        for (const unsigned from : item.from) {
            for (const unsigned to : item.responders(from)) {
                if (!seen.insert({from, to}).second) continue;
                for (const Routes::Port& hop : routes.path(from, to)) links_[hop.link] = true;
                for (const Routes::Port& hop : routes.path(to, from)) links_[hop.link] = true;
            }
        }
    }
}

}  // namespace rnicsim
