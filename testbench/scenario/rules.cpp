// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/rules.h"

#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/drp/policies/data_timer_rule.h"
#include "model/rtl/contract.h"
#include "testbench/scenario/personalities/drp/block_keys.h"
#include "testbench/scenario/personalities/drp/late_frames.h"
#include "tlm/ethernet/frame.h"
#include "tlm/time/clock.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

constexpr Cycle kShortestTransfer{252};  // three frames of 64 B, each with preamble, SFD and gap: 84

/// Rules inside one end.
void check_end(const DrpEndConfig& end, Lookup& in) {
    const TransportConfig& t = end.rnic.transport;
    constexpr std::uint32_t kMtu = 1500;  // its buffers hold frames of that
    if (end.rnic.gmac.mtu > kMtu) {
        in.refuse("system.rnic.gmac.mtu", "system.rnic.gmac.mtu",
                  "found '" + in.text("system.rnic.gmac.mtu") + "', expected at most 1500 B: a DRP RNIC has no more");
    }
    if (t.segment + 32 > end.rnic.gmac.mtu) {
        in.refuse("system.rnic.drp.segment", "system.rnic.gmac.mtu",
                  "found '" + in.text("system.rnic.drp.segment") +
                      "', expected at most the MTU less 32 bytes of "
                      "header: " +
                      std::to_string(end.rnic.gmac.mtu < 33 ? 0 : end.rnic.gmac.mtu - 32) + " B");
    }
    const std::uint32_t slot = (t.segment + 7) / 8 * 8;  // PROTOCOL.md 6.5
    if (t.indirect_buffer != 0 && t.indirect_buffer < slot) {
        in.refuse("system.rnic.drp.indirect_buffer", "system.rnic.drp.segment",
                  "found '" + in.text("system.rnic.drp.indirect_buffer") +
                      "', expected 0 B or at least one segment, in words of 8 bytes: " + std::to_string(slot) + " B");
    }
    constexpr std::int64_t kSlowest = 1'000'000;
    if (end.host.bridge.bytes_per_second != 0 && end.host.bridge.bytes_per_second < kSlowest) {
        in.refuse("system.host.bridge.bandwidth", "system.host.bridge.bandwidth",
                  "found '" + in.text("system.host.bridge.bandwidth") + "', expected 0 MB/s or at least 1 MB/s");
    }
    const MemoryPoolConfig& pool = end.host.registration.pool;
    if (pool.size != 0 && pool.held > pool.size) {
        in.refuse("system.host.registration.pool.held", "system.host.registration.pool.size",
                  "found '" + in.text("system.host.registration.pool.held") +
                      "', expected at most the pool's size: " + in.text("system.host.registration.pool.size"));
    }
    for (const std::uint32_t size : end.host.ping.sizes) {
        if (size > end.rnic.gmac.mtu) {
            in.refuse("system.host.ping.sizes", "system.rnic.gmac.mtu",
                      "found " + std::to_string(size) +
                          " B, expected at most the MTU: " + std::to_string(end.rnic.gmac.mtu) + " B");
        }
    }
}

