#include "testbench/scenario/resolve.h"

#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/plain/end_config.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/scenario/ends_that_talk.h"
#include "testbench/scenario/lookup.h"
#include "testbench/scenario/network_rules.h"
#include "testbench/scenario/personality_rules.h"
#include "testbench/scenario/rules.h"
#include "testbench/scenario/station_rules.h"
#include "testbench/scenario/switch_rules.h"
#include "testbench/scenario/verbs_rules.h"
#include "tlm/ethernet/pause_frame.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

RegistrationConfig resolve_registration(Lookup& in) {
    const std::string section = "system.host.registration.";
    RegistrationConfig registration;
    registration.base_cost = in.cycles(section + "base_cost");
    registration.page_cost = in.cycles(section + "page_cost");
    registration.failure = in.fraction(section + "failure");
    registration.retry = &registration_retry(in.word(section + "retry"));
    registration.retry_interval = in.cycles(section + "retry_interval");
    registration.pool.size = static_cast<std::uint64_t>(in.number(section + "pool.size"));
    registration.pool.tasks = in.u32(section + "pool.tasks");
    registration.pool.held = static_cast<std::uint64_t>(in.number(section + "pool.held"));
    registration.pool.hold_time = in.cycles(section + "pool.hold_time");
    registration.pool.rest_time = in.cycles(section + "pool.rest_time");
    return registration;
}

HostConfig resolve_host(Lookup& in) {
    HostConfig host;
    host.memory.latency = in.cycles("system.host.memory.latency");
    host.memory.bytes_per_second = in.number("system.host.memory.bandwidth");
    host.bridge.bytes_per_second = in.number("system.host.bridge.bandwidth");
    host.bridge.request_cost = in.cycles("system.host.bridge.request_cost");
    host.registration = resolve_registration(in);
    const std::string software = "system.host.software.";
    host.software.interrupt_latency = in.cycles(software + "interrupt_latency");
    host.software.event_cost = in.cycles(software + "event_cost");
    host.software.command_cost = in.cycles(software + "command_cost");
    host.ping.sizes = in.get("system.host.ping.sizes").list;
    host.ping.interval = in.cycles("system.host.ping.interval");
    host.receive_ring = in.u32("system.host.receive_ring");
    return host;
}

TransportConfig resolve_transport(Lookup& in) {
    TransportConfig t;
    const std::string section = "system.rnic.transport.";
    t.method = static_cast<Method>(in.number(section + "method"));
    t.segment = in.u32(section + "segment");
    t.window = in.u32(section + "window");
    t.window_rule = &window_rule(in.word(section + "window_rule"));
    t.retransmission = &retransmission(in.word(section + "retransmission"));
    t.duplicate_acks = in.u32(section + "duplicate_acks");
    t.request_timer = in.cycles(section + "request_timer");
    t.data_timer = in.cycles(section + "data_timer");
    t.data_timer_rule = &data_timer_rule(in.word(section + "data_timer_rule"));
    t.release_timer = in.cycles(section + "release_timer");
    t.idle_timeout = in.cycles(section + "idle_timeout");
    t.max_requests = in.u32(section + "max_requests");
    t.max_retransmissions = in.u32(section + "max_retransmissions");
    t.mode_choice = &mode_choice(in.word(section + "mode_choice"));
    t.indirect_after_timeouts = in.u32(section + "indirect_after_timeouts");
    t.acknowledgement = &acknowledgement(in.word(section + "acknowledgement"));
    t.buffer_admission = &buffer_admission(in.word(section + "buffer_admission"));
    t.buffer_quota = in.u32(section + "buffer_quota");
    t.resume_on_valid_ack = in.number(section + "resume_on_valid_ack") != 0;
    t.resume_rule = &resume_rule(in.word(section + "resume_rule"));
    t.busy_answer = in.number(section + "busy_answer") != 0;
    t.bulk_drain = in.number(section + "bulk_drain") != 0;
    t.table_entries = in.u32(section + "table_entries");
    t.indirect_buffer = in.u32(section + "indirect_buffer");
    t.tx_buffer = in.u32(section + "tx_buffer");
    t.rx_buffer = in.u32(section + "rx_buffer");
    t.ordinary_share = in.fraction(section + "ordinary_share");
    t.decision = in.cycles(section + "decision");
    return t;
}

