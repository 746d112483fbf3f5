// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/drp.h"

#include "model/rnic/drp/end/end_config.h"
#include "testbench/scenario/personalities/pcie.h"

#include <array>
#include <string>
#include <utility>

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

constexpr std::array<std::string_view, 6> kNotOfDrp{
    ".rnic.gmac.pause_reaction", ".rnic.clock", ".rnic.rc.", ".host.clock", ".host.verbs.", ".host.persistence."};

class Drp final : public Personality {
  public:
    [[nodiscard]] std::string_view name() const override { return "drp"; }
    [[nodiscard]] Workload workload() const override { return Workload::transfers; }
    [[nodiscard]] std::unique_ptr<EndConfig> resolve(Lookup& in) const override {
        HostConfig host = resolve_host(in);  // in the order of the reference: the first fault is told
        return std::make_unique<DrpEndConfig>(std::move(host), resolve_rnic(in));
    }
    [[nodiscard]] bool has_key(std::string_view rest) const override {
        return is_of_all_hosts(rest) || !is_among(kNotOfDrp, rest);
    }
    [[nodiscard]] std::string_view why_not() const override {
        return "has a DRP RNIC: expected it of hosts with another personality";
    }
    [[nodiscard]] std::span<const UnreadRule> unread() const override { return unread_of_drp_hosts(); }
};

}  // namespace

const Personality& drp_personality() {
    static const Drp kOne;
    return kOne;
}

}  // namespace rnicsim