/// Verilog has its latencies and sizes built in: the scenario may not ask for others. The core has those of its blocks.
void check_rtl(const DrpEndConfig& end, Lookup& in) {
    const auto needs = [&](Block of, const std::string& path, std::int64_t found, std::int64_t least,
                           std::int64_t most) {
        if (least <= found && found <= most) return;
        for (const Block block : {of, Block::rnic_core}) {
            const std::string& name = end.rnic.blocks[block];
            if (name == "model") continue;
            const std::string key = block_key(block);
            const Key& limited = *find_key(path);
            const auto text = [&](std::int64_t n) {  // of a time: its cycles
                return write_limit(limited, limited.kind == Kind::picoseconds ? kGmiiClock.time(Cycle{n}).ps : n);
            };
            const std::string bound = least == most ? text(least) : text(least) + " .. " + text(most);
            in.refuse(path, in.written(key) ? key : std::string(kRnicBlocks),
                      "found '" + in.text(path) + "', expected what " + key + " (" + name + ") has built in: " + bound);
        }
    };
    const auto rule = [&](Block by, const std::string& key, std::initializer_list<std::string_view> known) {
        const std::string path = "system.rnic.drp." + key;
        const std::string found = in.text(path);
        if (std::ranges::find(known, found) != known.end()) return;
        for (const Block block : {by, Block::rnic_core}) {
            const std::string& name = end.rnic.blocks[block];
            if (name == "model") continue;
            const std::string of = block_key(block);
            in.refuse(path, in.written(of) ? of : std::string(kRnicBlocks),
                      "found '" + found + "', expected what " + of + " (" + name +
                          ") has built in: " + std::string(*known.begin()));
        }
    };
    rule(Block::transport_controller, "mode_choice", {"paper"});
    rule(Block::transport_controller, "acknowledgement", {"each"});
    rule(Block::transport_controller, "buffer_admission", {"any"});
    rule(Block::transport_controller, "retransmission", {"selective_repeat", "go_back_n"});
    rule(Block::transport_controller, "data_timer_rule", {"fixed"});
    rule(Block::transport_controller, "window_rule", {"fixed"});
    rule(Block::transport_controller, "resume_rule", {"window_full"});
    rule(Block::transport_controller, "busy_answer", {"false"});
    rule(Block::indirect_buffer, "bulk_drain", {"true"});
    const auto built = [&](Block block, const std::string& path, std::int64_t found, std::int64_t value) {
        needs(block, path, found, value, value);
    };
    const GmacConfig& mac = end.rnic.gmac;
    built(Block::gmac, "system.rnic.gmac.tx_latency", mac.tx_latency.n, rtl_contract::kGmacTxLatency.n);
    built(Block::gmac, "system.rnic.gmac.rx_latency", mac.rx_latency.n, rtl_contract::kGmacRxLatency.n);
    built(Block::gmac, "system.rnic.gmac.interpacket_gap", mac.interpacket_gap.n, rtl_contract::kInterpacketGap.n);
    built(Block::gmac, "system.rnic.gmac.mtu", mac.mtu, rtl_contract::kMtu);
    built(Block::frame_filter, "system.rnic.frame_filter.latency", end.rnic.filter.latency.n,
          rtl_contract::kFilterLatency.n);
    const TransportConfig& t = end.rnic.transport;
    const std::string transport = "system.rnic.drp.";
    constexpr std::int64_t kLongest = rtl_contract::kLongestTimer.n;
    built(Block::transport_controller, transport + "decision", t.decision.n, rtl_contract::kDecision.n);
    built(Block::transport_controller, transport + "table_entries", t.table_entries, rtl_contract::kTableEntries);
    needs(Block::transport_controller, transport + "window", t.window, 1, rtl_contract::kLargestWindow);
    needs(Block::transport_controller, transport + "request_timer", t.request_timer.n, 1, kLongest);
    needs(Block::transport_controller, transport + "data_timer", t.data_timer.n, 1, kLongest);
    needs(Block::transport_controller, transport + "release_timer", t.release_timer.n, 1, kLongest);
    needs(Block::transport_controller, transport + "idle_timeout", t.idle_timeout.n, 1, kLongest);
    needs(Block::transport_controller, transport + "tx_buffer", t.tx_buffer, 1518,
          std::int64_t{1518} * rtl_contract::kTxBuffers);
    const std::int64_t slots = std::int64_t{rtl_contract::kIndirectSlots} * 8 * std::int64_t{(t.segment + 7) / 8};
    needs(Block::indirect_buffer, transport + "indirect_buffer", t.indirect_buffer, 0,
          std::min<std::int64_t>(rtl_contract::kIndirectBytes, slots + 7));
    needs(Block::dma_engine, "system.rnic.pcie.request_overhead", end.rnic.pcie.request_overhead.n,
          rtl_contract::kDmaLeastOverhead.n, rtl_contract::kDmaMostOverhead.n);
    // The core's own.
    const PcieConfig& pcie = end.rnic.pcie;
    needs(Block::rnic_core, "system.rnic.pcie.request_overhead", pcie.request_overhead.n,
          rtl_contract::kCoreLeastOverhead.n, rtl_contract::kDmaMostOverhead.n);
    needs(Block::rnic_core, "system.rnic.pcie.generation", pcie.generation, 1, rtl_contract::kCoreFastestGeneration);
    needs(Block::rnic_core, "system.rnic.pcie.lanes", pcie.lanes, 1,
          rtl_contract::kCoreFastestGeneration / pcie.generation);
    needs(Block::rnic_core, transport + "tx_buffer", t.tx_buffer, 1518,
          std::int64_t{1518} * rtl_contract::kCoreTxBuffers);
    needs(Block::rnic_core, transport + "rx_buffer", t.rx_buffer, 1518,
          std::int64_t{1518} * (rtl_contract::kCoreRxBuffers + 1) - 1);
}