/// `clock`: of which end of the link.
PcieConfig resolve_pcie(Lookup& in, const Clock& clock) {
    PcieConfig pcie;
    const std::string section = "system.rnic.pcie.";
    pcie.generation = in.u32(section + "generation");
    pcie.lanes = in.u32(section + "lanes");
    pcie.max_payload = in.u32(section + "max_payload");
    pcie.max_read_request = in.u32(section + "max_read_request");
    pcie.read_completion_boundary = in.u32(section + "read_completion_boundary");
    pcie.tags = in.u32(section + "tags");
    pcie.latency = in.cycles(section + "latency", clock);
    pcie.request_overhead = in.cycles(section + "request_overhead", clock);
    return pcie;
}

RnicConfig resolve_rnic(Lookup& in) {
    RnicConfig rnic;
    const std::string mac = "system.rnic.gmac.";
    rnic.gmac.tx_latency = in.cycles(mac + "tx_latency");
    rnic.gmac.rx_latency = in.cycles(mac + "rx_latency");
    rnic.gmac.interpacket_gap = in.cycles(mac + "interpacket_gap");
    rnic.gmac.mtu = in.u32(mac + "mtu");
    rnic.filter.latency = in.cycles("system.rnic.frame_filter.latency");
    rnic.pcie = resolve_pcie(in, kGmiiClock);
    rnic.transport = resolve_transport(in);
    rnic.queues.latency = in.cycles("system.rnic.queues.latency");
    rnic.blocks = BlockNames(in.word(std::string(kRnicBlocks)));
    rnic.blocks[Block::rnic_core] = "model";  // it stands in for none of them
    for (std::size_t i = 0; i < kBlockNames.size(); ++i) {
        const auto block = static_cast<Block>(i);
        const std::string path = block_key(block);
        const std::string name = in.word(path);
        if (in.written(path)) rnic.blocks[block] = name;
    }
    return rnic;
}

/// DRP has operations that are none of verbs: any stands for them.
rc::Verb verb_of(const std::string& word) {
    const auto* const found = std::ranges::find(rc::kVerbNames, word);
    return found == rc::kVerbNames.end() ? rc::Verb::write
                                         : rc::Verb{static_cast<std::uint8_t>(found - rc::kVerbNames.begin())};
}

PersistenceConfig resolve_persistence(Lookup& in) {
    const std::string section = std::string(kPersistence) + '.';
    PersistenceConfig config;
    config.domain = static_cast<Domain>(in.number(section + "domain"));
    config.ddio = in.number(section + "ddio") != 0;
    config.no_snoop_write = in.number(section + "no_snoop_write") != 0;
    config.no_snoop = static_cast<NoSnoop>(in.number(section + "no_snoop"));
    config.iio.capacity = in.number(section + "iio.capacity");
    config.iio.latency = in.time(section + "iio.latency");
    config.iio.bandwidth = in.number(section + "iio.bandwidth");
    const Time hold = in.time(section + "iio.hold");
    config.iio.until_pushed = hold.ps == kWord;
    if (!config.iio.until_pushed) config.iio.hold = hold;
    config.llc.capacity = in.number(section + "llc.capacity");
    config.llc.latency = in.time(section + "llc.latency");
    config.llc.evict = static_cast<Eviction>(in.number(section + "llc.evict"));
    config.llc.dirty = in.number(section + "llc.dirty") != 0;
    config.flush.base = in.time(section + "flush.base");
    config.flush.line = in.time(section + "flush.line");
    config.imc.capacity = in.number(section + "imc.capacity");
    config.imc.latency = in.time(section + "imc.latency");
    config.scm.write = in.number(section + "scm.write");
    config.scm.read = in.number(section + "scm.read");
    config.scm.modules = in.number(section + "scm.modules");
    config.scm.read_latency = in.time(section + "scm.read_latency");
    config.scm.line = in.number(section + "scm.line");
    return config;
}

/// Is one of the keys that give a path written, whatever its value?
bool has_persistence(const Lookup& in) {
    return std::ranges::any_of(
        all_keys(), [&](const Key& key) { return gives_persistence(key.path) && in.written(std::string(key.path)); });
}

