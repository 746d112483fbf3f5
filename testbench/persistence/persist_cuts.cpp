#include "testbench/persistence/persist_cuts.h"

#include "testbench/persistence/cut_words.h"
#include "tlm/wakeup.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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
        connections_.push_back({&plan, known->get(), 0, {}});
    }
    for (const std::unique_ptr<OfHost>& of : hosts_)
        std::ranges::sort(of->connections, {}, [this](std::size_t n) { return place(n).address; });
}

void PersistCuts::attach(System& system) {
    for (const std::unique_ptr<OfHost>& of : hosts_) {
        of->path = system.verbs_end(of->host).host.persistence();
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
            const Place place = all_.place_of(*this, first_byte_of(writes.front()));
            while (n < writes.size() && writes[n].scm && place.has(first_byte_of(writes[n]))) ++n;
            ledger.lines_written(writes.first(n), place.message);
        }
        writes = writes.subspan(n);
    }
}

/// The latest that was posted into its slot; none: there is none, or all has been told of it.
PersistCuts::Place PersistCuts::place_of(const OfHost& of, std::uint64_t address) const {
    const auto behind =
        std::ranges::upper_bound(of.connections, address, {}, [this](std::size_t n) { return place(n).address; });
    if (behind == of.connections.begin()) return {};
    const VerbsLayout::Buffer& in = place(*std::prev(behind));
    const Connection& c = connections_[*std::prev(behind)];
    if (!in.has(address) || c.ids.empty()) return {};
    const auto item = in.latest(address, c.first + static_cast<std::uint32_t>(c.ids.size()));
    if (!item || *item < c.first) return {};
    return {c.ids[*item - c.first], in.slot(*item), in.slot(*item) + in.slot_bytes};
}

void PersistCuts::posted(std::size_t connection, std::uint32_t item, Time /*begins*/) {
    Connection& c = connections_[connection];
    // What lay there has been told durable: as far as it is so, nobody shares its lines.
    advanced_ = std::max(advanced_, current_time());
    advance(*c.there, advanced_);
    c.ids.push_back(++c.there->messages);
    const std::uint64_t bytes = config_.traffic[c.plan->item].size, at = place(connection).slot(item);
    c.there->ledger.message_posted({c.ids.back(), connection, std::uint64_t{item} + 1, bytes,
                                    LineRange{at / kLineBytes, (at + bytes - 1) / kLineBytes}});
}

void PersistCuts::told_written(std::size_t connection, std::uint32_t item, Time now) {
    Connection& c = connections_[connection];
    c.there->ledger.told_written(c.ids[item - c.first], now);
}

void PersistCuts::told_persisted(std::size_t connection, std::uint32_t item, Time now) {
    Connection& c = connections_[connection];
    c.there->ledger.told_persisted(c.ids[item - c.first], now);
    // Its slot is used again when the next one is posted there.
    for (; c.ids.size() > c.plan->ends[1].in.slots; ++c.first) c.ids.pop_front();
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