/// Control frames may not come faster than the wire carries them away: the core's queue of them is finite. Each end
/// answers the other's requests, so the timers of both ends matter if either has the core in Verilog.
void check_core_timers(const RunConfig& config, unsigned host, Lookup& in) {
    const DrpEndConfig& end = drp_of(config, host);
    const auto has_core = [](const DrpEndConfig& e) { return e.rnic.blocks[Block::rnic_core] != "model"; };
    const auto ends = drp_ends(config);
    const auto with = std::ranges::find_if(ends, has_core);
    if (with == ends.end()) return;
    const std::string& core = with->get().rnic.blocks[Block::rnic_core];
    const std::int64_t transfers = transfers_at_once(config, host).all();
    const std::int64_t least = rtl_contract::kCoreLeastTimer.n * transfers;
    const auto check = [&](const char* name, Cycle found) {
        const std::string path = std::string("system.rnic.drp.") + name;
        if (found.n >= least) return;
        in.refuse(path, block_key(Block::rnic_core),
                  "found '" + in.text(path) + "', expected for simulation.rnic_core (" + core + ") and " +
                      (transfers == 1 ? "one transfer" : std::to_string(transfers) + " transfers") +
                      " at once at least " + write_limit(*find_key(path), least));
    };
    check("request_timer", end.rnic.transport.request_timer);
    check("data_timer", end.rnic.transport.data_timer);
    check("release_timer", end.rnic.transport.release_timer);
}

void check_link(const LinkConfig& link, Lookup& in) {
    if (link.down.probability > 0 && link.down.duration > link.down.period) {
        in.refuse("system.link.down.duration", "system.link.down.period",
                  "found '" + in.text("system.link.down.duration") +
                      "', expected at most the period: " + in.text("system.link.down.period"));
    }
}

/// Links between two hosts: at most one more than there are switches.
std::int64_t most_hops(const RunConfig& config) { return static_cast<std::int64_t>(config.switches.size()) + 1; }

/// The link of a host without a DRP RNIC: no transfer crosses it.
bool without_transfers(const RunConfig& config, const LinkConfig& link) {
    return std::ranges::any_of(
        link.between, [&](const Node& node) { return node.kind == Node::Kind::host && !is_drp(config, node.index); });
}

/// A responder remembers as many released transfers as its table has entries (model/README.md): a frame that comes
/// after so many others could begin its transfer anew. A transfer sends at least REQ, DATA or "ready", and REL in one
/// direction.
void check_lateness(const RunConfig& config, Lookups& lookups) {
    std::vector<Lookup>& ends = lookups.ends;
    Time late;
    std::size_t by = 0;
    for (std::size_t i = 0; i < config.links.size(); ++i) {
        const LinkConfig& link = config.links[i];
        if ((link.duplication <= 0 && link.reordering <= 0) || link.lateness <= late) continue;
        if (without_transfers(config, link)) continue;
        late = link.lateness;
        by = i;
    }
    late = late * most_hops(config);
    for (const unsigned i : drp_hosts(config)) {
        const std::uint32_t entries = drp_of(config, i).rnic.transport.table_entries;
        const Cycle most{(kShortestTransfer * entries).n / most_hops(config)};
        if (late <= kGmiiClock.time(kShortestTransfer * entries)) continue;
        Lookup& link = config.network ? lookups.links[by] : ends[i];
        link.refuse("system.link.lateness", "system.rnic.drp.table_entries",
                    "found '" + link.text("system.link.lateness") + "', expected at most " +
                        write_limit(*find_key("system.link.lateness"), most.n) + ": a responder with " +
                        ends[i].text("system.rnic.drp.table_entries") +
                        " table entries remembers no more transfers than can end in that time");
    }
}

/// How late an end finds an expired timer: its scanner takes a lap of the table, with a decision about each transfer
/// in it.
Cycle scanner_lap(const RunConfig& config, unsigned host) {
    const TransportConfig& t = drp_of(config, host).rnic.transport;
    return Cycle{t.table_entries} +
           t.decision * std::min<std::int64_t>(transfers_at_once(config, host).all(), t.table_entries);
}

Cycle longest_data_timer(const TransportConfig& t) {
    return t.data_timer_rule->measures() ? t.data_timer * kLongestDataTimer : t.data_timer;
}

/// How long a transfer is tried at most: what a responder must remember.
struct Tried {
    unsigned here = 0, peer = 0;
    const char* timer = "";
    const char* tries = "";
    Cycle lap, trying, both_ways;
    [[nodiscard]] Cycle all() const { return trying + both_ways; }
};