VerbsHostConfig resolve_verbs_host(Lookup& in) {
    VerbsHostConfig host;
    host.clock = Clock(in.time("system.host.clock"));
    host.memory.latency = in.cycles("system.host.memory.latency", host.clock);
    host.memory.bytes_per_second = in.number("system.host.memory.bandwidth");
    host.pcie = resolve_pcie(in, host.clock);
    const std::string verbs = "system.host.verbs.";
    host.costs.post = in.cycles(verbs + "post", host.clock);
    host.costs.push = in.cycles(verbs + "push", host.clock);
    host.costs.poll = in.cycles(verbs + "poll", host.clock);
    host.costs.receive = in.cycles(verbs + "receive", host.clock);
    host.posting = static_cast<Posting>(in.number(verbs + "posting"));
    host.events = in.word(verbs + "notify") == "events";
    const std::uint32_t receives = in.u32(verbs + "shared_receives");
    const std::uint32_t limit = in.u32(verbs + "srq_limit");
    if (in.word(verbs + "receive_queues") == "shared") {
        host.shared_receives = receives;
        host.srq_limit = limit;
    }
    const PersistenceConfig persistence = resolve_persistence(in);
    if (has_persistence(in)) host.persistence = persistence;
    host.inline_bytes = in.u32("system.rnic.rc.inline");
    host.product = product_of(in.word("system.rnic.profile"));
    host.page.shift = static_cast<std::uint8_t>(std::countr_zero(in.u32(verbs + "page")));
    host.interrupt_latency = host.clock.edge(in.time("system.host.software.interrupt_latency"));
    return host;
}

/// But for the link's rate.
rc::DcqcnConfig resolve_dcqcn(Lookup& in) {
    const std::string section = "system.rnic.rc.dcqcn.";
    rc::DcqcnConfig config;
    config.g = in.u32(section + "g");
    config.first_alpha = in.u32(section + "first_alpha");
    config.alpha_update = static_cast<rc::AlphaUpdate>(in.number(section + "alpha_update"));
    config.reduction_interval = in.time(section + "reduction_interval");
    config.target_update = static_cast<rc::TargetUpdate>(in.number(section + "target_update"));
    config.alpha_timer = in.time(section + "alpha_timer");
    config.rate_timer = in.time(section + "rate_timer");
    config.byte_counter = in.number(section + "byte_counter");
    config.fast_recovery = in.u32(section + "fast_recovery");
    config.additive_increase = in.number(section + "additive_increase");
    config.hyper_increase = in.number(section + "hyper_increase");
    config.least_rate = in.number(section + "least_rate");
    return config;
}

rc::PersistConfig resolve_persist(Lookup& in) {
    const std::string pm = "system.rnic.rc.pm.";
    rc::PersistConfig config;
    config.outstanding = in.u32(pm + "outstanding");
    config.capacity = in.u32(pm + "capacity");
    config.coalesce = in.number(pm + "coalesce") != 0;
    config.read_bypass = in.number(pm + "read_bypass") != 0;
    config.data_no_snoop = in.number(pm + "data_no_snoop") != 0;
    config.flush_no_snoop = in.number(pm + "flush_no_snoop") != 0;
    config.relaxed_data = in.number(pm + "relaxed_data") != 0;
    config.relaxed_cqe = in.number(pm + "relaxed_cqe") != 0;
    config.flush_class = static_cast<std::uint8_t>(in.number(pm + "flush_class"));
    config.hold = in.u32(pm + "hold");
    config.same_line = in.word(pm + "flush_target") == "same_line";
    config.timer = in.time(pm + "timer");
    return config;
}

