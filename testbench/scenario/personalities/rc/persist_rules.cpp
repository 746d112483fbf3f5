// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/rc/persist_rules.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rtl/contract.h"
#include "testbench/scenario/personalities/rc/verbs_item_rules.h"
#include "testbench/scenario/personalities/rc/verbs_times.h"

#include <algorithm>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

bool has_scheme(const TrafficConfig& item) { return item.verbs.scheme != PersistScheme::none; }

/// What some schemes have, and others not.
void check_marks(const TrafficConfig& item, Lookup& in) {
    const PersistScheme scheme = item.verbs.scheme;
    struct Of {
        const char* key;
        bool has;
        const char* expected;
    };
    for (const Of& of :
         {Of{"run.mark", has_write_persist(scheme), "fig10 or fig11, which have WRITE_PERSISTs"},
          Of{"run.acks", scheme == PersistScheme::fig10, "fig10; of the other WRITE_PERSISTs, fig11's, there are two"},
          Of{"run.pack", has_write_persist(scheme), "fig10 or fig11, which have WRITE_PERSISTs"},
          Of{"run.region_table", has_scheme(item), "another one, or region_table: ahead"},
          Of{"run.read_back", has_read_back(scheme), "fig2 or apm, which have READs"},
          Of{"run.behind", scheme == PersistScheme::fig10, "fig10"},
          Of{"run.receives_ahead", is_by_processor(scheme), "fig3, fig11 or gpspm, which have receive WQEs"}}) {
        if (of.has || in.text(of.key) == find_key(of.key)->fallback) continue;
        in.refuse(of.key, "run.scheme",
                  "has no effect beside scheme " + in.text("run.scheme") + ": expected " + of.expected);
    }
    if (item.verbs.write_behind && item.verbs.persist.mark == rc::PersistMark::range) {
        in.refuse(
            "run.behind", "run.mark",
            "found 'write', expected mark: opcode: where the region marks them, that WRITE is a WRITE_PERSIST, too");
    }
    if (item.verbs.persist.pack == rc::PersistPack::psn_only && !item.verbs.unsafe) {
        in.refuse(
            "run.pack", "run.scheme",
            "found 'psn_only', expected opcode: an ACK that is lost or merged is waited for for ever, and one that "
            "is copied, answers a repeat or stands for what is behind is taken for a PACK; run.unsafe: true runs "
            "it, to see what it does");
    }
}

/// A scheme says what is posted, and when.
void check_scheme(const TrafficConfig& item, Lookup& in) {
    if (!item.verbs.mix.empty()) {
        in.refuse(mix_key(item.verbs.mix.front().verb), "run.scheme",
                  "found a mix beside a scheme, expected one of the two");
    }
    for (const char* const key : {"run.operation", "run.service", "run.pattern", "run.outstanding", "run.regions",
                                  "run.signal_every", "run.sizes"}) {
        const std::string text = in.text(key);
        if (text == find_key(key)->fallback || (std::string_view(key) == "run.sizes" && item.verbs.sizes.empty()))
            continue;
        in.refuse(key, "run.scheme",
                  "found '" + text + "', expected '" + std::string(find_key(key)->fallback) + "' beside a scheme");
    }
    if (item.verbs.scheme == PersistScheme::ack && !item.verbs.unsafe) {
        in.refuse("run.scheme", "run.scheme",
                  "found 'ack', expected another: an ACK says that the responder's card has the data, not that a power "
                  "cut leaves them; run.unsafe: true runs it, to see what it does");
    }
    constexpr std::uint32_t kLeast = 8;  // bytes: what a READ in place of a flush reads
    if (item.size < kLeast) {
        in.refuse("run.size", "run.scheme",
                  "found '" + in.text("run.size") + "', expected at least 8 B beside a scheme");
    }
}