/// A try ends when the scanner has found its timer; the last answer crosses the link in both directions.
Tried longest_tried(const RunConfig& config, const LateFrames& late, unsigned here, unsigned peer) {
    const TransportConfig& there = drp_of(config, peer).rnic.transport;
    const Cycle lap = scanner_lap(config, peer);
    const Cycle both_ways = kGmiiClock.edge(late.between(here, peer) + late.between(peer, here));
    const std::int64_t repeated = std::int64_t{there.max_retransmissions} + 1;
    Tried longest;
    const auto try_for = [&](const char* timer, Cycle length, std::int64_t times, const char* tries) {
        const Tried one{here, peer, timer, tries, lap, (length + lap) * times, both_ways};
        if (one.all() > longest.all()) longest = one;
    };
    try_for("request_timer", there.request_timer, there.max_requests, "max_requests");
    try_for("data_timer", longest_data_timer(there), repeated, "(max_retransmissions + 1)");
    try_for("release_timer", there.release_timer, repeated, "(max_retransmissions + 1)");
    return longest;
}

/// What else helps, where a switch holds frames for long: the largest buffer with which they come both ways in time.
std::string less_buffer(const RunConfig& config, const LateFrames& late, const Tried& tried, Cycle in_time) {
    constexpr std::int64_t kStepBytes = 1024, kLeast = 2;
    const LateFrames::Parts to = late.parts(tried.peer, tried.here), back = late.parts(tried.here, tried.peer);
    const std::size_t number = to.there > back.there ? to.slowest : back.slowest;
    if (config.switches.empty() || std::max(to.there, back.there) == Time{}) return "";
    RunConfig other = config;
    const auto fits = [&](std::int64_t steps) {
        other.switches[number].buffer = steps * kStepBytes;
        const LateFrames with(other);
        return kGmiiClock.edge(with.between(tried.here, tried.peer) + with.between(tried.peer, tried.here)) < in_time;
    };
    std::int64_t good = kLeast, bad = config.switches[number].buffer / kStepBytes + 1;
    if (!fits(good)) return "";
    while (bad - good > 1) (fits((good + bad) / 2) ? good : bad) = (good + bad) / 2;
    const std::string key = "system.switch.buffer";
    const Key& timer = *find_key("system.rnic.drp.idle_timeout");
    return ", " + write_limit(timer, kGmiiClock.edge(std::max(to.there, back.there)).n) + " of it behind what '" +
           config.switches[number].name + "' may hold; expected that, or " +
           path_in("system.switches." + config.switches[number].name, key) + " of at most " +
           write_limit(*find_key(key), good * kStepBytes);
}

/// A responder must remember a transfer for longer than its initiator tries: late frames of a forgotten transfer only
/// lead to failures. Of several who have one value between them the one who needs most is told of.
void check_idle_timeout(const RunConfig& config, const LateFrames& late, Lookups& in) {
    const std::string path = "system.rnic.drp.idle_timeout";
    std::optional<Tried> worst;
    for (const unsigned here : drp_hosts(config)) {
        for (const unsigned peer : peers_of(config, here)) {
            const Tried one = longest_tried(config, late, here, peer);
            if (drp_of(config, here).rnic.transport.idle_timeout > one.all()) continue;
            const bool same = worst && in.ends[here].nearest_path(path) == in.ends[worst->here].nearest_path(path);
            if (!worst || (same && one.all() > worst->all())) worst = one;
        }
    }
    if (!worst) return;
    const Key& key = *find_key(path);
    Lookup& own = in.ends[worst->here];
    const Cycle remembered = drp_of(config, worst->here).rnic.transport.idle_timeout;
    own.refuse(path, std::string("system.rnic.drp.") + worst->timer,
               "found '" + own.text(path) + "', expected longer than the other end tries: " + worst->tries + " x " +
                   worst->timer + ", each found " + write_limit(key, worst->lap.n) +
                   " late at most, and the link both ways: " + write_limit(key, worst->all().n) +
                   less_buffer(config, late, *worst, remembered - worst->trying));
}

/// What one host asks for in all.
struct Asked {
    std::int64_t transfers = 0, in_flight = 0;
    std::uint32_t smallest = ~0U;
};
Asked asked_by(const RunConfig& config, unsigned host) {
    Asked sum;
    for (const TrafficConfig& item : config.traffic) {
        if (item.responders(host).empty()) continue;
        sum.transfers += item.transfers;
        sum.in_flight += item.in_flight;
        sum.smallest = std::min(sum.smallest, item.size);
    }
    return sum;
}

