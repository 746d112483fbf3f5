// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/persistence/persist_cuts.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "testbench/workloads/persistence/cut_words.h"
#include "tlm/wakeup.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace rnicsim {

PersistCuts::PersistCuts(const RunConfig& config, const VerbsLayout& layout, unsigned host, CutObserver* rows)
    : config_(config) {
    for (const VerbsLayout::Connection& plan : layout.persists) {
        const unsigned there = plan.ends[1].host;
        auto known = std::ranges::find(hosts_, there, [](const auto& of) { return of->host; });
        if (known == hosts_.end()) {
            hosts_.push_back(std::make_unique<OfHost>(*this, there, verbs_of(config, there).host.persistence->domain,
                                                      there == host ? rows : nullptr));
            known = hosts_.end() - 1;
        }
        (*known)->connections.push_back(connections_.size());
        const rc::RcConfig& card = verbs_of(config, there).card.transport;
        connections_.push_back({&plan, known->get(), card.retransmission->repeats_message(), 0, {}});
    }
    for (const std::unique_ptr<OfHost>& of : hosts_)
        std::ranges::sort(of->connections, {}, [this](std::size_t n) { return place(n).address; });
}

void PersistCuts::attach(System& system) {
    for (const std::unique_ptr<OfHost>& of : hosts_) {
        of->path = verbs_end(system, of->host).host.persistence();
        of->path->set_observer(of.get());
    }
}

std::vector<LineObserver*> PersistCuts::lines() const {
    std::vector<LineObserver*> all(config_.names.size());
    for (const std::unique_ptr<OfHost>& of : hosts_) all[of->host] = of.get();
    return all;
}

void PersistCuts::OfHost::lines_written(std::span<const LineWrite> writes) {
    while (!writes.empty()) {
        std::size_t n = 1;
        if (writes.front().scm) {
            const Place place = all_.place_of(*this, writes.front());
            while (n < writes.size() && writes[n].scm && place.has(writes[n])) ++n;
            if (place.begins_anew != nullptr) {
                for (const LineWrite& write : writes.first(n)) written_again(write, *place.begins_anew);
            } else {
                ledger.lines_written(writes.first(n), place.message);
            }
        }
        writes = writes.subspan(n);
    }
}

/// What is written a second time, of a message that begins anew, is the same: of nobody that is judged, as the message
/// is safe with either.
void PersistCuts::OfHost::written_again(const LineWrite& write, Posted& of) {
    std::uint64_t& before = of.written[write.line];
    LineWrite more = write;
    more.mask &= ~std::exchange(before, before | write.mask);
    if (more.mask == 0) {
        ledger.line_written(write, 0);
    } else {
        ledger.line_written(more, of.id);
    }
}

/// The latest that had been posted into its slot when the card wrote it; none: there is none, or all has been told of
/// it. What the IIO holds is heard of late: where a scheme lies, the next item may have been posted there by then.
PersistCuts::Place PersistCuts::place_of(const OfHost& of, const LineWrite& write) {
    const std::uint64_t address = first_byte_of(write);
    const auto behind =
        std::ranges::upper_bound(of.connections, address, {}, [this](std::size_t n) { return place(n).address; });
    if (behind == of.connections.begin()) return {};
    const VerbsLayout::Buffer& in = place(*std::prev(behind));
    Connection& c = connections_[*std::prev(behind)];
    if (!in.has(address)) return {};
    std::optional<std::uint32_t> item = in.latest(address, c.first + static_cast<std::uint32_t>(c.posted.size()));
    std::uint64_t last = ~std::uint64_t{0};
    for (; item && *item >= c.first; item = *item < in.slots ? std::nullopt : std::optional(*item - in.slots)) {
        Posted& posted = c.posted[*item - c.first];
        if (posted.behind < write.number)
            return {posted.id, in.slot(*item), in.slot(*item) + in.slot_bytes, last, c.begins_anew ? &posted : nullptr};
        last = posted.behind;
    }
    return {};
}

void PersistCuts::posted(std::size_t connection, std::uint32_t item, Time /*begins*/) {
    Connection& c = connections_[connection];
    // What lay there has been told durable: as far as it is so, nobody shares its lines.
    advanced_ = std::max(advanced_, current_time());
    advance(*c.there, advanced_);
    c.posted.push_back({++c.there->messages, c.there->path->last_number()});
    const std::uint64_t bytes = config_.traffic[c.plan->item].size, at = place(connection).slot(item);
    c.there->ledger.message_posted({c.posted.back().id, connection, std::uint64_t{item} + 1, bytes,
                                    LineRange{at / kLineBytes, (at + bytes - 1) / kLineBytes}});
}

void PersistCuts::told_written(std::size_t connection, std::uint32_t item, Time now) {
    Connection& c = connections_[connection];
    c.there->ledger.told_written(c.posted[item - c.first].id, now);
}

void PersistCuts::told_persisted(std::size_t connection, std::uint32_t item, Time now) {
    Connection& c = connections_[connection];
    c.there->ledger.told_persisted(c.posted[item - c.first].id, now);
    // Its slot is used again when the next one is posted there; what the IIO holds may still be its own.
    const std::size_t slots = c.plan->ends[1].in.slots;
    for (; c.posted.size() > slots && !c.there->path->holds(c.posted[slots].behind); ++c.first) c.posted.pop_front();
}

void PersistCuts::advance(Time now) {
    if (now < advanced_) return;  // the last item has ended before others failed
    advanced_ = now;
    for (const std::unique_ptr<OfHost>& of : hosts_) advance(*of, now);
}

void PersistCuts::advance(OfHost& of, Time now) { of.ledger.advance(std::min(now, of.path->oldest_untold())); }

std::vector<HostCuts> PersistCuts::finish(Time end) {
    std::vector<HostCuts> all;
    for (const std::unique_ptr<OfHost>& of : hosts_) {
        of->path->end();
        HostCuts cuts{of->host, of->ledger.finish(std::max(end, advanced_)), {}, {}};
        if (const auto& example = cuts.report.false_example) {
            cuts.example = in_words(*of, *example);
            const VerbsLayout::End& from = connections_[example->connection].plan->ends[0];
            cuts.item = config_.names.message(from.host, from.qp, item_of(*example));
        }
        all.push_back(std::move(cuts));
    }
    return all;
}

std::string PersistCuts::in_words(const OfHost& of, const FalseExample& example) const {
    const VerbsLayout::End& from = connections_[example.connection].plan->ends[0];
    return fmt::format("{} is told that item {} of its q{} is durable at {}", config_.names[from.host],
                       item_of(example), from.qp, config_.names[of.host]) +
           where_it_is(example);
}

}  // namespace rnicsim
