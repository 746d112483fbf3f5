#include "testbench/scenario/persist_rules.h"

#include <algorithm>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

bool has_scheme(const TrafficConfig& item) { return item.verbs.scheme != PersistScheme::none; }

/// What WRITE_PERSISTs have, and nobody else.
void check_marks(const TrafficConfig& item, Lookup& in) {
    for (const char* const key : {"run.mark", "run.acks", "run.pack"}) {
        const bool as_it_was = in.text(key) == find_key(key)->fallback;
        if (as_it_was || item.verbs.scheme == PersistScheme::fig10) continue;
        in.refuse(key, "run.scheme",
                  "has no effect beside scheme " + in.text("run.scheme") +
                      ": expected fig10, which "
                      "has WRITE_PERSISTs");
    }
    if (item.verbs.persist.pack == rc::PersistPack::psn_only && !item.verbs.persist.two_acks) {
        in.refuse("run.pack", "run.acks",
                  "found 'psn_only', expected opcode beside acks: 1: nobody could tell the PACK from an ACK of what is "
                  "behind it");
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
    constexpr std::uint32_t kLeast = 8;  // bytes: what a READ in place of a flush reads
    if (item.size < kLeast) {
        in.refuse("run.size", "run.scheme",
                  "found '" + in.text("run.size") + "', expected at least 8 B beside a scheme");
    }
}

}  // namespace

void check_persists(const RunConfig& config, Lookups& in) {
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
        };
        for (const unsigned from : item.from) {
            check(from);
            for (const unsigned to : item.responders(from)) check(to);
        }
    }
}

}  // namespace rnicsim