/// Does what an initiator with this scheme is told hold on this host? A flush read ends when writes before it have left
/// the IIO for where their route leads: in the LLC they last only if that does.
void check_domain(const RunConfig& config, const TrafficConfig& item, unsigned host, Lookup& in) {
    if (item.verbs.unsafe) return;
    const VerbsEndConfig& of = verbs_of(config, host);
    const PersistenceConfig& path = *of.host.persistence;
    const rc::PersistConfig& card = of.card.transport.persist;
    const std::string scheme(kPersistSchemes.at(static_cast<std::size_t>(item.verbs.scheme)));
    const auto refuse = [&](const std::string& key, const std::string& expected) {
        in.refuse(key, "run.scheme",
                  "found '" + in.text(key) + "' on '" + config.names[host] + "' beside scheme " + scheme +
                      ", expected " + expected + "; run.unsafe: true runs it, to see what it does");
    };
    const std::string persistence = "system.host.persistence.", pm = "system.rnic.rc.pm.";
    if (path.domain == Domain::none)
        refuse(persistence + "domain", "adr, eadr or wsp: nobody is told when data leave the memory controller");
    const bool past_llc = !path.ddio || (path.no_snoop_write && card.data_no_snoop);
    if (past_llc && path.no_snoop == NoSnoop::literal && path.llc.dirty) {
        refuse(persistence + "no_snoop",
               "hint: the LLC's dirty copy of a line stays, and overwrites what is newer when it leaves");
    }
    using enum PersistScheme;
    if (is_by_processor(item.verbs.scheme)) {
        if (card.relaxed_cqe)
            refuse(pm + "relaxed_cqe", "false: the CQE may pass data, which are then not there to flush");
        return;
    }
    if (!past_llc && path.domain < Domain::eadr) {
        refuse(persistence + "ddio",
               "false, or domain eadr or wsp, or no_snoop_write with rnic.rc.pm.data_no_snoop, or scheme fig3, fig11 "
               "or gpspm: its read ends when data are in the LLC, which a power cut empties");
    }
    if (item.verbs.scheme != fig10 && item.verbs.scheme != flush) return;
    if (card.read_bypass) refuse(pm + "read_bypass", "false: the flush read leaves before the last bytes");
    if (card.flush_class != 0) refuse(pm + "flush_class", "0: a read of another traffic class passes data");
}

/// A WRITE_PERSIST that is received is repeated until its PACK comes, which may be lost.
void check_repeats(const RunConfig& config, const TrafficConfig& item, Lookups& in) {
    const bool waits = has_write_persist(item.verbs.scheme) && item.verbs.persist.acknowledges_reception();
    if (!waits || item.verbs.unsafe) return;
    const Routes routes(config.names.size(), config.switches.size(), config.links);
    for (const unsigned from : item.from) {
        if (verbs_of(config, from).card.transport.persist.timer != Time{}) continue;
        for (const unsigned to : item.responders(from)) {
            if (is_kept(config, item, routes, from, to) && is_kept(config, item, routes, to, from)) continue;
            const Time answer = answer_time(config, routes, from, to) + firmware_time(item.verbs, verbs_of(config, to));
            in.ends[from].refuse("system.rnic.rc.pm.timer", "run.scheme",
                                 "found '" + in.ends[from].text("system.rnic.rc.pm.timer") + "' on '" +
                                     config.names[from] + "', expected more than " +
                                     write_limit(*find_key("system.rnic.rc.pm.timer"), answer.ps) +
                                     ": between it and '" + config.names[to] +
                                     "' a PACK may be lost, and is waited for for ever; run.unsafe: true runs it, to "
                                     "see what it does");
        }
    }
}

