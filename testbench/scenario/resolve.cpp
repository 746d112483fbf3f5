#include "testbench/scenario/resolve.h"

#include "testbench/scenario/ends_that_talk.h"
#include "testbench/scenario/lookup.h"
#include "testbench/scenario/rules.h"

#include <algorithm>
#include <array>
#include <string>
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
    t.segment = in.u32(section + "segment");
    t.window = in.u32(section + "window");
    t.retransmission = &retransmission(in.word(section + "retransmission"));
    t.duplicate_acks = in.u32(section + "duplicate_acks");
    t.request_timer = in.cycles(section + "request_timer");
    t.data_timer = in.cycles(section + "data_timer");
    t.release_timer = in.cycles(section + "release_timer");
    t.idle_timeout = in.cycles(section + "idle_timeout");
    t.max_requests = in.u32(section + "max_requests");
    t.max_retransmissions = in.u32(section + "max_retransmissions");
    t.mode_choice = &mode_choice(in.word(section + "mode_choice"));
    t.indirect_after_timeouts = in.u32(section + "indirect_after_timeouts");
    t.acknowledgement = &acknowledgement(in.word(section + "acknowledgement"));
    t.buffer_admission = &buffer_admission(in.word(section + "buffer_admission"));
    t.resume_on_valid_ack = in.number(section + "resume_on_valid_ack") != 0;
    t.bulk_drain = in.number(section + "bulk_drain") != 0;
    t.table_entries = in.u32(section + "table_entries");
    t.indirect_buffer = in.u32(section + "indirect_buffer");
    t.tx_buffer = in.u32(section + "tx_buffer");
    t.rx_buffer = in.u32(section + "rx_buffer");
    t.ordinary_share = in.fraction(section + "ordinary_share");
    t.decision = in.cycles(section + "decision");
    return t;
}

RnicConfig resolve_rnic(Lookup& in) {
    RnicConfig rnic;
    const std::string mac = "system.rnic.gmac.";
    rnic.gmac.tx_latency = in.cycles(mac + "tx_latency");
    rnic.gmac.rx_latency = in.cycles(mac + "rx_latency");
    rnic.gmac.interpacket_gap = in.cycles(mac + "interpacket_gap");
    rnic.gmac.mtu = in.u32(mac + "mtu");
    rnic.filter.latency = in.cycles("system.rnic.frame_filter.latency");
    const std::string pcie = "system.rnic.pcie.";
    rnic.pcie.generation = in.u32(pcie + "generation");
    rnic.pcie.lanes = in.u32(pcie + "lanes");
    rnic.pcie.max_payload = in.u32(pcie + "max_payload");
    rnic.pcie.max_read_request = in.u32(pcie + "max_read_request");
    rnic.pcie.read_completion_boundary = in.u32(pcie + "read_completion_boundary");
    rnic.pcie.tags = in.u32(pcie + "tags");
    rnic.pcie.latency = in.cycles(pcie + "latency");
    rnic.pcie.request_overhead = in.cycles(pcie + "request_overhead");
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

LinkConfig resolve_link(Lookup& in) {
    const std::string section = "system.link.";
    LinkConfig link;
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
    link.down.probability = in.fraction(section + "down.probability");
    link.down.period = in.time(section + "down.period");
    link.down.duration = in.time(section + "down.duration");
    return link;
}

/// What is not an end's own.
void resolve_run(Lookup& in, RunConfig& config) {
    config.link = resolve_link(in);
    config.workload.operation = static_cast<OperationMix>(in.number("run.operation"));
    config.workload.direction = static_cast<Direction>(in.number("run.direction"));
    config.workload.size = in.u32("run.size");
    config.workload.transfers = in.u32("run.transfers");
    config.workload.in_flight = in.u32("run.in_flight");
    config.seed = static_cast<std::uint64_t>(in.number("simulation.seed"));
    config.watchdog = in.cycles("simulation.watchdog");
}

}  // namespace

RunConfig resolve(const ParsedValues& values, std::span<const Method> methods, const std::string& file) {
    for (const auto& [path, written] : values) {
        if (!may_differ_by_end(path)) continue;
        if (values.contains(path_of_end(path, "a")) && values.contains(path_of_end(path, "b"))) {
            reject(written.where, path,
                   "has no effect, both ends have a value of their own; expected it or one of them");
        }
    }
    Lookup common(values, file, "");
    std::array<Lookup, 2> ends{Lookup(values, file, "a"), Lookup(values, file, "b")};
    RunConfig config;
    for (unsigned i = 0; i < 2; ++i) config.ends[i] = {resolve_host(ends[i]), resolve_rnic(ends[i])};
    resolve_run(common, config);
    check_rules(config, ends, common);
    check_ends_talk(config, methods, ends, common);
    return config;
}

std::uint32_t resolve_repetitions(const ParsedValues& values) { return Lookup(values, "", "").u32("run.repetitions"); }

std::vector<std::string> resolved_keys() {
    const ParsedValues none;
    Lookup in(none, "", "");
    static_cast<void>(resolve_host(in));
    static_cast<void>(resolve_rnic(in));
    RunConfig config;
    resolve_run(in, config);
    std::vector<std::string> keys(in.asked().begin(), in.asked().end());
    keys.emplace_back("run.repetitions");  // resolve_repetitions()
    std::ranges::sort(keys);
    return keys;
}

}  // namespace rnicsim