VerbsEndConfig resolve_verbs(Lookup& in) {
    VerbsEndConfig end;
    end.host = resolve_verbs_host(in);
    rc::CardConfig& card = end.card;
    card.clock = Clock(in.time("system.rnic.clock"));
    const std::string mac = "system.rnic.gmac.";
    card.gmac.tx_latency = in.cycles(mac + "tx_latency", card.clock);
    card.gmac.rx_latency = in.cycles(mac + "rx_latency", card.clock);
    card.gmac.mtu = in.u32(mac + "mtu");
    card.pause_reaction = in.time(mac + "pause_reaction");
    card.pcie = resolve_pcie(in, card.clock);
    const std::string rc = "system.rnic.rc.";
    card.packet_interval = in.cycles(rc + "packet_interval", card.clock);
    card.qp_interval = in.cycles(rc + "qp_interval", card.clock);
    card.tx_path = in.cycles(rc + "tx_path", card.clock);
    card.rx_path = in.cycles(rc + "rx_path", card.clock);
    card.loopback = in.cycles(rc + "loopback", card.clock);
    card.cut_through = in.word(rc + "mode") == "cut_through";
    card.atomic_busy = in.cycles(rc + "atomic_busy", card.clock);
    card.atomics_by_address = in.word(rc + "atomic_order") == "address";
    card.cache.bytes = in.u32(rc + "cache");
    card.cache.misses = in.u32(rc + "cache_misses");
    card.tx_buffer = in.u32(rc + "tx_buffer");
    card.rx_buffer = in.u32(rc + "rx_buffer");
    card.transport.window = in.u32(rc + "window");
    card.transport.ack_interval = in.u32(rc + "ack_interval");
    card.transport.retransmission = &rc::retransmission(in.word(rc + "retransmission"));
    card.transport.acknowledgement = &rc::acknowledgement(in.word(rc + "acknowledgement"));
    card.transport.congestion = &rc::congestion_control(in.word(rc + "congestion"));
    card.transport.nak_cnp = in.number(rc + "nak_cnp") != 0;
    card.transport.cnp_interval = in.time(rc + "cnp_interval");
    card.transport.dcqcn = resolve_dcqcn(in);
    card.transport.persist = resolve_persist(in);
    const auto u8 = [&](const char* key) { return static_cast<std::uint8_t>(in.number(rc + key)); };
    end.attributes.path_mtu = card.transport.port_mtu = in.u32(rc + "pmtu");
    end.attributes.max_rd_atomic = end.attributes.max_dest_rd_atomic = u8("max_rd_atomic");
    end.attributes.timeout = u8("timeout");
    end.attributes.retry_cnt = u8("retry_cnt");
    end.attributes.min_rnr_timer = u8("min_rnr_timer");
    end.attributes.rnr_retry = u8("rnr_retry");
    return end;
}

PlainEndConfig resolve_plain(Lookup& in) {
    PlainEndConfig plain;
    plain.mtu = in.number("system.rnic.gmac.mtu");
    plain.reaction = in.time("system.rnic.gmac.pause_reaction");
    return plain;
}

