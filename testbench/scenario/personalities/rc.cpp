// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/rc.h"

#include "model/rnic/rc/end/end_config.h"
#include "testbench/scenario/personalities/pcie.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

namespace rnicsim {

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

namespace {

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

constexpr std::array<std::string_view, 12> kRcKeys{".rnic.gmac.mtu",
                                                   ".rnic.gmac.pause_reaction",
                                                   ".rnic.gmac.tx_latency",
                                                   ".rnic.gmac.rx_latency",
                                                   ".rnic.clock",
                                                   ".rnic.pcie.",
                                                   ".rnic.rc.",
                                                   ".host.memory.",
                                                   ".host.clock",
                                                   ".host.verbs.",
                                                   ".host.persistence.",
                                                   ".host.software.interrupt_latency"};

class Rc final : public Personality {
  public:
    [[nodiscard]] std::string_view name() const override { return "rc"; }
    [[nodiscard]] Workload workload() const override { return Workload::verbs; }
    [[nodiscard]] std::unique_ptr<EndConfig> resolve(Lookup& in) const override {
        return std::make_unique<VerbsEndConfig>(resolve_verbs(in));
    }
    [[nodiscard]] bool has_key(std::string_view rest) const override {
        return is_of_all_hosts(rest) || is_among(kRcKeys, rest);
    }
    [[nodiscard]] std::string_view why_not() const override {
        return "has a RoCEv2 RNIC: expected it of hosts with a DRP RNIC";
    }
    [[nodiscard]] std::span<const UnreadRule> unread() const override { return unread_of_verbs_hosts(); }
};

}  // namespace

const Personality& rc_personality() {
    static const Rc kOne;
    return kOne;
}

}  // namespace rnicsim