/// TIDs wrap after 65,536 transfers: by then the responder must have forgotten the first one, or it takes the new one
/// for it. Forgetting takes two idle timeouts: one until it gives the transfer up, one until it forgets that. Each
/// transfer takes at least three frames on the wire, or the work of either host's core for it.
void check_tids(const RunConfig& config, const LateFrames& late, unsigned here, unsigned peer, Lookup& in) {
    constexpr std::int64_t kTids = 65'536;
    const Asked workload = asked_by(config, peer);
    if (workload.transfers <= kTids) return;
    const HostConfig& host = drp_of(config, here).host;
    Cycle shortest = kShortestTransfer;
    // A full table ends transfers at once, and nobody registers for them.
    if (transfers_at_once(config, peer).all() <= drp_of(config, peer).rnic.transport.table_entries) {
        shortest = std::max(shortest, host.registration.time(workload.smallest) + host.software.command_cost +
                                          host.software.event_cost * 2);
    }
    const Cycle round = shortest * (kTids - workload.in_flight);
    const Cycle most{(round - kGmiiClock.edge(late.between(peer, here))).n / 2};
    if (drp_of(config, here).rnic.transport.idle_timeout <= most) return;
    const std::string path = "system.rnic.drp.idle_timeout";
    in.refuse(path, "run.transfers",
              "found '" + in.text(path) +
                  "', expected with more than 65,536 transfers at most half the time in which " +
                  "their TIDs come round: " + write_limit(*find_key(path), most.n));
}

/// The largest transfer that a host is asked for, and the item that it is of; 0 B: it is asked for none.
std::pair<std::uint32_t, std::size_t> largest_asked_of(const RunConfig& config, unsigned host) {
    std::pair<std::uint32_t, std::size_t> largest{0, 0};
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        const bool asked = !config.network || !item.initiators(host).empty();
        if (asked) largest = std::max(largest, {item.size, i});
    }
    return largest;
}

/// Rules across ends and sections.
void check_system(const RunConfig& config, Lookups& in) {
    for (std::size_t i = 0; i < config.links.size(); ++i) check_link(config.links[i], in.links[i]);
    check_lateness(config, in);
    const LateFrames late(config);
    check_idle_timeout(config, late, in);
    for (const unsigned i : drp_hosts(config)) {
        const TransportConfig& here = drp_of(config, i).rnic.transport;
        for (const unsigned peer : peers_of(config, i)) check_tids(config, late, i, peer, in.ends[i]);
        const MemoryPoolConfig& pool = drp_of(config, i).host.registration.pool;
        const auto [size, item] = largest_asked_of(config, i);
        if (pool.size != 0 && pool.size < size) {
            in.ends[i].refuse("system.host.registration.pool.size", "run.size",
                              "found '" + in.ends[i].text("system.host.registration.pool.size") +
                                  "', expected 0 B or at least one transfer: " + in.traffic[item].text("run.size"));
        }
        const Cycle timers =
            std::max({here.idle_timeout, here.request_timer, longest_data_timer(here), here.release_timer});
        const auto check_watchdog = [&](Cycle longest, const char* by, const std::string& what) {
            if (config.watchdog > kGmiiClock.time(longest)) return;
            in.common.refuse("simulation.watchdog", by,
                             "found '" + in.common.text("simulation.watchdog") + "', expected longer than " + what +
                                 ": " + write_limit(*find_key("simulation.watchdog"), longest.n));
        };
        check_watchdog(timers + scanner_lap(config, i), "system.rnic.drp.idle_timeout",
                       "every timer, as late as it can be found");
        const RegistrationConfig& registration = drp_of(config, i).host.registration;
        const bool retries = here.method == Method::dynamic && registration.failure > 0 &&
                             registration.retry->tries_after(1, registration.retry_interval).has_value();
        if (!retries) continue;
        check_watchdog(registration.retry_interval, "system.host.registration.retry_interval",
                       "system.host.registration.retry_interval");
    }
}

}  // namespace

void check_rules(const RunConfig& config, Lookups& in) {
    for (const unsigned i : drp_hosts(config)) {
        check_end(drp_of(config, i), in.ends[i]);
        check_rtl(drp_of(config, i), in.ends[i]);
    }
    check_system(config, in);
    for (const unsigned i : drp_hosts(config)) check_core_timers(config, i, in.ends[i]);
}

}  // namespace rnicsim