LinkConfig resolve_link(Lookup& in) {
    const std::string section = "system.link.";
    LinkConfig link;
    constexpr std::array<std::int64_t, 6> kRates{1'000'000'000,  2'500'000'000,  10'000'000'000,
                                                 25'000'000'000, 40'000'000'000, 100'000'000'000};
    link.timing = MacTiming::of_rate(kRates.at(static_cast<std::size_t>(in.number(section + "rate"))));
    link.byte_time = link.timing.per_byte;
    link.delay = in.time(section + "delay");
    link.loss = in.fraction(section + "loss");
    link.loss_process = in.word(section + "loss_process");
    link.burst.begin = in.fraction(section + "burst.begin");
    link.burst.end = in.fraction(section + "burst.end");
    link.burst.loss = in.fraction(section + "burst.loss");
    link.corruption = in.fraction(section + "corruption");
    link.duplication = in.fraction(section + "duplication");
    link.reordering = in.fraction(section + "reordering");
    link.lateness = in.time(section + "lateness");
    link.delay_variation = in.fraction(section + "delay_variation");
    link.jitter = in.time(section + "jitter");
    link.ecn_marking = in.fraction(section + "ecn_marking");
    link.down.probability = in.fraction(section + "down.probability");
    link.down.period = in.time(section + "down.period");
    link.down.duration = in.time(section + "down.duration");
    return link;
}

/// "1/8" or "2".
double share(const std::string& text) {
    return text.starts_with("1/") ? 1 / std::stod(text.substr(2)) : std::stod(text);
}

SwitchConfig resolve_switch(Lookup& in) {
    const std::string section = "system.switch.";
    SwitchConfig config;
    config.latency = in.time(section + "latency");
    config.buffer = in.number(section + "buffer");
    config.cell = in.number(section + "cell");
    config.reserve = in.number(section + "reserve");
    config.admission = in.word(section + "admission") == "static" ? Admission::fixed_limit : Admission::dynamic;
    config.alpha = share(in.word(section + "alpha"));
    config.queue_limit = in.number(section + "queue_limit");
    config.mtu = in.number(section + "mtu");
    config.mode = static_cast<SwitchMode>(in.number(section + "mode"));
    config.learning = in.word(section + "table") == "learning";
    config.ageing = in.time(section + "ageing");
    config.priorities = in.u32(section + "priorities");
    config.scheduler = static_cast<Scheduler>(in.number(section + "scheduler"));
    config.weights = in.get(section + "weights").list;
    config.pause_reaction = in.time(section + "pause_reaction");
    config.ecn.at = static_cast<EcnConfig::At>(in.number(section + "ecn.at"));
    config.ecn.kmin = in.number(section + "ecn.kmin");
    config.ecn.kmax = in.number(section + "ecn.kmax");
    config.ecn.pmax = in.fraction(section + "ecn.pmax");
    for (const std::uint32_t of_class : in.get(section + "pfc.classes").list)
        config.pfc.classes = static_cast<std::uint8_t>(config.pfc.classes | 1U << of_class);
    config.pfc.xoff = in.number(section + "pfc.xoff");
    config.pfc.alpha = share(in.word(section + "pfc.alpha"));
    config.pfc.xon_below = in.number(section + "pfc.xon_below");
    config.pfc.headroom = in.number(section + "pfc.headroom");
    config.pfc.unchecked = in.number(section + "pfc.unchecked") != 0;
    config.pfc.quanta = in.u32(section + "pfc.quanta");
    return config;
}

/// But for who takes part in it.
TrafficConfig resolve_traffic(Lookup& in) {
    TrafficConfig item;
    const std::int64_t operation = in.number("run.operation");
    if (operation <= static_cast<std::int64_t>(OperationMix::alternate))
        item.operation = static_cast<OperationMix>(operation);
    item.verbs.operation = verb_of(in.word("run.operation"));
    for (std::size_t i = 0; i < rc::kItemVerbs; ++i) {
        const std::string path = mix_key(static_cast<rc::Verb>(i));
        if (find_key(path) == nullptr) continue;  // programs here ask for no SEND with invalidation
        const auto parts = static_cast<std::uint32_t>(std::lround(in.fraction(path) * 1e6));
        if (parts != 0) item.verbs.mix.push_back({static_cast<rc::Verb>(i), parts});
    }
    item.verbs.service = static_cast<roce::Service>(in.number("run.service"));
    item.verbs.pattern = static_cast<VerbsPattern>(in.number("run.pattern"));
    item.verbs.depth = in.u32("run.depth");
    item.verbs.outstanding = in.u32("run.outstanding");
    item.verbs.connections = in.u32("run.connections");
    item.verbs.signal_every = in.u32("run.signal_every");
    item.verbs.scheme = static_cast<PersistScheme>(in.number("run.scheme"));
    item.verbs.write_behind = in.word("run.behind") == "write";
    item.verbs.unsafe = in.number("run.unsafe") != 0;
    item.verbs.receives_ahead = static_cast<ReceivesAhead>(in.number("run.receives_ahead"));
    item.verbs.persist.mark = static_cast<rc::PersistMark>(in.number("run.mark"));
    item.verbs.persist.by_processor = item.verbs.scheme == PersistScheme::fig11;
    item.verbs.persist.two_acks = in.number("run.acks") == 2 || item.verbs.persist.by_processor;
    item.verbs.persist.pack = static_cast<rc::PersistPack>(in.number("run.pack"));
    item.verbs.region_of_host = in.word("run.regions") == "host";
    item.pairs = static_cast<Pairs>(in.number("run.pairs"));
    item.verbs.sizes = in.get("run.sizes").list;
    item.size = item.verbs.sizes.empty() ? in.u32("run.size") : std::ranges::max(item.verbs.sizes);
    item.transfers = in.u32("run.transfers");
    item.in_flight = in.u32("run.in_flight");
    item.think = in.cycles("run.think");
    item.start = in.cycles("run.start");
    item.stagger = in.cycles("run.stagger");
    if (in.number("run.random_start") != kWord) item.random_start = in.cycles("run.random_start");
    item.pace = in.number("run.pace");
    const std::uint32_t dscp = in.u32("run.dscp");
    if (dscp != rc::CardConfig{}.dscp) item.verbs.dscp = static_cast<std::uint8_t>(dscp);
    item.traffic_class = static_cast<std::uint8_t>(in.number("run.class"));
    item.ecn_capable = in.number("run.ecn") != 0;
    return item;
}

void resolve_simulation(Lookup& in, RunConfig& config) {
    config.seed = static_cast<std::uint64_t>(in.number("simulation.seed"));
    config.watchdog = in.cycles("simulation.watchdog");
}

/// A value that both ends have of their own makes the common one vain.
void check_in_vain(const ParsedValues& values) {
    for (const auto& [path, written] : values) {
        if (!may_differ_by_end(path)) continue;
        if (values.contains(path_of_end(path, "a")) && values.contains(path_of_end(path, "b"))) {
            reject(written.where, path,
                   "has no effect, both ends have a value of their own; expected it or one of them");
        }
    }
}

/// What only one of the two forms has.
void check_form(const ParsedValues& values, const NetworkPlan& plan) {
    for (const auto& [path, written] : values) {
        const Key& key = *find_key(path);
        if (!plan.present() && (key.network || item_path(path))) {
            reject(written.where, path, "is for networks, expected `system.hosts`, too");
        }
        if (!plan.present()) continue;
        const bool of_a_or_b = common_path(path) != path && !item_path(path);
        if (of_a_or_b) reject(written.where, path, "is of the form with two ends; expected system.hosts.NAME");
        if (path == "run.direction") {
            reject(written.where, path, "is of the form with two ends; expected run.traffic with from and to");
        }
    }
    if (!plan.present()) {
        const auto refuse = [](const auto& items, const char* path) {
            if (!items.empty()) reject(items.front().where, path, "is for networks, expected `system.hosts`, too");
        };
        refuse(plan.switches, "system.switches");
        refuse(plan.links, "system.links");
        refuse(plan.traffic, "run.traffic");
    }
}

Lookups lookups_of_two(const ParsedValues& values, const std::string& file) {
    return {.common = Lookup(values, file),
            .ends = {Lookup(values, file, {"a"}), Lookup(values, file, {"b"})},
            .switches = {},
            .links = {Lookup(values, file)},
            .traffic = {Lookup(values, file)}};
}

Lookups lookups_of(const NetworkPlan& plan, const Network& network, const ParsedValues& values,
                   const std::string& file) {
    Lookups in{.common = Lookup(values, file), .ends = {}, .switches = {}, .links = {}, .traffic = {}};
    for (const Network::Host& host : network.hosts) {
        in.ends.emplace_back(values, host.where,
                             std::vector{"system.hosts." + host.name, "system.hosts." + host.group});
    }
    for (const NetworkPlan::Item& item : plan.switches) {
        in.switches.emplace_back(values, item.where, std::vector{"system.switches." + item.name});
    }
    for (const Network::Link& link : network.links) {
        in.links.emplace_back(values, link.where,
                              std::vector{"system.links." + link.name, "system.links." + link.group});
    }
    for (const Network::Traffic& item : network.traffic) {
        in.traffic.emplace_back(values, item.where, std::vector{"run.traffic." + item.name});
    }
    return in;
}

void name_parts(const Network& network, RunConfig& config) {
    std::vector<std::string> names;
    for (const Network::Host& host : network.hosts) {
        names.push_back(host.name);
        config.groups.push_back(host.group);
    }
    config.names = HostNames::of_network(std::move(names));
    config.network = true;
    for (std::size_t i = 0; i < network.switches.size(); ++i) config.switches[i].name = network.switches[i];
    for (std::size_t i = 0; i < network.links.size(); ++i) {
        config.links[i].name = network.links[i].name;
        config.links[i].group = network.links[i].group;
        config.links[i].between = network.links[i].between;
    }
    for (std::size_t i = 0; i < network.traffic.size(); ++i) {
        config.traffic[i].name = network.traffic[i].name;
        config.traffic[i].from = network.traffic[i].from;
        config.traffic[i].to = network.traffic[i].to;
        const unsigned first = config.traffic[i].from.front();
        if (is_plain(config, first)) config.traffic[i].workload = Workload::frames;
        if (is_verbs(config, first)) config.traffic[i].workload = Workload::verbs;
    }
    // A reaction that is not said is the longest of its link.
    for (const LinkConfig& link : config.links) {
        for (const Node& node : link.between) {
            if (node.kind == Node::Kind::host) config.hosts[node.index]->join(link.timing);
        }
    }
}

/// How long a transfer of the item takes on the slowest of its initiators' links; nothing where only one initiates.
Cycle one_transfer(const RunConfig& config, const TrafficConfig& item) {
    unsigned initiators = 0;
    Time per_byte{};
    for (const LinkConfig& link : config.links) {
        for (const Node& node : link.between) {
            if (node.kind != Node::Kind::host || item.responders(node.index).empty()) continue;
            ++initiators;
            per_byte = std::max(per_byte, link.timing.per_byte);
        }
    }
    if (initiators < 2) return {};
    const Time cycle = kGmiiClock.period();
    return {(per_byte.ps * item.size + cycle.ps - 1) / cycle.ps};
}

/// Hosts whose items have a scheme have a persistence path, whether it is written or not.
void give_persistence(RunConfig& config, Lookups& in) {
    const auto give = [&](unsigned host) {
        std::optional<PersistenceConfig>& path = verbs_of(config, host).host.persistence;
        if (!path) path = resolve_persistence(in.ends[host]);
    };
    for (const TrafficConfig& item : config.traffic) {
        if (item.verbs.scheme == PersistScheme::none) continue;
        for (const unsigned from : item.from) {
            give(from);
            for (const unsigned to : item.responders(from)) give(to);
        }
    }
}

}  // namespace