/// Are there receive WQEs when something comes for which one is taken?
void check_receives(const RunConfig& config, const TrafficConfig& item, Lookup& in, Lookups& of_hosts) {
    const ReceivesAhead ahead = item.verbs.receives_ahead;
    if (!is_by_processor(item.verbs.scheme) || item.verbs.unsafe) return;
    const char* const unsafe = "; run.unsafe: true runs it, to see what it does";
    if (ahead == ReceivesAhead::initiator) {
        in.refuse("run.receives_ahead", "run.scheme",
                  std::string("found 'initiator', expected both or responder: the responder's program gets no message, "
                              "and so posts no receive WQE") +
                      unsafe);
    }
    if (item.verbs.scheme != PersistScheme::fig11 || ahead == ReceivesAhead::both) return;
    for (const unsigned from : item.from) {
        const rc::PersistConfig& card = verbs_of(config, from).card.transport.persist;
        if (card.hold >= item.verbs.depth || card.timer != Time{}) continue;
        of_hosts.ends[from].refuse(
            "system.rnic.rc.pm.hold", "run.scheme",
            "found '" + of_hosts.ends[from].text("system.rnic.rc.pm.hold") + "' on '" + config.names[from] +
                "', expected at least the depth, " + std::to_string(item.verbs.depth) +
                ", or run.receives_ahead: both, or a pm.timer: a PACK that comes before its receive WQE is lost for "
                "ever" +
                unsafe);
    }
}

}  // namespace

void check_persist_timer(const RunConfig& config, const Routes& routes, Time firmware, unsigned from, unsigned to,
                         Lookup& in) {
    const Time timer = verbs_of(config, from).card.transport.persist.timer;
    const Time answer = answer_time(config, routes, from, to) + firmware;
    if (timer == Time{} || timer > answer) return;
    const std::string key = "system.rnic.rc.pm.timer";
    in.refuse(key, "system.link.delay",
              "found '" + in.text(key) + "', expected 0 ns, which is never, or more than " +
                  write_limit(*find_key(key), answer.ps) + ": no PACK from '" + config.names[to] +
                  "' comes sooner, and what is on its way is repeated for ever; run.unsafe: true runs it, to see what "
                  "it does");
}

void check_persist_module(const RunConfig& config, Lookups& in) {
    for (const unsigned host : verbs_hosts(config)) {
        const rc::CardConfig& card = verbs_of(config, host).card;
        if (!card.in_verilog.persist_module || card.transport.persist.capacity == rtl_contract::kPersistsHeld) continue;
        in.ends[host].refuse("system.rnic.rc.pm.capacity", "system.rnic.rc.simulated_by.persist_module",
                             "found '" + in.ends[host].text("system.rnic.rc.pm.capacity") +
                                 "', expected what system.rnic.rc.simulated_by.persist_module (rtl) has built in: " +
                                 std::to_string(rtl_contract::kPersistsHeld));
    }
}

void check_persists(const RunConfig& config, Lookups& in) {
    check_persist_module(config, in);
    std::vector<const TrafficConfig*> plain(config.names.size());  // by host: an item without a scheme
    for (const TrafficConfig& item : config.traffic) {
        if (has_scheme(item)) continue;
        for (const unsigned from : item.from) {
            plain[from] = &item;
            for (const unsigned to : item.responders(from)) plain[to] = &item;
        }
    }
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        check_marks(item, in.traffic[i]);
        if (!has_scheme(item)) continue;
        check_scheme(item, in.traffic[i]);
        check_repeats(config, item, in);
        check_receives(config, item, in.traffic[i], in);
        const auto check = [&](unsigned host) {
            if (plain[host] != nullptr) {
                in.traffic[i].refuse("run.scheme", "run.scheme",
                                     "'" + config.names[host] + "' has the item '" + plain[host]->name +
                                         "' as well, which has none: expected a host to have one kind");
            }
            if (verbs_of(config, host).host.shared_receives != 0) {
                in.ends[host].refuse("system.host.verbs.receive_queues", "run.scheme",
                                     "found 'shared', expected own beside a scheme");
            }
            if (verbs_of(config, host).host.threads > 1) {
                in.ends[host].refuse("system.host.verbs.threads", "run.scheme",
                                     "found '" + in.ends[host].text("system.host.verbs.threads") + "' on '" +
                                         config.names[host] + "', expected 1 beside a scheme");
            }
        };
        for (const unsigned from : item.from) {
            check(from);
            for (const unsigned to : item.responders(from)) {
                check(to);
                check_domain(config, item, to, in.ends[to]);
            }
        }
    }
}

}  // namespace rnicsim