RunConfig resolve(const ParsedValues& values, const NetworkPlan& plan, const std::string& file, const Read& read) {
    check_form(values, plan);
    RunConfig config;
    Network network;
    if (plan.present()) {
        network = expand(plan, values, file);
        check_items_exist(plan, network, values);
    } else {
        check_in_vain(values);
    }
    Lookups in = plan.present() ? lookups_of(plan, network, values, file) : lookups_of_two(values, file);
    for (std::size_t host = 0; host < in.ends.size(); ++host) {
        const auto personality = plan.present() ? network.hosts[host].personality : Network::Host::Personality::drp;
        if (plan.present()) static_cast<void>(in.ends[host].word("system.rnic.personality"));  // expand() has asked
        switch (personality) {
            case Network::Host::Personality::drp:
                config.hosts.emplace_back(DrpEndConfig(resolve_host(in.ends[host]), resolve_rnic(in.ends[host])));
                break;
            case Network::Host::Personality::rc: config.hosts.emplace_back(resolve_verbs(in.ends[host])); break;
            case Network::Host::Personality::plain: config.hosts.emplace_back(resolve_plain(in.ends[host])); break;
        }
    }
    for (Lookup& of : in.switches) config.switches.push_back(resolve_switch(of));
    config.links.clear();
    for (Lookup& link : in.links) config.links.push_back(resolve_link(link));
    config.traffic.clear();
    for (Lookup& item : in.traffic) config.traffic.push_back(resolve_traffic(item));
    resolve_simulation(in.common, config);
    if (plan.present()) {
        name_parts(network, config);
        check_personalities(config, in, values);
        for (std::size_t i = 0; i < config.traffic.size(); ++i) {
            TrafficConfig& item = config.traffic[i];
            keep_to_workload(item, in.traffic[i].u32("run.size"));
            if (in.traffic[i].number("run.random_start") == kWord) item.random_start = one_transfer(config, item);
        }
        give_persistence(config, in);
        check_stations(config, in);
        check_verbs(config, in);
        check_network(config, in);
        check_switches(config, in);
    } else {
        check_verbs(config, in);
        config.traffic[0].between_two(static_cast<Direction>(in.common.number("run.direction")));
    }
    check_rules(config, in);
    check_ends_talk(config, in);
    if (read) read(config, in);
    return config;
}

std::uint32_t resolve_repetitions(const ParsedValues& values) { return Lookup(values, "").u32("run.repetitions"); }

std::vector<std::string> resolved_keys() {
    const ParsedValues none;
    Lookup in(none, "");
    static_cast<void>(resolve_host(in));
    static_cast<void>(resolve_rnic(in));
    static_cast<void>(resolve_verbs(in));
    static_cast<void>(resolve_plain(in));
    static_cast<void>(resolve_link(in));
    static_cast<void>(resolve_switch(in));
    static_cast<void>(resolve_traffic(in));
    RunConfig config;
    resolve_simulation(in, config);
    std::vector<std::string> keys;
    for (const auto& [key, path] : in.asked()) keys.push_back(key);
    // resolve() of two ends, resolve_repetitions(), and expand().
    keys.insert(keys.end(), {"run.direction", "run.repetitions", "system.hosts.*.count", "system.rnic.personality"});
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());  // a profile also says what a card is called
    return keys;
}

}  // namespace rnicsim
